//! Twin of shaders/snow/sum_blocks.comp.

use super::Air;

/// Pressure and fluid cells per active block.
pub fn sum_blocks(air: &Air, partial: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let add = |sum: [f32; 2], part: &[f32; 2]| [sum[0] + part[0], sum[1] + part[1]];
    let blocks = partial.chunks(air.sub_blocks_of_block());
    blocks.map(|parts| parts.iter().fold([0.0; 2], add)).collect()
}
