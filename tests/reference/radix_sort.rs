//! Twin of shaders/lib/radix_sort.glsl and of the stages of a sort.

use super::scan::{TILE, scan};

/// Bits that a pass takes.
pub const DIGIT_BITS: u32 = 8;

/// The order of the particles by `count` bits of their keys from bit `first` on; equal keys keep their order.
pub fn order(keys: &[u32], first: u32, count: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by_key(|i| part(keys[*i as usize], first, count));
    order
}

/// `count` bits of a key from bit `first` on.
pub fn part(key: u32, first: u32, count: u32) -> u32 {
    (u64::from(key) >> first & ((1 << count) - 1)) as u32
}

/// The same order in passes, digit by digit over counts of tiles, as the shaders make it.
pub fn order_by_passes(keys: &[u32], first: u32, count: u32) -> Vec<u32> {
    let mut list: Vec<(u32, u32)> = keys.iter().copied().zip(0..).collect();
    for shift in (0..count).step_by(DIGIT_BITS as usize) {
        let width = DIGIT_BITS.min(count - shift);
        let digit = |key: u32| part(key, first + shift, width) as usize;
        let tiles = list.len().div_ceil(TILE);
        let mut counts = vec![0; tiles << DIGIT_BITS];
        for (number, tile) in list.chunks(TILE).enumerate() {
            tile.iter()
                .for_each(|(key, _)| counts[digit(*key) * tiles + number] += 1);
        }
        let (mut places, _) = scan(&counts);
        let mut next = list.clone();
        for (number, tile) in list.chunks(TILE).enumerate() {
            for entry in tile {
                let place = &mut places[digit(entry.0) * tiles + number];
                next[*place as usize] = *entry;
                *place += 1;
            }
        }
        list = next;
    }
    list.into_iter().map(|(_, i)| i).collect()
}
