//! Sparse grids without a device: where cells lie, which blocks are active, which memory they hold.

pub(crate) mod header;
pub(crate) mod layout;
pub(crate) mod morton;
pub(crate) mod pages;
mod places;
pub(crate) mod slots;

pub(crate) use layout::Layout;
pub(crate) use pages::{Addressing, CHUNK_BYTES, Changes, PageManager, Policy, WhenFull};
pub(crate) use places::BindRun;

/// Bytes that blocks are multiples of: the page of GPUs with sparse residency. Devices with smaller ones bind several
/// at once, so that blocks have one shape everywhere and runs one result.
pub(crate) const PAGE_BYTES: u64 = 65_536;

/// Marks, in the tables that cells are found by, what lies outside the grid. No block has so high a number.
pub(crate) const OUTSIDE: u32 = 1 << 31;

/// The page of a block that has none.
pub(crate) const NO_PAGE: u32 = u32::MAX;
