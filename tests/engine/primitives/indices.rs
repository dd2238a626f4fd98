//! The twins themselves, and arithmetic on indices up to 2^31, which no test machine holds the particles of.

use super::reference::compact::{compact, compact_tile};
use super::reference::radix_sort::{DIGIT_BITS, order, order_by_passes};
use super::reference::scan::{GROUP, ITEMS, TILE, element, scan, scan_by_tiles};
use super::*;

#[test]
fn tile_scan_equals_serial_scan_for_any_subgroup_size() {
    for size in [4, 8, 16, 32, 64, 128] {
        let mut seen = vec![false; TILE];
        for subgroup in 0..GROUP / size {
            for lane in 0..size {
                (0..ITEMS).for_each(|k| seen[element(size, subgroup, lane, k)] = true);
            }
        }
        assert!(
            seen.iter().all(|seen| *seen),
            "subgroups of {size} leave elements out"
        );
        for count in SIZES {
            let values = random(count, 5);
            assert!(
                scan_by_tiles(&values, size) == scan(&values),
                "{count} values, subgroups of {size}"
            );
        }
        let keep: Vec<bool> = random(TILE as u32, 6).iter().map(|n| n % 3 == 0).collect();
        assert_eq!(compact_tile(&keep, size), compact(&keep));
    }
    for count in [0, 1, 31, 33, 1023, 1025, 100_000] {
        for (first, bits) in [(0, 32), (3, 10), (31, 1)] {
            let keys = random(count, 7);
            assert!(
                order_by_passes(&keys, first, bits) == order(&keys, first, bits),
                "{count} by {bits} bits"
            );
        }
    }
}

/// The expressions of the shaders in 32 bits, against 64.
#[test]
fn index_arithmetic_holds_up_to_2_31() {
    let (tile, digits) = (TILE as u64, 1u64 << DIGIT_BITS);
    for count in [
        1u64,
        4095,
        4096,
        4097,
        100_000_000,
        (1 << 31) - 4095,
        (1 << 31) - 1,
        1 << 31,
    ] {
        let narrow = count as u32;
        let tiles = (narrow - 1) / TILE as u32 + 1;
        assert_eq!(u64::from(tiles), count.div_ceil(tile));
        // The last tile: its first element, and the one that the last invocation looks at and leaves alone.
        let last = u64::from(tiles - 1) * tile;
        assert_eq!(u64::from((tiles - 1).checked_mul(TILE as u32).unwrap()), last);
        assert!(last + tile - 1 <= u64::from(u32::MAX));
        // Counts of the digits, and their own tiles.
        let counts = (tiles - 1) + (digits as u32 - 1) * tiles;
        assert_eq!(u64::from(counts), digits * u64::from(tiles) - 1);
        let round_up = |n: u32| n.checked_add(TILE as u32 - 1).unwrap() / TILE as u32;
        let rounded = round_up(digits as u32 * round_up(narrow));
        assert_eq!(u64::from(rounded), (digits * count.div_ceil(tile)).div_ceil(tile));
        // Groups that take 65,536 particles each cover the tiles of the counts.
        assert!(count.div_ceil(65_536) >= u64::from(rounded));
        // Where a digit starts, less where it starts in the tile: wraps round and back.
        for (offset, start, place) in [(0u32, 4095u32, 4095u32), (narrow - 1, 0, 0), (5, 4000, 4001)] {
            let found = offset.wrapping_add(place).wrapping_sub(start);
            assert_eq!(u64::from(found), u64::from(offset) + u64::from(place - start));
        }
    }
}
