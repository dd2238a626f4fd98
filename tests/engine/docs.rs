//! The reference of pipeline files is what the library reads.

#[path = "../common/markdown.rs"]
mod markdown;
mod reference;
