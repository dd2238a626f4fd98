//! What a run writes, and when it keeps its state.

use super::ids::FieldId;
use crate::output::Content;

/// One kind of file that a run writes.
#[derive(Debug, Clone)]
pub struct Output {
    pub name: String,
    /// What the file names: a field or a resource.
    pub source: String,
    /// The fields to download, in the order of the parts of a payload: the columns of the content (for channels of
    /// sparse grids, their unpacked copies), then other fields that the content refers to.
    pub fields: Vec<FieldId>,
    pub content: Content,
    /// Every n-th frame is written.
    pub every: u64,
}

/// When a run keeps its state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckpointPlan {
    /// Write a checkpoint after every n-th frame; `None`: only when a signal requests one.
    pub every: Option<u64>,
    /// The newest so many stay.
    pub keep: usize,
}
