//! Files that particles come from: meshes, and tables of points with attributes.
//!
//! Everything here may be damaged or hostile: what a header claims is compared with the size of the file before memory is
//! asked for.

pub mod array;
mod bgeo;
mod bytes;
mod columns;
mod numpy;
pub(super) mod obj;
pub(super) mod ply;
mod points;
mod soup;

pub(super) use bytes::whole;
#[cfg(feature = "internals")]
pub use columns::{Column, Kind};
pub use columns::{Layout, POSITION};
pub use points::Points;
pub use soup::Soup;

#[cfg(test)]
mod tests;
