//! Twin of shaders/measure/partials.comp: `None` is a place beyond the domain.

use sastrugi::ir::Class;

/// Invocations of a workgroup.
pub const GROUP: usize = 256;

/// Count, non-finite values, sum in two words, least and greatest key.
pub type Partial = [u32; 6];

const NOTHING: Partial = [0, 0, 0, 0, u32::MAX, 0];

/// The partial results of numbers that are given by their bits.
pub fn partials(class: Class, elements: &[Option<u32>], groups: usize) -> Vec<Partial> {
    let stride = groups * GROUP;
    (0..groups)
        .map(|group| {
            let mut lanes = [NOTHING; GROUP];
            for (lane, mine) in lanes.iter_mut().enumerate() {
                let own = elements.iter().skip(group * GROUP + lane).step_by(stride);
                for bits in own.copied().flatten() {
                    *mine = merged(class, *mine, single(class, bits));
                }
            }
            let mut half = GROUP / 2;
            while half > 0 {
                for lane in 0..half {
                    lanes[lane] = merged(class, lanes[lane], lanes[lane + half]);
                }
                half /= 2;
            }
            lanes[0]
        })
        .collect()
}

fn single(class: Class, bits: u32) -> Partial {
    let key = class.key(bits);
    match class {
        Class::Float if !f32::from_bits(bits).is_finite() => [1, 1, 0, 0, u32::MAX, 0],
        Class::Float | Class::Uint => [1, 0, bits, 0, key, key],
        Class::Int => [1, 0, bits, if (bits as i32) < 0 { u32::MAX } else { 0 }, key, key],
    }
}

fn merged(class: Class, a: Partial, b: Partial) -> Partial {
    let [low, high] = match class {
        Class::Float => {
            let [a, rest_a, b, rest_b] = [a[2], a[3], b[2], b[3]].map(f32::from_bits);
            let sum = a + b;
            let part = sum - a;
            let error = (a - (sum - part)) + (b - part);
            [sum, error + (rest_a + rest_b)].map(f32::to_bits)
        }
        _ => {
            let of = |p: Partial| u64::from(p[3]) << 32 | u64::from(p[2]);
            let sum = of(a).wrapping_add(of(b));
            [sum as u32, (sum >> 32) as u32]
        }
    };
    [
        a[0] + b[0],
        a[1] + b[1],
        low,
        high,
        a[4].min(b[4]),
        a[5].max(b[5]),
    ]
}
