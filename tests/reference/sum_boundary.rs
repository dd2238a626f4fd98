//! Twin of shaders/snow/sum_boundary.comp.

use super::Air;

/// Boundary faces per active block.
pub fn sum_boundary(air: &Air, partial: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let add = |sum: [u32; 4], part: &[u32; 4]| std::array::from_fn(|n| sum[n] + part[n]);
    let blocks = partial.chunks(air.sub_blocks_of_block());
    blocks.map(|parts| parts.iter().fold([0; 4], add)).collect()
}
