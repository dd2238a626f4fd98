//! `<output>.pvd` or `<output>.usda`: the list of an output's files with their times, which a program opens as one
//! series; and `scene.usda`, which has all outputs of a run with a list of the second kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::formats::{Series, SeriesFile, SeriesFiles, scene, scene_outputs};
use super::job::frame_name;
use super::{Content, Job, OutputError, SCENE, write_atomically};

/// Minimum time between two rewrites: rewriting a long list with each frame would cost more than the frame.
const BETWEEN_REWRITES: Duration = Duration::from_secs(1);

/// The list of one output.
pub(super) struct Collection {
    series: Series,
    path: PathBuf,
    output: String,
    content: Arc<Content>,
    frames: BTreeSet<u64>,
    written: Option<Instant>,
}

impl Collection {
    /// The list for the file of a job, with the earlier frames on disk: those of the run that this one continues.
    pub(super) fn of(job: &Job, series: Series) -> Collection {
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
            series,
            path: job
                .path
                .with_file_name(format!("{}.{}", job.output, series.extension)),
            output: job.output.clone(),
            content: Arc::clone(&job.content),
            frames: numbers.filter(|frame| *frame < job.frame).collect(),
            written: None,
        }
    }

    /// Adds a complete file. The list on disk is updated soon after; true if it is now.
    pub(super) fn add(&mut self, frame: u64) -> Result<bool, OutputError> {
        self.frames.insert(frame);
        match self.written {
            Some(written) if written.elapsed() < BETWEEN_REWRITES => Ok(false),
            _ => self.write().map(|()| true),
        }
    }

    /// Writes the list, unless it is empty.
    pub(super) fn write(&mut self) -> Result<(), OutputError> {
        if self.frames.is_empty() {
            return Ok(());
        }
        let extension = self.content.format.extension();
        let file = |frame: u64| SeriesFile {
            frame,
            name: frame_name(&self.output, frame, extension),
        };
        let text = (self.series.text)(&SeriesFiles {
            output: &self.output,
            content: &self.content,
            files: self.frames.iter().copied().map(file).collect(),
        });
        write_atomically(&self.path, |out| out.write_all(text.as_bytes()))?;
        self.written = Some(Instant::now());
        Ok(())
    }
}

/// Writes the scenes of all directories with lists of USD.
pub(super) fn write_scenes<'a>(lists: impl Iterator<Item = &'a Collection>) -> Result<(), OutputError> {
    let mut scenes: BTreeMap<&Path, Vec<&Collection>> = BTreeMap::new();
    for list in lists.filter(|list| SCENE.ends_with(list.series.extension)) {
        if let (Some(directory), false) = (list.path.parent(), list.frames.is_empty()) {
            scenes.entry(directory).or_default().push(list);
        }
    }
    for (directory, lists) in scenes {
        let path = directory.join(SCENE);
        // A run that continues another may not write all of its outputs again.
        let earlier = fs::read_to_string(&path).unwrap_or_default();
        let mut outputs: BTreeSet<&str> = scene_outputs(&earlier).collect();
        outputs.extend(lists.iter().map(|list| list.output.as_str()));
        let frames = || {
            lists
                .iter()
                .flat_map(|list| list.frames.first().into_iter().chain(list.frames.last()))
        };
        let ends = [frames().min(), frames().max()].map(|frame| frame.copied().unwrap_or(0));
        let text = scene(outputs, ends, lists[0].content.frame_seconds);
        write_atomically(&path, |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}
