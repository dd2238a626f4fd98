//! The request for a run, and its ending.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crate::gpu::Gpu;
use crate::ir::{CutRequest, Pipeline};
use crate::problem::Problems;
use crate::ranks::Ranks;

use super::options::Options;
use super::probe::{NoProbe, Probe};

/// Returns the pipeline with the values of a step (the first argument) if they differ from those of an earlier step.
pub type ChangeAt<'a> = &'a dyn Fn(u64, Option<u64>) -> Option<Result<Pipeline, Problems>>;

/// The pipeline of a run, its directory and its options.
pub struct RunRequest<'a> {
    pub gpu: &'a Gpu,
    pub pipeline: Pipeline,
    /// Path of the pipeline file, for the manifest.
    pub file: &'a Path,
    pub directory: &'a Path,
    /// Shaders to use instead of the file's, by stage.
    pub swaps: &'a BTreeMap<String, String>,
    /// Start of the program, if this is its first run: the manifest's times count from it.
    pub began: Option<Instant>,
    pub options: Options,
    /// Resumes from the newest checkpoint in the directory.
    pub resume: bool,
    /// Replaces the files of an earlier run in the directory, whatever it was.
    pub force: bool,
    /// Keeps a log of state hashes.
    pub hash: bool,
    /// File for a trace of the run.
    pub trace: Option<&'a Path>,
    /// Values that change between steps.
    pub changes: Option<ChangeAt<'a>>,
    pub probe: Arc<dyn Probe>,
    /// The other processes of the run, if there are several, and how it is cut into parts for them.
    pub ranks: Option<Ranks>,
    pub cut: CutRequest,
    /// Moves parts between frames if the steps of ranks take different times.
    pub balance: bool,
}

impl<'a> RunRequest<'a> {
    /// Requests a run from the start, with default options.
    pub fn new(
        gpu: &'a Gpu,
        pipeline: Pipeline,
        file: &'a Path,
        directory: &'a Path,
        swaps: &'a BTreeMap<String, String>,
    ) -> RunRequest<'a> {
        RunRequest {
            gpu,
            pipeline,
            file,
            directory,
            swaps,
            began: None,
            options: Options::PLAIN,
            resume: false,
            force: false,
            hash: false,
            trace: None,
            changes: None,
            probe: Arc::new(NoProbe),
            ranks: None,
            cut: CutRequest::default(),
            balance: false,
        }
    }

    /// Returns true if this process writes the files of the run: alone, or as rank 0. Other ranks only write parts of outputs.
    pub fn writes(&self) -> bool {
        self.ranks.as_ref().is_none_or(Ranks::is_root)
    }
}

/// The ending of a run without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All frames are complete.
    Done,
    /// The observer ended the run; the frame in flight is complete.
    Interrupted,
}
