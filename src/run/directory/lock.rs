//! The lock of an output directory: one run at a time writes to it.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::run::error::RunError;

/// The lock file, which a run holds while it writes to its directory.
const FILE_NAME: &str = ".sastrugi.lock";
/// Bytes that the lock file occupies, so that a run that fails on a full disk can still write its manifest.
const RESERVE: usize = 1 << 18;

/// A directory that no other run writes to until this is dropped.
pub struct DirectoryLock {
    lock: Option<LockFile>,
}

struct LockFile {
    file: File,
    path: PathBuf,
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Removed while it is still locked: a run that has opened it in the meantime notices that the path is gone.
        let _ = fs::remove_file(&self.path);
    }
}

impl DirectoryLock {
    /// Creates the directory if it is missing, and locks it. On file systems without locks, the directory stays unlocked.
    pub fn take(directory: &Path) -> Result<DirectoryLock, RunError> {
        let name = directory.display();
        fs::create_dir_all(directory).map_err(|error| {
            RunError::Failed(format!(
                "cannot create the output directory {name}: {error}\n  help: choose another with --out"
            ))
        })?;
        let path = directory.join(FILE_NAME);
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
                    // On a full disk the run reports its own error, not that of the reserve.
                    let _ = (&file).write_all(&[0; RESERVE]);
                    return Ok(DirectoryLock {
                        lock: Some(LockFile { file, path }),
                    });
                }
                // The run that held the lock has removed the file in the meantime.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(RunError::Failed(format!(
                        "another run is writing to {name}\n  help: wait until it has ended, or choose another directory \
                         with --out"
                    )));
                }
                Err(TryLockError::Error(_)) => return Ok(DirectoryLock { lock: None }),
            }
        }
    }
}

impl DirectoryLock {
    /// Frees the space that the lock file occupies, for the last files of the run.
    pub fn free_reserve(&self) {
        if let Some(lock) = &self.lock {
            let _ = lock.file.set_len(0);
        }
    }
}

/// Returns true if a path still leads to an open file.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let lock = DirectoryLock::take(directory.path()).unwrap();
        let refused = DirectoryLock::take(directory.path()).err().unwrap().to_string();
        assert!(refused.contains("another run is writing to"), "{refused}");
        let bytes = || fs::metadata(directory.path().join(FILE_NAME)).unwrap().len();
        assert_eq!(bytes(), RESERVE as u64);
        lock.free_reserve();
        assert_eq!(bytes(), 0);
        drop(lock);
        assert!(!directory.path().join(FILE_NAME).exists());
        DirectoryLock::take(directory.path()).unwrap();
    }
}
