//! Sorts of particles.

use super::ids::{FieldId, ResourceId};

/// The cells, or blocks of cells, that a key numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortedCells {
    pub grid: ResourceId,
    /// The cells of a block along each axis.
    pub blocks: [u32; 3],
    /// The axis along which blocks are numbered last; first along the others, x before y before z.
    pub slowest: usize,
    /// The largest number of cells along an axis that a particle moves from one sort to the next. Without `ghosts`, the largest
    /// distance from its block where it reads the grid.
    pub drift: u32,
    /// False if particles may be anywhere at the next sort, and ranks have no copies of those of others.
    pub ghosts: bool,
}

impl SortedCells {
    /// The blocks along each axis of a grid with so many cells.
    pub fn counts(&self, cells: [u64; 3]) -> [u64; 3] {
        std::array::from_fn(|axis| cells[axis].div_ceil(u64::from(self.blocks[axis])))
    }
}

/// A sort of a set in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorted {
    pub set: ResourceId,
    pub key: FieldId,
    /// The buffer with the former index of each particle.
    pub order: FieldId,
    pub cells: Option<SortedCells>,
}
