//! HDF5 files that grow: datasets to which rows are added, and a new root for each state of the file.
//!
//! Format: *HDF5 File Format Specification, Version 3.0*, The HDF Group, whose sections the files of this module name.
//! Only parts that readers since HDF5 1.8 have are used: superblock 2, version 2 object headers, compact links and
//! attributes, chunked datasets with version 1 B-trees, shuffle and deflate.
//!
//! Nothing that a state of the file refers to is overwritten. New rows, nodes and headers are added at the end of the file,
//! or into rows of a chunk that no state has yet. Then the file is flushed. Then 48 bytes at its beginning, the superblock,
//! refer to the new root. So the file is complete at every moment, a program that has opened it keeps seeing the state of
//! that moment, and every earlier state can be restored: a root names its predecessor and the length of the file.

mod attribute;
mod bytes;
mod chunks;
mod dataset;
mod disk;
mod file;
mod headers;
mod state;
#[cfg(test)]
mod tests;

pub(super) use attribute::{Attribute, Value};
pub(super) use dataset::Form;
pub(super) use file::{File, Unfit};
pub(super) use headers::{Members, Node};
