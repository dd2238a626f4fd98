//! Sparse grids in a resolved pipeline.

use super::ids::{FieldId, ResourceId};
use crate::grid::{Layout, WhenFull};

/// Properties of a sparse grid.
#[derive(Debug, Clone)]
pub struct SparseGrid {
    pub layout: Layout,
    pub paging: Paging,
    /// Updates until requests take effect.
    pub latency: u32,
    /// Updates that a block stays active after its last request.
    pub keep: u32,
    pub persistent: bool,
    /// Most active blocks.
    pub most_blocks: u64,
    pub when_full: WhenFull,
    /// The file states a budget.
    pub budgeted: bool,
    pub fields: PageFields,
    /// Its channels, in the order of the layout.
    pub channels: Vec<FieldId>,
}

/// Fields that hold the pages of a sparse grid: buffers of the engine's, named after the grid.
#[derive(Debug, Clone, Copy)]
pub struct PageFields {
    /// For each cell coordinate, its parts of the number of the block and of the index of the cell in the block.
    pub axes: FieldId,
    /// Bitmap of requested blocks, by block number.
    pub requests: FieldId,
    /// Bitmap of active blocks.
    pub active: FieldId,
    /// Page of each block number, `u32::MAX` for none.
    pub table: FieldId,
    /// Numbers of the active blocks, ascending.
    pub list: FieldId,
    /// Counts and group counts: see `grid::header`.
    pub header: FieldId,
    /// Per update slot, the requests as the host reads them.
    pub snapshot: FieldId,
    /// Per update slot, what the host decided.
    pub changes: FieldId,
}

impl PageFields {
    pub fn all(&self) -> [FieldId; 8] {
        [
            self.axes,
            self.requests,
            self.active,
            self.table,
            self.list,
            self.header,
            self.snapshot,
            self.changes,
        ]
    }
}

/// Where the blocks of a sparse grid are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paging {
    Auto,
    Sparse,
    Table,
    Dense,
}

/// The two stages of an update between which the host decides, with their grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// Hands the requests to the host.
    Collects(ResourceId),
    /// The first stage that applies the decision of the host.
    Applies(ResourceId),
    /// The stages that follow it.
    Continues(ResourceId),
}

/// Names that the interface defines for a sparse grid besides those of any grid: `<name>_<constant>`.
pub const SPARSE_CONSTANTS: &[&str] = &[
    "block",
    "blocks",
    "block_cells",
    "sub_cells",
    "active_count",
    "sub_blocks",
    "sub_block",
];
