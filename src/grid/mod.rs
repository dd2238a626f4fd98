//! Sparse grids without a device: where cells lie, which blocks are active, which memory they hold.

pub mod morton;
