//! Sparse grids without a device: the layout of cells, the active blocks, and their memory.

mod granules;
pub mod header;
pub mod layout;
pub mod morton;
pub mod pages;
pub mod slots;

pub use granules::BindRun;
pub use layout::Layout;
pub use pages::{Addressing, CHUNK_BYTES, Changes, PageManager, Policy, WhenFull};

/// Blocks are multiples of this number of bytes, the page size of GPUs with sparse residency. Devices with smaller
/// pages bind several at once, so that blocks have the same shape on all devices, and runs the same results.
pub const PAGE_BYTES: u64 = 65_536;

/// Marks coordinates outside the grid in the tables of coordinates, and blocks in the list of active blocks whose neighbours
/// are all active. All block numbers are smaller.
pub const OUTSIDE: u32 = crate::shared_constants::pages::OUTSIDE;

/// Cells beyond each side of a grid for which its tables have the offset of the nearest cell inside.
pub const MARGIN: u32 = 16;

/// Marks a block without a page.
pub const NO_PAGE: u32 = u32::MAX;
