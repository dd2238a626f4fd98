//! Errors of output, each with its remedy.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The failure to write a frame or the manifest. Cheap to clone: every call after the first error returns it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum OutputError {
    #[error(
        "output name `{name}` is refused: use letters, digits, `_` and `-` only, so that its files stay in \
             the output directory"
    )]
    Name { name: String },

    #[error("{} is not the name of this frame: it must be called {wanted}", path.display())]
    FileName { path: PathBuf, wanted: String },

    #[error(
        "output `{output}`, frame {frame}: an array of shape {shape:?} with {element} per element cannot be \
         written as {format}: {reason}"
    )]
    Unfit {
        output: String,
        frame: u64,
        format: &'static str,
        shape: Vec<u64>,
        /// Number of components and scalar type of every column.
        element: String,
        reason: String,
    },

    #[error("output `{output}`: {cause}; {remedy}")]
    Film {
        output: String,
        cause: String,
        remedy: &'static str,
    },

    #[error("cannot {action} {}: {source}; {}", path.display(), remedy(source))]
    Io {
        /// The failed operation as a verb: "write", "rename".
        action: &'static str,
        path: PathBuf,
        source: Arc<io::Error>,
    },

    #[error(
        "cannot open the hidden file of {} that rank 0 made: choose a directory with --out that all ranks see under the \
             same path",
        path.display()
    )]
    Unseen { path: PathBuf },

    #[error("{} is not complete, because other ranks ended before they wrote their parts", path.display())]
    Incomplete { path: PathBuf },

    #[error("cannot continue {}: {cause}; move it away to start a new file", path.display())]
    Log { path: PathBuf, cause: &'static str },

    #[error(
        "output `{output}`, frame {frame}: its writer thread panicked ({message}); the file was not \
             written. This is a defect of the program: please report it"
    )]
    Panicked {
        output: String,
        frame: u64,
        message: String,
    },

    #[error(
        "cannot start writer thread {index}: {source}; run with fewer threads or raise the limit on \
             processes (ulimit -u)"
    )]
    Thread { index: usize, source: Arc<io::Error> },

    #[error("output `{output}`, frame {frame} came after the writers were told to finish")]
    Finished { output: String, frame: u64 },
}

impl OutputError {
    pub fn io(action: &'static str, path: &Path, source: io::Error) -> OutputError {
        OutputError::Io {
            action,
            path: path.to_owned(),
            source: Arc::new(source),
        }
    }
}

/// Remedy for an error of the file system.
fn remedy(error: &io::Error) -> &'static str {
    use io::ErrorKind::*;
    match error.kind() {
        StorageFull | QuotaExceeded => {
            "the disk or the quota is full: free some space, write fewer or smaller outputs (`every`), or choose \
             another directory with --out"
        }
        PermissionDenied | ReadOnlyFilesystem => {
            "no permission to write there: change the permissions of the directory, or choose another with \
             --out"
        }
        NotFound => {
            "its directory was removed or unmounted during the run; keep it, or choose another with --out"
        }
        NotADirectory => "part of this path is a file: choose another directory with --out",
        IsADirectory => "a directory has the name of this file: remove it or choose another with --out",
        InvalidData => "choose another format such as npz, vti or vtp, a `scale`, or no `precision`",
        // An error of the system has no text of its own.
        InvalidInput if error.get_ref().is_some() => {
            "change the pipeline: docs/outputs.md says what an output needs"
        }
        FileTooLarge => "the file system or `ulimit -f` does not allow a file of this size",
        _ => "check the disk, or choose another directory with --out",
    }
}
