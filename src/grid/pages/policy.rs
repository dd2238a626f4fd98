//! What a page manager is told, and what it answers.

use std::fmt;

use crate::grid::places::BindRun;

/// Where one finds a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Addressing {
    /// By its number: memory is bound there.
    Direct,
    /// By the page that a table names; nothing is bound.
    Table,
}

/// What to do when more blocks are wanted than the budget allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhenFull {
    Stop,
    /// Blocks that only wait to be freed leave, those first that were requested the longest ago (of equals the highest
    /// numbers); and the requests for the highest numbers stay unserved. What leaves has room for others one update
    /// later.
    Drop,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Updates that a block stays after the last one that requested it.
    pub keep: u32,
    /// Blocks stay for ever.
    pub persistent: bool,
    /// Blocks that have memory at the same time, those included that an update frees: they lose it only in the next
    /// one. What of their granules has no active block is not counted: budgets mean the same whatever is bound together.
    pub budget_blocks: u64,
    pub when_full: WhenFull,
    /// Blocks that are bound together: a power of two, aligned in Morton order. One by one in table mode.
    pub granule: u32,
    /// Memory that is allocated at once, [`CHUNK_BYTES`] where nothing speaks for another size; a granule at least.
    pub chunk_bytes: u64,
}

pub(crate) const CHUNK_BYTES: u64 = 64 << 20;

/// Of the budget, the part that may stay bound without active blocks: one in so many.
pub(super) const IDLE_PART: u64 = 8;

/// What an update changes. Binds take memory from where no command after the last update touches it, and none is
/// bound twice once all are done; newly active blocks hold whatever was there before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Block and page, ascending by block; where blocks are addressed directly the page is the block.
    pub activated: Vec<(u32, u32)>,
    /// Ascending.
    pub deactivated: Vec<u32>,
    /// To be done in one batch. Of a place that loses its memory and one that gets it, the loss comes first.
    pub binds: Vec<BindRun>,
    /// Chunks that the binds, or the pages of activated blocks, lie in and that have no memory yet.
    pub new_chunks: Vec<u32>,
    /// Chunks whose memory nothing uses once the binds are done.
    pub freed_chunks: Vec<u32>,
    /// Requests without a block, over budget.
    pub unserved: u64,
    /// Whether the active blocks are others than before.
    pub changed: bool,
}

/// More blocks are wanted than the budget allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full {
    /// Blocks that would be active.
    pub wanted: u64,
    pub budget: u64,
    /// Blocks that are active.
    pub active: u64,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} blocks are wanted and {} active, with a budget of {} (blocks that are freed count until the next update)",
            self.wanted, self.active, self.budget
        )
    }
}

impl std::error::Error for Full {}
