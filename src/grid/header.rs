//! Data that host and device exchange about a sparse grid: word offsets in the header of its pages, and in the changes.

use crate::shared_constants::device::MAX_GROUPS;
use crate::shared_constants::pages;

/// Words of the header; one workgroup copies it.
pub const WORDS: u64 = pages::HEADER_WORDS as u64;
/// Number of updates that have taken effect.
pub const UPDATES: usize = pages::UPDATES as usize;
/// Number of active blocks.
pub const ACTIVE: usize = pages::ACTIVE as usize;
/// Number of blocks that the last update activated.
pub const ACTIVATED: usize = pages::ACTIVATED as usize;
/// Number of blocks that the last update deactivated.
pub const DEACTIVATED: usize = pages::DEACTIVATED as usize;
/// Workgroup counts, three words, of stages over the cells of active blocks.
pub const CELL_GROUPS: u32 = 4;
/// Workgroup counts of stages over active blocks.
pub const BLOCK_GROUPS: u32 = 8;
/// Workgroup counts of stages over sub-blocks of active blocks.
pub const SUB_BLOCK_GROUPS: u32 = 12;
/// Workgroup counts of the stages of an update that apply the changes and fill new blocks.
pub const APPLY_GROUPS: u32 = 16;
pub const FILL_GROUPS: u32 = 20;

/// Workgroup size of every stage whose workgroup counts are in a header.
pub const GROUP: u32 = 64;
/// Workgroups that fill one fresh block.
const FILL_PARTS: u64 = pages::FILL_PARTS as u64;

/// Words of one copy of the changes: the header, activated (block, page) pairs, deactivated blocks, active blocks, and the
/// missing blocks around each of these.
pub fn change_words(max_blocks: u64) -> u64 {
    WORDS + 5 * max_blocks
}

/// The header after an update: `[active, activated, deactivated]` blocks, sub-blocks of a block, and workgroups that
/// share a block in stages over cells.
pub fn words(updates: u64, counts: [u64; 3], sub_blocks: u64, block_groups: u64) -> [u32; WORDS as usize] {
    let [active, activated, deactivated] = counts;
    let mut words = [0; WORDS as usize];
    words[UPDATES] = updates as u32;
    words[ACTIVE] = active as u32;
    words[ACTIVATED] = activated as u32;
    words[DEACTIVATED] = deactivated as u32;
    let group = u64::from(GROUP);
    let changed = activated + deactivated;
    let mut put = |at: u32, groups: u64| {
        let across = groups.min(u64::from(MAX_GROUPS));
        let counts = [across, groups.div_ceil(across.max(1)).max(1), 1];
        for (axis, count) in counts.into_iter().enumerate() {
            words[at as usize + axis] = count as u32;
        }
    };
    put(CELL_GROUPS, active * block_groups);
    put(BLOCK_GROUPS, active.div_ceil(group));
    put(SUB_BLOCK_GROUPS, (active * sub_blocks).div_ceil(group));
    // Without changes, the list of active blocks is not written anew.
    let applied = if changed > 0 { changed.max(active) } else { 0 };
    put(APPLY_GROUPS, applied.div_ceil(group));
    put(FILL_GROUPS, activated * FILL_PARTS);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroup_counts_cover_all_elements_within_device_limits() {
        for (active, activated, deactivated) in [(0, 0, 0), (1, 1, 0), (3, 0, 2), (200_000, 70_000, 1)] {
            let words = words(7, [active, activated, deactivated], 32, 4);
            let groups = |at: u32| {
                let [x, y, z] = [0, 1, 2].map(|axis| u64::from(words[at as usize + axis]));
                let most = u64::from(MAX_GROUPS);
                assert!(x <= most && y <= most && z == 1);
                x * y
            };
            assert_eq!(words[UPDATES], 7);
            assert!(groups(CELL_GROUPS) >= active * 4);
            assert!(groups(BLOCK_GROUPS) * 64 >= active);
            assert!(groups(SUB_BLOCK_GROUPS) * 64 >= active * 32);
            assert!(groups(APPLY_GROUPS) * 64 >= activated + deactivated);
            assert!(groups(FILL_GROUPS) >= activated * FILL_PARTS);
            assert!(groups(APPLY_GROUPS) * 64 >= if activated + deactivated > 0 { active } else { 0 });
            assert_eq!(groups(CELL_GROUPS) == 0, active == 0);
        }
    }
}
