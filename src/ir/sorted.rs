//! Sorts of particles.

use super::ids::{FieldId, ResourceId};

/// The cells that a key numbers, x fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortedCells {
    pub grid: ResourceId,
    /// The largest number of cells along an axis that a particle moves from one sort to the next.
    pub drift: u32,
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
