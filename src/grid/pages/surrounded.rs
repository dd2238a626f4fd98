//! Which neighbours of active blocks are active, so that accesses near their cells do not look for blocks.

use super::bits::get;
use crate::grid::{Layout, morton};

/// The contributions of block coordinates to block numbers, by axis.
#[derive(Debug, Clone)]
pub struct Surroundings {
    axes: [Vec<u32>; 3],
    bits: [u32; 3],
}

impl Surroundings {
    pub fn new(layout: &Layout) -> Surroundings {
        let bits = layout.block_bits;
        let of_axis = |axis: usize| {
            let number = |at| {
                let mut block = [0; 3];
                block[axis] = at;
                morton::encode(block, bits)
            };
            (0..layout.blocks[axis]).map(number).collect()
        };
        Surroundings {
            axes: [0, 1, 2].map(of_axis),
            bits,
        }
    }

    /// The blocks around a block that are not active: bit (x + 1) + 3 (y + 1) + 9 (z + 1) for the one at (x, y, z). In the
    /// place of a block outside the grid is the nearest one inside.
    pub fn missing(&self, number: u32, active_bits: &[u32]) -> u32 {
        let block = morton::decode(number, self.bits);
        let near = |axis: usize| {
            let (all, at) = (&self.axes[axis], block[axis] as usize);
            [at.saturating_sub(1), at, (at + 1).min(all.len() - 1)].map(|at| all[at])
        };
        let [x, y, z] = [0, 1, 2].map(near);
        let blocks = z
            .iter()
            .flat_map(|z| y.iter().flat_map(move |y| x.map(|x| x | y | z)));
        let missing = blocks.map(|block| u32::from(!get(active_bits, block)));
        missing
            .enumerate()
            .fold(0, |bits, (at, is_missing)| bits | is_missing << at)
    }
}
