//! `<output>.pvd`: the list of an output's files with their times, which ParaView opens as one series.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::formats::collection;
use super::job::frame_name;
use super::{Job, OutputError, write_atomically};

/// Minimum time between two rewrites: rewriting a long list with each frame would cost more than the frame.
const BETWEEN_REWRITES: Duration = Duration::from_secs(1);

/// The list of one output.
pub(super) struct Collection {
    path: PathBuf,
    output: String,
    extension: &'static str,
    frame_seconds: f64,
    frames: BTreeSet<u64>,
    written: Option<Instant>,
}

impl Collection {
    /// The list for the file of a job, with the earlier frames on disk: those of the run that this one continues.
    pub(super) fn of(job: &Job) -> Collection {
        let extension = job.content.format.extension();
        let (start, end) = (format!("{}.", job.output), format!(".{extension}"));
        let number = |name: &str| -> Option<u64> {
            let digits = name.strip_prefix(&start)?.strip_suffix(&end)?;
            digits.parse().ok()
        };
        let names = job
            .path
            .parent()
            .map(fs::read_dir)
            .into_iter()
            .flatten()
            .flatten();
        let numbers = names.filter_map(|entry| number(entry.ok()?.file_name().to_str()?));
        Collection {
            path: job.path.with_file_name(format!("{}.pvd", job.output)),
            output: job.output.clone(),
            extension,
            frame_seconds: job.content.frame_seconds,
            frames: numbers.filter(|frame| *frame < job.frame).collect(),
            written: None,
        }
    }

    /// Adds a complete file. The list on disk is updated soon after.
    pub(super) fn add(&mut self, frame: u64) -> Result<(), OutputError> {
        self.frames.insert(frame);
        match self.written {
            Some(written) if written.elapsed() < BETWEEN_REWRITES => Ok(()),
            _ => self.write(),
        }
    }

    /// Writes the list, unless it is empty.
    pub(super) fn write(&mut self) -> Result<(), OutputError> {
        if self.frames.is_empty() {
            return Ok(());
        }
        let files = self.frames.iter().map(|frame| {
            let name = frame_name(&self.output, *frame, self.extension);
            (name, *frame as f64 * self.frame_seconds)
        });
        let text = collection(&files.collect::<Vec<_>>());
        write_atomically(&self.path, |out| out.write_all(text.as_bytes()))?;
        self.written = Some(Instant::now());
        Ok(())
    }
}
