//! Sparse grids in a resolved pipeline.

use super::ids::{FieldId, ResourceId};
use crate::grid::{Layout, WhenFull};

/// Properties of a sparse grid.
#[derive(Debug, Clone)]
pub struct SparseGrid {
    pub layout: Layout,
    pub paging: Paging,
    /// Number of updates until requests take effect.
    pub latency: u32,
    /// Number of updates for which a block stays active after its last request.
    pub keep: u32,
    pub persistent: bool,
    /// Largest number of active blocks.
    pub max_blocks: u64,
    pub when_full: WhenFull,
    /// The file states a budget.
    pub budgeted: bool,
    pub fields: PageFields,
    /// Its channels, in the order of the layout.
    pub channels: Vec<FieldId>,
}

/// Fields with the pages of a sparse grid: buffers of the engine, named after the grid.
#[derive(Debug, Clone, Copy)]
pub struct PageFields {
    /// For each cell coordinate, its contributions to the number of the block and to the index of the cell in the block.
    pub axes: FieldId,
    /// Bitmap of requested blocks, by block number.
    pub requests: FieldId,
    /// Bitmap of active blocks.
    pub active: FieldId,
    /// Page of each block number, `u32::MAX` for none. Then, for each block number, the blocks around it that are not
    /// active, as bits; all for an inactive block.
    pub table: FieldId,
    /// Numbers of the active blocks, ascending.
    pub list: FieldId,
    /// Counts and group counts: see `grid::header`.
    pub header: FieldId,
    /// Per update slot, the requests as the host reads them.
    pub snapshot: FieldId,
    /// Per update slot, the decision of the host.
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

/// Mapping of the blocks of a sparse grid to memory, as a file requests it.
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
    /// A stage after it.
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
