//! Sparse grids without a device: the layout of cells, the active blocks, and their memory.

pub mod header;
pub mod layout;
pub mod morton;
pub mod pages;
mod places;
pub mod slots;

pub use layout::Layout;
pub use pages::{Addressing, CHUNK_BYTES, Changes, PageManager, Policy, WhenFull};
pub use places::BindRun;

/// Blocks are multiples of this number of bytes, the page size of GPUs with sparse residency. Devices with smaller
/// pages bind several at once, so that blocks have the same shape on all devices, and runs the same results.
pub const PAGE_BYTES: u64 = 65_536;

/// Marks coordinates outside the grid in the tables that find cells. No block has a number this high.
pub const OUTSIDE: u32 = 1 << 31;

/// The page of a block that has none.
pub const NO_PAGE: u32 = u32::MAX;
