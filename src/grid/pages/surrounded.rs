//! Finds active blocks whose neighbours are all active, so that accesses near their cells do not look for blocks.

use super::bits::get;
use crate::grid::{Layout, OUTSIDE, morton};

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

    /// The list of active blocks for the device: their numbers, with the bit [`OUTSIDE`] if all blocks around them are active
    /// or outside the grid.
    pub fn marked(&self, active: &[u32], active_bits: &[u32]) -> Vec<u32> {
        let mark = |number: &u32| {
            if self.is_surrounded(*number, active_bits) {
                number | OUTSIDE
            } else {
                *number
            }
        };
        active.iter().map(mark).collect()
    }

    fn is_surrounded(&self, number: u32, active_bits: &[u32]) -> bool {
        let block = morton::decode(number, self.bits);
        let near = |axis: usize| {
            let (all, at) = (&self.axes[axis], block[axis] as usize);
            &all[at.saturating_sub(1)..(at + 2).min(all.len())]
        };
        let [x, y, z] = [0, 1, 2].map(near);
        let mut rows = z.iter().flat_map(|z| y.iter().map(move |y| z | y));
        rows.all(|row| x.iter().all(|x| get(active_bits, row | x)))
    }
}
