//! Files that particles come from: meshes, and tables of points with attributes.
//!
//! Files may be damaged or hostile: sizes in headers are checked against the size of the file before any allocation.

pub mod array;
mod bgeo;
mod bytes;
mod columns;
mod numpy;
pub(super) mod obj;
pub(super) mod ply;
mod ply_attributes;
mod points;
mod soup;
pub(super) mod stl;

pub(super) use bytes::whole;
#[cfg(feature = "internals")]
pub use columns::{Column, NumberType};
pub use columns::{Layout, POSITION};
pub use points::Points;
pub use soup::Soup;

#[cfg(test)]
mod tests;
