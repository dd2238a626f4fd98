//! The output directory of a run: which files a new run may replace, and the files of earlier runs.

mod lock;
mod names;

use std::fs;
use std::path::{Path, PathBuf};

use crate::ir::{Output, Pipeline};
use crate::output::manifest::{Manifest, Status};
use crate::problem::Problem;

use super::checkpoint::{self, CheckpointDescription};
use super::error::RunError;
use super::observer::{Event, Observer};
use super::report::hash_of;
use super::request::RunRequest;
use super::world_directories::{directory_of, is_of_world};

pub(super) use lock::DirectoryLock;
pub use names::check_names;
use names::{is_fixed, is_of_output};

/// Refuses a directory whose files a new run should not replace without `force`: files of another pipeline (another title
/// and another file name), and runs with checkpoints, which may have taken long.
pub fn check(directory: &Path, file: &Path, title: &str, force: bool) -> Result<(), RunError> {
    if force || !directory.join(Manifest::FILE_NAME).exists() {
        return Ok(());
    }
    let name = directory.display();
    let (message, help) = match (Manifest::read(directory), checkpoint::newest_frame(directory)) {
        (None, _) => (
            format!("{name} has a {} that is not of this version", Manifest::FILE_NAME),
            String::new(),
        ),
        (Some(earlier), _) if earlier.pipeline.title != title && !is_called(file, &earlier.pipeline.file) => {
            (
                format!(
                    "{name} holds a run of another pipeline: {}",
                    earlier.pipeline.title
                ),
                String::new(),
            )
        }
        (Some(_), Some(frame)) => (
            format!("{name} holds a run with checkpoints, the newest at frame {frame}"),
            format!("continue that run with --resume {name}, or its batch with --continue, "),
        ),
        (Some(_), None) => return Ok(()),
    };
    let help = format!("{help}choose another directory with --out, or replace its files with --force");
    let problem = Problem::without_place(message).help(help);
    Err(RunError::Input(problem.into()))
}

/// The state of an earlier run of a pipeline in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// All its frames, of the same file with the same overrides.
    Done,
    /// A checkpoint. Whether it belongs to the pipeline, the run finds out when it resumes.
    Checkpoint,
    /// Nothing to build on.
    Nothing,
}

impl Earlier {
    pub(crate) fn of(directory: &Path, pipeline: &Pipeline) -> Earlier {
        let is_done = |manifest: &Manifest| {
            manifest.state == Status::Done && manifest.pipeline.blake3 == hash_of(pipeline)
        };
        if Manifest::read(directory).as_ref().is_some_and(is_done) {
            Earlier::Done
        } else if checkpoint::newest_frame(directory).is_some() {
            Earlier::Checkpoint
        } else {
            Earlier::Nothing
        }
    }
}

fn is_called(file: &Path, name: &str) -> bool {
    file.file_name().is_some_and(|own| own == name)
}

/// Removes the files that the manifest of an earlier run lists, and its checkpoints. Other files stay.
pub(super) fn clear(directory: &Path, observer: &mut dyn Observer) -> Result<(), RunError> {
    let Some(earlier) = Manifest::read(directory) else {
        return Ok(());
    };
    let outputs = earlier.outputs.iter();
    let of_output = |name: &str| {
        outputs
            .clone()
            .any(|(output, files)| is_of_output(name, output, &files.format))
    };
    let own = |name: &String| is_fixed(name) || of_output(name);
    let checkpoints = checkpoint::paths(directory);
    let worlds = names_in(directory).filter(|name| is_of_world(name));
    let mut files: Vec<PathBuf> = checkpoints;
    for part in worlds
        .map(|name| directory.join(name))
        .chain([directory.to_path_buf()])
    {
        files.extend(names_in(&part).filter(own).map(|name| part.join(name)));
    }
    if !files.is_empty() {
        let (count, name) = (files.len(), directory.display());
        observer.event(Event::Note(&format!(
            "removing {count} files of the earlier run in {name}"
        )));
    }
    for path in files {
        fs::remove_file(&path).map_err(|error| {
            RunError::Failed(format!(
                "cannot remove {} of an earlier run: {error}\n  help: choose another directory with --out",
                path.display()
            ))
        })?;
    }
    Ok(())
}

fn names_in(directory: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok())
}

/// Warnings about frames of earlier parts of a run that were moved or damaged since, one for each output.
pub(super) fn missing_frames(run: &RunRequest, description: &CheckpointDescription) -> Vec<String> {
    let directories =
        (0..run.pipeline.worlds()).map(|world| directory_of(&run.pipeline, run.directory, world));
    let entries: Vec<(String, u64)> = directories
        .filter_map(|directory| fs::read_dir(directory).ok())
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some((
                entry.file_name().into_string().ok()?,
                entry.metadata().ok()?.len(),
            ))
        })
        .collect();
    let of_output = |output: &Output| {
        let counted = description.outputs.get(&output.name)?;
        let format = output.content.format.extension();
        let frame = |name: &str| -> Option<u64> {
            let frame = name.strip_prefix(output.name.as_str())?.strip_prefix('.')?;
            frame.strip_suffix(format)?.strip_suffix('.')?.parse().ok()
        };
        let name = &output.name;
        if output.content.format.descriptor().grows() {
            // It may have later frames, which the next one removes.
            let of_output = entries
                .iter()
                .filter(|(file, _)| *file == format!("{name}.{format}"));
            let is_less = of_output.map(|(_, length)| *length).sum::<u64>() < counted.bytes;
            return is_less.then(|| {
                format!(
                    "{name}.{format} is gone or shorter than it was: it lacks frames up to frame {}",
                    description.frames
                )
            });
        }
        let own = entries
            .iter()
            .filter(|(name, _)| frame(name).is_some_and(|frame| frame <= description.frames));
        let (files, bytes) = own.fold((0, 0), |(files, bytes), (_, length)| (files + 1, bytes + length));
        match (files == counted.files, bytes == counted.bytes) {
            (true, true) => None,
            (true, false) => Some(format!(
                "the {files} files of output `{name}` up to frame {} have {bytes} bytes, and had {} when they were written",
                description.frames, counted.bytes
            )),
            (false, _) => Some(format!(
                "{files} of the {} files of output `{name}` up to frame {} are there",
                counted.files, description.frames
            )),
        }
    };
    run.pipeline.outputs.iter().filter_map(of_output).collect()
}
