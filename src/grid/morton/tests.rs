use proptest::prelude::*;

use super::*;

/// The code bit by bit, as the rule says it.
fn by_rule(v: [u32; 3], bits: [u32; 3]) -> u32 {
    let mut used = [0; 3];
    let (mut code, mut at) = (0, 0);
    loop {
        let open: Vec<usize> = (0..3).filter(|&axis| used[axis] < bits[axis]).collect();
        if open.is_empty() {
            return code;
        }
        for axis in open {
            code |= (v[axis] >> used[axis] & 1) << at;
            used[axis] += 1;
            at += 1;
        }
    }
}

fn small_triples() -> impl Iterator<Item = [u32; 3]> {
    (0..6 * 6 * 6).map(|n| [n % 6, n / 6 % 6, n / 36])
}

#[test]
fn morton_codes_invert_in_every_small_box() {
    for bits in small_triples() {
        let [x, y, z] = bits;
        let mut seen = vec![false; 1 << (x + y + z)];
        for n in 0..seen.len() as u32 {
            let v = [n & mask(x), n >> x & mask(y), n >> (x + y)];
            let code = encode(v, bits);
            assert_eq!(code, by_rule(v, bits), "{v:?} of {bits:?}");
            assert_eq!(decode(code, bits), v, "{v:?} of {bits:?}");
            assert!(
                !std::mem::replace(&mut seen[code as usize], true),
                "{v:?} of {bits:?}"
            );
        }
    }
}

#[test]
fn morton_codes_use_all_32_bits() {
    for bits in [
        [32, 0, 0],
        [0, 32, 0],
        [0, 0, 32],
        [16, 16, 0],
        [16, 0, 16],
        [0, 16, 16],
        [10, 11, 11],
        [12, 10, 10],
    ] {
        let largest = bits
            .map(|bits| (1u64 << bits) as u32)
            .map(|side| side.wrapping_sub(1));
        assert_eq!(encode(largest, bits), u32::MAX, "{bits:?}");
        assert_eq!(decode(u32::MAX, bits), largest, "{bits:?}");
    }
}

#[test]
fn aligned_2x2x2_cubes_have_consecutive_codes() {
    for bits in small_triples().filter(|bits| bits.iter().all(|bits| *bits > 0)) {
        for first in (0..1u32 << bits.iter().sum::<u32>()).step_by(8) {
            let corner = decode(first, bits);
            assert!(corner.iter().all(|v| v % 2 == 0), "{corner:?} of {bits:?}");
            for n in 0..8 {
                let v = [corner[0] + n % 2, corner[1] + n / 2 % 2, corner[2] + n / 4];
                assert_eq!(encode(v, bits), first + n, "{v:?} of {bits:?}");
            }
        }
    }
}

prop_compose! {
    fn bits()(x in 0u32..=32, y in 0u32..=32, z in 0u32..=32) -> [u32; 3] {
        let y = y.min(32 - x);
        [x, y, z.min(32 - x - y)]
    }
}

proptest! {
    #[test]
    fn morton_codes_invert_in_large_boxes(bits in bits(), turn in 0usize..3, random in any::<[u32; 3]>()) {
        let mut bits = bits;
        bits.rotate_left(turn);
        let v: [u32; 3] = std::array::from_fn(|axis| (u64::from(random[axis]) & ((1 << bits[axis]) - 1)) as u32);
        let code = encode(v, bits);
        prop_assert!(u64::from(code) < 1 << bits.iter().sum::<u32>());
        prop_assert_eq!(code, by_rule(v, bits));
        prop_assert_eq!(decode(code, bits), v);
    }
}
