//! Settings of a page manager, and its decisions.

use std::fmt;

use crate::grid::granules::BindRun;

/// The address of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addressing {
    /// The number of the block determines it: memory is bound there.
    Direct,
    /// A table contains the page of the block; nothing is bound.
    Table,
}

/// The reaction to requests for more blocks than the budget allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    Stop,
    /// Deactivates blocks without a request, starting with the oldest request (among equal ones, the highest number), and
    /// ignores the requests for the highest numbers. The memory of deactivated blocks is available one update later.
    Drop,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Number of updates for which a block stays active after its last request.
    pub keep: u32,
    /// Blocks stay active for ever.
    pub persistent: bool,
    /// Largest number of blocks with memory at the same time. It includes blocks that an update deactivates, which lose their
    /// memory only in the next update. Inactive parts of granules do not count, so that a budget does not depend on the
    /// size of granules.
    pub budget_blocks: u64,
    pub when_full: WhenFull,
    /// Number of blocks that are bound together: a power of two, aligned in Morton order. 1 in table mode.
    pub granule: u32,
    /// Bytes that are allocated at once: at least a granule, by default [`CHUNK_BYTES`].
    pub chunk_bytes: u64,
}

pub const CHUNK_BYTES: u64 = 64 << 20;

/// Inverse of the fraction of the budget that may stay bound without active blocks.
pub(super) const IDLE_PART: u64 = 8;

/// Changes of an update. Binds move only memory that no command after the last update accesses, and no memory is bound
/// twice after all of them. The contents of newly active blocks are undefined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Block and page, ascending by block; the page is the block if blocks are addressed directly.
    pub activated: Vec<(u32, u32)>,
    /// Ascending.
    pub deactivated: Vec<u32>,
    /// For a single call. Memory is unbound before it is bound elsewhere.
    pub binds: Vec<BindRun>,
    /// Chunks of the binds, or of the pages of activated blocks, that are not allocated yet.
    pub new_chunks: Vec<u32>,
    /// Chunks whose memory is unused after the binds.
    pub freed_chunks: Vec<u32>,
    /// Number of requests that exceed the budget.
    pub unserved: u64,
    /// The active blocks have changed.
    pub changed: bool,
}

/// Stages request more blocks than the budget allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full {
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
