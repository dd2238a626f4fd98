//! Checkpoints: files from which a run resumes, with the same bits as if it had never stopped.
//!
//! They are in `checkpoints/` of the output directory, named by their frame. A checkpoint gets its name only when all
//! frames up to its own are on disk, so that a resumed run leaves no gap.

mod file;
mod identity;
mod paths;
mod pieces;
mod resume;
mod single;
mod validity;
mod writer;

#[cfg(feature = "internals")]
pub use file::Checkpoint;
pub use file::{CheckpointDescription, OutputCount};
pub use identity::RunIdentity;
pub(super) use paths::path;
pub use resume::{Resumed, newest, of_frame};
pub use single::{restore, save};
pub use writer::CheckpointWriter;

use std::path::{Path, PathBuf};

/// The frame of the newest checkpoint of a run.
pub fn newest_frame(output: &Path) -> Option<u64> {
    paths::list(output).first().map(|(frame, _)| *frame)
}

/// The files of a run's checkpoints.
pub fn paths(output: &Path) -> Vec<PathBuf> {
    paths::list(output).into_iter().map(|(_, path)| path).collect()
}
