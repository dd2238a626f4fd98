//! Sparse grids without a device: where cells lie, which blocks are active, which memory they hold.

pub mod layout;
pub mod morton;

pub use layout::Layout;
