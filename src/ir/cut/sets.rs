//! How a set of particles is cut.

use super::super::ids::ResourceId;
use super::super::sorted::Sorted;

/// A set that is cut like a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutSet {
    pub sorted: Sorted,
    /// See [`super::super::SortedCells::drift`].
    pub drift: u64,
    /// Planes of cells on either side of a part whose particles a rank has besides its own. `None` if particles may be anywhere
    /// at the next sort: ranks then exchange those that have changed parts.
    pub ghosts: Option<u64>,
    /// How many of these planes stages of a step spend: they read particles of other cells.
    pub spent: u64,
    /// Planes of cells at the ends of a part whose particles may access cells beyond it.
    pub margin: u64,
    /// The axis along which the grid is cut: keys number it last.
    pub axis: usize,
    /// Keys of a row: of a plane of cells, or of blocks.
    pub row: u64,
    pub rows: u64,
    /// Planes of cells of a row.
    pub per: u64,
    /// The largest number of planes beyond a part of the row at its end, which belongs to the part where it begins.
    pub beyond: u64,
}

impl CutSet {
    /// The distance from a part, in cells, up to which its particles and ghosts may be.
    pub fn reach(&self) -> u64 {
        self.ghosts.unwrap_or(0) + self.drift + self.beyond
    }

    pub fn set(&self) -> ResourceId {
        self.sorted.set
    }

    /// The first row that begins at a plane of cells or after it.
    pub fn row_from(&self, plane: u64) -> u64 {
        plane.div_ceil(self.per).min(self.rows)
    }

    /// The rows of a part between planes of cells whose particles access no cell beyond it.
    pub fn inner_rows(&self, [low, high]: [u64; 2]) -> [u64; 2] {
        let first = self.row_from(low + self.margin);
        let end = (high.saturating_sub(self.margin) / self.per).min(self.rows);
        [first, end.max(first)]
    }
}
