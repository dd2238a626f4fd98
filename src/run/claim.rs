//! The directory of a run: one run at a time writes to it, and files of an earlier run do not stay among the new ones.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::ir::{Output, Pipeline};
use crate::output::manifest::Manifest;
use crate::problem::Problem;

use super::checkpoint::{self, Header};
use super::error::RunError;
use super::task::Run;
use super::{hashes, resolved};

/// Held while a run writes to its directory.
const LOCK: &str = ".sastrugi.lock";

/// A directory that no other run writes to until this is dropped.
pub(super) struct Claim {
    _lock: Option<Lock>,
}

struct Lock {
    _file: File,
    path: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is still locked: whoever opened it before finds that it has lost its name.
        let _ = fs::remove_file(&self.path);
    }
}

impl Claim {
    /// Makes the directory if it is missing, and locks it. File systems without locks are used unlocked.
    pub(super) fn take(directory: &Path) -> Result<Claim, RunError> {
        let name = directory.display();
        fs::create_dir_all(directory).map_err(|error| {
            RunError::Failed(format!(
                "cannot create the output directory {name}: {error}\n  help: choose another with --out"
            ))
        })?;
        let path = directory.join(LOCK);
        loop {
            let created = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path);
            let file = created.map_err(|error| {
                RunError::Failed(format!(
                    "cannot write to the output directory {name}: {error}\n  help: choose another with --out"
                ))
            })?;
            match file.try_lock() {
                Ok(()) if has_name(&file, &path) => {
                    return Ok(Claim {
                        _lock: Some(Lock { _file: file, path }),
                    });
                }
                // The run that held it has removed it since.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(RunError::Failed(format!(
                        "another run is writing to {name}\n  help: wait until it has ended, or choose another directory \
                         with --out"
                    )));
                }
                Err(TryLockError::Error(_)) => return Ok(Claim { _lock: None }),
            }
        }
    }
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn has_name(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn has_name(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Refuses a directory whose files a new run should not replace without being told to: those of another pipeline (another
/// title and another file name), and runs with checkpoints, which may have taken long. `force` is being told to.
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
            format!("continue that run with --resume {name}, "),
        ),
        (Some(_), None) => return Ok(()),
    };
    let help = format!("{help}choose another directory with --out, or replace its files with --force");
    let problem = Problem::without_place(message).help(help);
    Err(RunError::Input(problem.into()))
}

fn is_called(file: &Path, name: &str) -> bool {
    file.file_name().is_some_and(|own| own == name)
}

/// Removes the files that the manifest of an earlier run lists, and its checkpoints. Other files stay.
pub(super) fn clear(directory: &Path) -> Result<(), RunError> {
    let Some(earlier) = Manifest::read(directory) else {
        return Ok(());
    };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let outputs = earlier.outputs.iter();
    let of_output = |name: &str| {
        outputs
            .clone()
            .any(|(output, files)| is_of_output(name, output, &files.format))
    };
    let own = |name: &String| is_fixed(name) || of_output(name);
    let checkpoints = checkpoint::paths(directory);
    let files = names.filter(own).map(|name| directory.join(name));
    for path in files.chain(checkpoints) {
        fs::remove_file(&path).map_err(|error| {
            RunError::Failed(format!(
                "cannot remove {} of an earlier run: {error}\n  help: choose another directory with --out",
                path.display()
            ))
        })?;
    }
    Ok(())
}

