//! Outputs and checkpoints of a run.

use super::ids::FieldId;
use crate::output::Content;

/// One kind of file that a run writes.
#[derive(Debug, Clone)]
pub struct Output {
    pub name: String,
    /// The field or resource that the file names.
    pub source: String,
    /// The fields to download, in the order of the parts of a payload: the columns of the content (for channels of
    /// sparse grids, their unpacked copies), then other fields that the content refers to.
    pub fields: Vec<FieldId>,
    pub content: Content,
    /// The output writes every n-th frame.
    pub every: u64,
    /// It also writes frame 0, the state before the first step.
    pub initial: bool,
}

impl Output {
    /// Returns true if it writes a frame.
    pub fn is_due(&self, frame: u64) -> bool {
        frame.is_multiple_of(self.every) && (frame > 0 || self.initial)
    }
}

/// The times at which a run writes checkpoints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckpointPlan {
    /// Write a checkpoint after every n-th frame; `None`: only when a signal requests one.
    pub every: Option<u64>,
    /// Number of newest checkpoints to keep.
    pub keep: usize,
}
