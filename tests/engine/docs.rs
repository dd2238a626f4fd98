//! The reference of pipeline files is what the library reads.

mod calls;
#[path = "../common/markdown.rs"]
pub(super) mod markdown;
mod reference;