/// What is wrong with the frames that earlier parts of a run have written: some may have been moved or damaged since. One
/// text for each output.
pub(super) fn missing_frames(run: &Run, header: &Header) -> Vec<String> {
    let entries: Vec<(String, u64)> = fs::read_dir(run.directory)
        .into_iter()
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
        let counted = header.outputs.get(&output.name)?;
        let format = output.content.format.extension();
        let frame = |name: &str| -> Option<u64> {
            let frame = name.strip_prefix(output.name.as_str())?.strip_prefix('.')?;
            frame.strip_suffix(format)?.strip_suffix('.')?.parse().ok()
        };
        let own = entries
            .iter()
            .filter(|(name, _)| frame(name).is_some_and(|frame| frame <= header.frames));
        let (files, bytes) = own.fold((0, 0), |(files, bytes), (_, length)| (files + 1, bytes + length));
        let name = &output.name;
        match (files == counted.files, bytes == counted.bytes) {
            (true, true) => None,
            (true, false) => Some(format!(
                "the {files} files of output `{name}` up to frame {} have {bytes} bytes, and had {} when they were written",
                header.frames, counted.bytes
            )),
            (false, _) => Some(format!(
                "{files} of the {} files of output `{name}` up to frame {} are there",
                counted.files, header.frames
            )),
        }
    };
    run.pipeline.outputs.iter().filter_map(of_output).collect()
}

/// Refuses names of files that two writers of a run would share, and a trace that cannot be written.
pub fn check_names(
    pipeline: &Pipeline,
    directory: &Path,
    hash: bool,
    trace: Option<&Path>,
) -> Result<(), RunError> {
    let refuse = |message: String, help: &str| {
        let problem = Problem::without_place(message).help(help);
        Err(RunError::Input(problem.into()))
    };
    let is_hashes = |name: String| name == hashes::FILE_NAME;
    let mut series = pipeline.series.iter();
    if hash && series.any(|series| is_hashes(format!("{}.{}", series.name, series.format.extension()))) {
        return refuse(
            format!(
                "--hash writes {}, and so does the series `hashes`",
                hashes::FILE_NAME
            ),
            "give the series another name",
        );
    }
    let Some(trace) = trace else { return Ok(()) };
    let parent = match trace.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let is_same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    };
    let into_own = is_same(parent, directory);
    if !into_own && !parent.is_dir() {
        return refuse(
            format!(
                "--trace {}: there is no directory {}",
                trace.display(),
                parent.display()
            ),
            "create it, or name another file",
        );
    }
    let name = trace
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let of_output = pipeline
        .outputs
        .iter()
        .any(|output| is_of_output(&name, &output.name, output.content.format.extension()));
    let of_series = pipeline
        .series
        .iter()
        .any(|series| is_of_output(&name, &series.name, series.format.extension()));
    if into_own && (is_fixed(&name) || of_output || of_series) {
        return refuse(
            format!("--trace {}: the run itself writes that file", trace.display()),
            "name another file, for example trace.json",
        );
    }
    Ok(())
}

/// Files that a run writes whatever its outputs are called.
fn is_fixed(name: &str) -> bool {
    [Manifest::FILE_NAME, resolved::FILE_NAME, hashes::FILE_NAME].contains(&name)
}

/// Whether a file belongs to an output: `view.0001.png`, `totals.csv`, or the collection `view.pvd`.
fn is_of_output(name: &str, output: &str, format: &str) -> bool {
    let Some(rest) = name.strip_prefix(output).and_then(|rest| rest.strip_prefix('.')) else {
        return false;
    };
    let is_frame = |rest: &str| match rest.split_once('.') {
        Some((frame, end)) => !frame.is_empty() && frame.bytes().all(|b| b.is_ascii_digit()) && end == format,
        None => false,
    };
    rest == format || rest == "pvd" || is_frame(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_is_claimed_by_one_run_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let claim = Claim::take(directory.path()).unwrap();
        let refused = Claim::take(directory.path()).err().unwrap().to_string();
        assert!(refused.contains("another run is writing to"), "{refused}");
        drop(claim);
        assert!(!directory.path().join(LOCK).exists());
        Claim::take(directory.path()).unwrap();
    }

    #[test]
    fn output_file_names_are_recognized() {
        for name in ["view.0001.png", "view.123456.png", "view.png", "view.pvd"] {
            assert!(is_of_output(name, "view", "png"), "{name}");
        }
        for name in [
            "view.0001.npy",
            "view.a.png",
            "view..png",
            "views.0001.png",
            "view.0001.png.bak",
            "view",
        ] {
            assert!(!is_of_output(name, "view", "png"), "{name}");
        }
    }
}
