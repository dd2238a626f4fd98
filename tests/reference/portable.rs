//! Twin of the division and the square root in src/shader/portable/arithmetic.glsl, on a device whose own division and
//! square root may be off by some units in the last place.

const HIDDEN: u32 = 0x0080_0000;
const FRACTION: u32 = 0x007f_ffff;
const SIGN: u32 = 0x8000_0000;

/// A float some units in the last place away.
fn off(x: f32, units: i32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_add_signed(units))
}

fn flushed(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 {
        bits & SIGN
    } else {
        bits
    }
}

fn normal(bits: u32) -> f32 {
    f32::from_bits(if bits & !SIGN <= HIDDEN { bits & SIGN } else { bits })
}

/// `a / b`, where the device's quotients are off by `units`.
pub fn divide(a: f32, b: f32, units: i32) -> f32 {
    let (x, y) = (flushed(a.to_bits()), flushed(b.to_bits()));
    let (ex, ey) = (x >> 23 & 255, y >> 23 & 255);
    if ex == 0 || ey == 0 || ex == 255 || ey == 255 {
        return normal((f32::from_bits(x) / f32::from_bits(y)).to_bits());
    }
    let (high, low) = (x & FRACTION | HIDDEN, y & FRACTION | HIDDEN);
    let less = u32::from(high < low);
    let scale = if less == 1 { 16_777_216.0 } else { 8_388_608.0 };
    let mut q = (off(high as f32 / low as f32, units) * scale) as u32;
    let rest = |q: u32| (high << (23 + less)).wrapping_sub(q.wrapping_mul(low)) as i32;
    let correction = (off(rest(q) as f32 / low as f32, units) + 0.5).floor();
    q = q.wrapping_add_signed(correction as i32);
    let (twice, divisor) = (2 * rest(q), low as i32);
    q = q.wrapping_add_signed(i32::from(twice > divisor) - i32::from(twice < -divisor));
    let magnitude = match (ex + 127) as i32 - (ey + less) as i32 {
        255.. => 0x7f80_0000,
        ..=0 => 0,
        e => (e as u32) << 23 | q & FRACTION,
    };
    normal((x ^ y) & SIGN | magnitude)
}

/// The square root, where those of the device are off by `units`.
pub fn sqrt(a: f32, units: i32) -> f32 {
    let x = flushed(a.to_bits());
    let e = x >> 23;
    if e == 0 || e >= 255 {
        return f32::from_bits(x).sqrt();
    }
    let odd = e & 1 ^ 1;
    let square = (x & FRACTION | HIDDEN) << (25 + odd);
    let root = f32::from_bits(x & FRACTION | (127 + odd) << 23).sqrt();
    let mut s = (off(root, units) * 8_388_608.0) as u32;
    for _ in 0..6 {
        let rest = square.wrapping_sub(4u32.wrapping_mul(s.wrapping_mul(s))) as i32;
        let near = (4 * s) as i32;
        if rest > near {
            s += 1;
        } else if rest <= -near {
            s -= 1;
        } else {
            break;
        }
    }
    f32::from_bits((s & FRACTION) + (((e - odd + 127) / 2) << 23))
}
