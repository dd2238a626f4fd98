//! Twin of shaders/lib/compact.glsl.

use super::scan::{ITEMS, TILE, element};

/// The numbers of the values that are kept, in their order.
pub fn compact(keep: &[bool]) -> Vec<u32> {
    (0..keep.len() as u32).filter(|i| keep[*i as usize]).collect()
}

/// The same for one tile, place by place as the shader finds them in subgroups of `size` invocations.
pub fn compact_tile(keep: &[bool], size: usize) -> Vec<u32> {
    assert!(keep.len() == TILE);
    let mut found = vec![u32::MAX; keep.iter().filter(|kept| **kept).count()];
    let mut at = 0;
    for subgroup in 0..TILE / ITEMS / size {
        for k in 0..ITEMS {
            for lane in 0..size {
                let i = element(size, subgroup, lane, k);
                if keep[i] {
                    found[at] = i as u32;
                    at += 1;
                }
            }
        }
    }
    found
}
