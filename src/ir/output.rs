//! What a run writes, and when it keeps its state.

use super::ids::FieldId;
use crate::output::Content;

/// One kind of file that a run writes.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    pub name: String,
    /// What the file names: a field or a resource.
    pub source: String,
    /// The fields that are downloaded, in the order of the parts of a payload: the columns of the content (channels of
    /// sparse grids as copies laid out whole), then whatever else the content refers to.
    pub fields: Vec<FieldId>,
    pub content: Content,
    /// Every n-th frame is written.
    pub every: u64,
}

/// When a run keeps its state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CheckpointPlan {
    /// After every n-th frame; `None` for only when a signal asks for it.
    pub every: Option<u64>,
    /// The newest so many stay.
    pub keep: usize,
}
