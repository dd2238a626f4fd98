//! Counter-based random numbers on the host: the same function as `shaders/lib/random.glsl`.

/// pcg4d of Jarzynski & Olano 2020, "Hash Functions for GPU Rendering", Journal of Computer Graphics Techniques 9(3).
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

/// Four numbers in [0, 1), multiples of 2^-24. The key: element, step, purpose, and the seed of the run.
pub fn random4(element: u32, when: u32, purpose: u32, seed: u32) -> [f64; 4] {
    pcg4d([element, when, purpose, seed]).map(|bits| f64::from(bits >> 8) / 16_777_216.0)
}
