//! Twin of shaders/lib/random.glsl.

pub fn pcg4d(key: [u32; 4]) -> [u32; 4] {
    let [mut x, mut y, mut z, mut w] = key.map(|v| v.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    x = x.wrapping_add(y.wrapping_mul(w));
    y = y.wrapping_add(z.wrapping_mul(x));
    z = z.wrapping_add(x.wrapping_mul(y));
    w = w.wrapping_add(y.wrapping_mul(z));
    [x, y, z, w] = [x, y, z, w].map(|v| v ^ (v >> 16));
    x = x.wrapping_add(y.wrapping_mul(w));
    y = y.wrapping_add(z.wrapping_mul(x));
    z = z.wrapping_add(x.wrapping_mul(y));
    w = w.wrapping_add(y.wrapping_mul(z));
    [x, y, z, w]
}

/// Four numbers in [0, 1), multiples of 2^-24.
pub fn random4(element: u32, when: u32, purpose: u32, seed: u32) -> [f32; 4] {
    pcg4d([element, when, purpose, seed]).map(|bits| (bits >> 8) as f32 * (1.0 / 16_777_216.0))
}
