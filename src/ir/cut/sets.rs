//! How a set of particles is cut.

use super::super::ids::ResourceId;
use super::super::sorted::Sorted;

/// A set that is cut like a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutSet {
    pub sorted: Sorted,
    /// See [`super::super::SortedCells::drift`].
    pub drift: u64,
    /// Planes of cells on either side of a part whose particles a rank has besides its own.
    pub ghosts: u64,
    /// Planes at the ends of a part whose particles may access cells beyond it.
    pub margin: u64,
    /// The axis along which the grid is cut: its last.
    pub axis: usize,
    /// Cells of a plane.
    pub plane: u64,
    pub planes: u64,
}

impl CutSet {
    /// The distance from a part, in cells, up to which its particles and ghosts may be.
    pub fn reach(&self) -> u64 {
        self.ghosts + self.drift
    }

    pub fn set(&self) -> ResourceId {
        self.sorted.set
    }
}
