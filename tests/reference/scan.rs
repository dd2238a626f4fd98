//! Twin of shaders/lib/scan.glsl and of the stages of a scan.

/// Invocations of a workgroup, values of an invocation, values of a tile.
pub const GROUP: usize = 256;
pub const ITEMS: usize = 16;
pub const TILE: usize = GROUP * ITEMS;

/// Exclusive prefix sums modulo 2^32, and the sum of all.
pub fn scan(values: &[u32]) -> (Vec<u32>, u32) {
    let mut sum = 0u32;
    let sums = values.iter().map(|value| {
        let before = sum;
        sum = sum.wrapping_add(*value);
        before
    });
    (sums.collect(), sum)
}

/// Place in its tile of value k of an invocation, in subgroups of `size`.
pub fn element(size: usize, subgroup: usize, lane: usize, k: usize) -> usize {
    subgroup * size * ITEMS + lane + k * size
}

/// A scan as the shaders do it: sums of tiles, their scan, and the tiles by subgroups of `size`.
pub fn scan_by_tiles(values: &[u32], size: usize) -> (Vec<u32>, u32) {
    let sums: Vec<u32> = (values.chunks(TILE))
        .map(|tile| tile.iter().fold(0u32, |sum, value| sum.wrapping_add(*value)))
        .collect();
    let (before, total) = if sums.len() > TILE {
        scan_by_tiles(&sums, size)
    } else {
        scan(&sums)
    };
    let mut scanned = vec![0; values.len()];
    for (number, tile) in values.chunks(TILE).enumerate() {
        let mut sum = before[number];
        for subgroup in 0..GROUP / size {
            for k in 0..ITEMS {
                for lane in 0..size {
                    let i = element(size, subgroup, lane, k);
                    if let Some(value) = tile.get(i) {
                        scanned[number * TILE + i] = sum;
                        sum = sum.wrapping_add(*value);
                    }
                }
            }
        }
    }
    (scanned, total)
}
