//! The buffer `<set>_live` of a dynamic particle set: live counts and group counts. `shaders/particles/live.glsl`
//! writes the same layout on the device.

use std::ops::Range;

use crate::shared_constants::device::MAX_GROUPS;
use crate::shared_constants::live::*;

/// Words of the buffer.
pub const WORDS: u64 = LIVE_WORDS as u64;
/// Indices of words in the buffer.
pub const COUNT: usize = LIVE_COUNT as usize;
pub const REFUSED: usize = LIVE_REFUSED as usize;
pub const BORN: usize = LIVE_BORN as usize;
/// Workgroup sizes that have group counts, as logarithms to base 2.
const SIZES: Range<u32> = LIVE_LEAST_LOG2..LIVE_LEAST_LOG2 + LIVE_SIZES;
const NEWBORN_SIZES: Range<u32> = LIVE_LEAST_LOG2..LIVE_LEAST_LOG2 + LIVE_NEWBORN_SIZES;

/// Maximum number of particles of a set that is dynamic or sorted, so that indices fit 32 bits.
pub const MAX_PARTICLES: u64 = 1 << 31;

/// Index of the group counts for workgroups that process `per_group` particles, a power of two from 32 to 65,536.
pub fn groups(per_group: u32) -> Option<u32> {
    let log2 = per_group.is_power_of_two().then(|| per_group.ilog2())?;
    SIZES
        .contains(&log2)
        .then(|| LIVE_GROUPS + 3 * (log2 - LIVE_LEAST_LOG2))
}

/// Index of the group counts of newborn particles, for a power of two from 32 to 1,024.
pub fn newborn_groups(per_group: u32) -> Option<u32> {
    let log2 = per_group.is_power_of_two().then(|| per_group.ilog2())?;
    NEWBORN_SIZES
        .contains(&log2)
        .then(|| LIVE_NEWBORN_GROUPS + 3 * (log2 - LIVE_LEAST_LOG2))
}

/// The live count in the bytes of the buffer; `None` if they are too few.
pub fn count(bytes: &[u8]) -> Option<u32> {
    let word = bytes.chunks_exact(4).nth(COUNT)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}

/// The buffer's contents.
pub fn words(count: u32, refused: u32, born: u32) -> [u32; WORDS as usize] {
    let mut words = [0; WORDS as usize];
    words[COUNT] = count;
    words[REFUSED] = refused;
    words[BORN] = born;
    let mut put = |at: u32, particles: u32, log2: u32| {
        let groups = particles.div_ceil(1 << log2);
        let across = groups.min(MAX_GROUPS);
        let counts = [across, groups.div_ceil(across.max(1)), 1];
        words[at as usize..at as usize + 3].copy_from_slice(&counts);
    };
    SIZES.for_each(|log2| put(LIVE_GROUPS + 3 * (log2 - LIVE_LEAST_LOG2), count, log2));
    NEWBORN_SIZES.for_each(|log2| put(LIVE_NEWBORN_GROUPS + 3 * (log2 - LIVE_LEAST_LOG2), born, log2));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroup_counts_cover_all_particles_within_limits() {
        for count in [
            0,
            1,
            31,
            32,
            33,
            1024,
            65_535 * 32,
            65_535 * 32 + 1,
            1 << 31,
            u32::MAX,
        ] {
            let words = words(count, 7, count / 2);
            assert_eq!(words[..3], [count, 7, count / 2]);
            let covers = |at: Option<u32>, size: u64, particles: u32| {
                let at = at.unwrap() as usize;
                let [x, y, z] = [0, 1, 2].map(|axis| u64::from(words[at + axis]));
                assert!(x <= 65_535 && y <= 65_535 && z == 1, "{count}");
                let (groups, needed) = (x * y, u64::from(particles).div_ceil(size));
                assert!(groups >= needed && groups < needed + 65_535, "{count}: {groups}");
                assert_eq!(groups == 0, particles == 0);
            };
            for log2 in 5..=16 {
                covers(groups(1 << log2), 1 << log2, count);
            }
            for log2 in 5..=10 {
                covers(newborn_groups(1 << log2), 1 << log2, count / 2);
            }
        }
    }

    #[test]
    fn workgroup_counts_occupy_distinct_words() {
        let mut taken = vec![COUNT as u32, REFUSED as u32, BORN as u32];
        let live = (5..=16).filter_map(|log2| groups(1 << log2));
        let newborn = (5..=10).filter_map(|log2| newborn_groups(1 << log2));
        live.chain(newborn)
            .for_each(|at| taken.extend([at, at + 1, at + 2]));
        assert_eq!(taken.len(), 3 + 3 * 18);
        assert!(taken.iter().all(|word| u64::from(*word) < WORDS));
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken.len(), 3 + 3 * 18);
    }

    #[test]
    fn unsupported_workgroup_sizes_have_no_counts() {
        for size in [0, 1, 16, 33, 96, 131_072] {
            assert_eq!(groups(size), None);
        }
        assert_eq!(newborn_groups(2048), None);
    }
}
