//! Sparse grids without a device: where cells lie, which blocks are active, which memory they hold.

pub mod header;
pub mod layout;
pub mod morton;
pub mod pages;
mod places;
pub mod slots;

pub use layout::Layout;
pub use pages::{Addressing, Changes, Full, PageManager, Policy, WhenFull};
pub use places::BindRun;

/// Bytes that blocks are multiples of: the page of GPUs with sparse residency. Devices with smaller ones bind several
/// at once, so that blocks have one shape everywhere and runs one result.
pub const PAGE_BYTES: u64 = 65_536;

/// Marks, in the tables that cells are found by, what lies outside the grid. No block has so high a number.
pub const OUTSIDE: u32 = 1 << 31;

/// The page of a block that has none.
pub const NO_PAGE: u32 = u32::MAX;
