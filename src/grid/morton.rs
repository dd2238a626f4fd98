//! Mixed Morton codes: coordinates with different numbers of bits per axis become one number without gaps.
//!
//! Bits that all three axes have are interleaved, x lowest. Then bits that two axes have are interleaved, in the order x,
//! y, z, and the remaining bits of the last axis follow. So a box of 2^a x 2^b x 2^c cells has the codes 0 to
//! 2^(a+b+c) - 1, and nearby cells have similar codes. `shaders/lib/morton.glsl` contains the same functions.

/// The code of `v`, each of whose coordinates is below 2^`bits`; at most 32 bits in total.
pub fn encode(v: [u32; 3], bits: [u32; 3]) -> u32 {
    let Split { low, rest, mid } = Split::of(bits);
    debug_assert!(
        v.iter().zip(bits).all(|(v, bits)| u64::from(*v) >> bits == 0),
        "{v:?} has more than {bits:?} bits"
    );
    let common = v.map(|v| spread3(v & mask(low)));
    let [x, y, z] = v.map(|v| v >> low);
    let first = if rest[0] > 0 { x } else { y };
    let second = if rest[2] > 0 { z } else { y };
    let pair = spread2(first & mask(mid)) | spread2(second & mask(mid)) << 1;
    // Only one axis has bits here.
    let last = (x >> mid) | (y >> mid) | (z >> mid);
    let code = common[0] | common[1] << 1 | common[2] << 2;
    // Shifted in steps: a single shift by 32 is undefined.
    code | (pair << (3 * low)) | (last << (3 * low) << mid << mid)
}

/// The coordinates that have this code.
pub fn decode(code: u32, bits: [u32; 3]) -> [u32; 3] {
    let Split { low, rest, mid } = Split::of(bits);
    let pair = code >> (3 * low);
    let last = pair >> mid >> mid;
    let first = compact2(pair) & mask(mid);
    let second = compact2(pair >> 1) & mask(mid);
    let x = if rest[0] > 0 { first } else { 0 };
    let z = if rest[2] > 0 { second } else { 0 };
    let y = (if rest[0] > 0 { 0 } else { first }) | (if rest[2] > 0 { 0 } else { second });
    let paired = [x, y, z];
    std::array::from_fn(|axis| {
        let common = compact3(code >> axis) & mask(low);
        let last = if rest[axis] > mid { last } else { 0 };
        common | paired[axis] << low | last << (low + mid)
    })
}

/// Numbers of bits that are interleaved from three axes, then from two.
struct Split {
    low: u32,
    /// Bits per axis beyond the common ones: 0 for at least one axis.
    rest: [u32; 3],
    mid: u32,
}

impl Split {
    fn of(bits: [u32; 3]) -> Split {
        let [x, y, z] = bits;
        debug_assert!(x + y + z <= 32, "{bits:?} is more than 32 bits");
        let low = x.min(y).min(z);
        let most = x.max(y).max(z);
        Split {
            low,
            rest: bits.map(|bits| bits - low),
            mid: x + y + z - most - 2 * low,
        }
    }
}

/// The low `bits` bits, 16 at most.
fn mask(bits: u32) -> u32 {
    (1 << bits) - 1
}

/// Two zeros between the bits of a number of 10 bits.
fn spread3(v: u32) -> u32 {
    let v = (v | v << 16) & 0x0300_00ff;
    let v = (v | v << 8) & 0x0300_f00f;
    let v = (v | v << 4) & 0x030c_30c3;
    (v | v << 2) & 0x0924_9249
}

/// Every third bit.
fn compact3(v: u32) -> u32 {
    let v = v & 0x0924_9249;
    let v = (v | v >> 2) & 0x030c_30c3;
    let v = (v | v >> 4) & 0x0300_f00f;
    let v = (v | v >> 8) & 0x0300_00ff;
    (v | v >> 16) & 0x3ff
}

/// A zero between the bits of a number of 16 bits.
fn spread2(v: u32) -> u32 {
    let v = (v | v << 8) & 0x00ff_00ff;
    let v = (v | v << 4) & 0x0f0f_0f0f;
    let v = (v | v << 2) & 0x3333_3333;
    (v | v << 1) & 0x5555_5555
}

/// Every second bit.
fn compact2(v: u32) -> u32 {
    let v = v & 0x5555_5555;
    let v = (v | v >> 1) & 0x3333_3333;
    let v = (v | v >> 2) & 0x0f0f_0f0f;
    let v = (v | v >> 4) & 0x00ff_00ff;
    (v | v >> 8) & 0xffff
}

#[cfg(test)]
mod tests;
