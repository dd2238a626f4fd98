//! The reference of pipeline files is what the library reads.

#[path = "../common/markdown.rs"]
pub(super) mod markdown;
mod reference;
