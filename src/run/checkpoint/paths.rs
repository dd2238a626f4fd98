//! Paths of the checkpoints of a run.

use std::path::{Path, PathBuf};

/// Directory of a run's checkpoints.
pub fn directory(output: &Path) -> PathBuf {
    output.join("checkpoints")
}

const EXTENSION: &str = "checkpoint";

/// The checkpoint of a frame.
pub fn path(output: &Path, frame: u64) -> PathBuf {
    directory(output).join(format!("{frame:04}.{EXTENSION}"))
}

/// The checkpoints of a run by frame, the newest first.
pub(super) fn list(output: &Path) -> Vec<(u64, PathBuf)> {
    let entries = std::fs::read_dir(directory(output)).into_iter().flatten();
    let numbered = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let frame = path.file_stem()?.to_str()?.parse().ok()?;
        (path.extension()? == EXTENSION).then_some((frame, path))
    });
    let mut found: Vec<(u64, PathBuf)> = numbered.collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    found
}
