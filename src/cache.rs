//! A directory of checksummed files, bounded in size, that several processes share.
//!
//! It contains only data that can be recomputed. So a file that is damaged, foreign or of another version counts as
//! absent, and a directory that cannot be read or written costs time but does not affect results: no function here
//! fails. The cache does not interpret the contents of files.

mod directory;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

pub use directory::user_directory;

/// Default for the total bytes of the files of a cache.
pub const DEFAULT_LIMIT: u64 = 64 << 20;
/// First bytes of every file. A change of the format changes them.
const MAGIC: &[u8; 16] = b"sastrugi cache 1";
/// Bytes before the contents: the magic bytes and the checksum.
const HEADER_BYTES: usize = MAGIC.len() + blake3::OUT_LEN;
/// Ending of all files: others in the directory are neither counted nor removed.
const ENDING: &str = ".sgcache";
/// Ending of files that are being written.
const PARTIAL_ENDING: &str = ".sgcache-part";
/// A partial file of this age was left by a process that was killed.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A cache, or none. Clones share it; several processes may use one directory at once.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    shared: Option<Arc<Shared>>,
}

#[derive(Debug)]
struct Shared {
    directory: PathBuf,
    limit: u64,
    /// Bytes that may be written before the directory is listed again.
    budget: Mutex<u64>,
}

impl Cache {
    /// Keeps nothing.
    pub fn off() -> Cache {
        Cache::default()
    }

    /// Keeps files in a directory, which is created with the first of them.
    pub fn at(directory: impl Into<PathBuf>) -> Cache {
        Cache::with_limit(directory, DEFAULT_LIMIT)
    }

    /// As [`Cache::at`], with a limit in bytes.
    pub fn with_limit(directory: impl Into<PathBuf>, limit: u64) -> Cache {
        Cache {
            shared: Some(Arc::new(Shared {
                directory: directory.into(),
                limit,
                budget: Mutex::new(0),
            })),
        }
    }

    /// The directory; `None` where nothing is kept.
    pub fn directory(&self) -> Option<&Path> {
        self.shared.as_ref().map(|shared| shared.directory.as_path())
    }

    /// Maximum total size of all files, bytes.
    pub fn limit(&self) -> u64 {
        self.shared.as_ref().map_or(0, |shared| shared.limit)
    }

    /// The contents of the file with this name, if it is complete. Names are letters, digits and dashes.
    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        let shared = self.shared.as_ref()?;
        let path = shared.path(name);
        // A pipe or a device may be endless, and opening one may block.
        let metadata = fs::metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > shared.limit.saturating_add(HEADER_BYTES as u64) {
            return None;
        }
        let mut file = File::open(&path).ok()?;
        let mut bytes = Vec::with_capacity(metadata.len() as usize);
        file.read_to_end(&mut bytes).ok()?;
        let (header, contents) = bytes.split_at_checked(HEADER_BYTES)?;
        if header != self::header(name, contents) {
            return None;
        }
        // The times of last use determine which files are removed to make room; a shared directory may be read-only.
        let _ = file.set_modified(SystemTime::now());
        bytes.drain(..HEADER_BYTES);
        Some(bytes)
    }

    /// Keeps contents under a name, and replaces an older file. A reader sees the old file or the new one.
    pub fn put(&self, name: &str, contents: &[u8]) {
        let Some(shared) = &self.shared else { return };
        let bytes = (HEADER_BYTES + contents.len()) as u64;
        if bytes <= shared.limit && shared.write(name, contents).is_ok() {
            shared.make_room(bytes);
        }
    }
}

/// The checksum covers the name: a file under the name of another counts as foreign.
fn header(name: &str, contents: &[u8]) -> [u8; HEADER_BYTES] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(contents);
    let mut header = [0; HEADER_BYTES];
    header[..MAGIC.len()].copy_from_slice(MAGIC);
    header[MAGIC.len()..].copy_from_slice(hasher.finalize().as_bytes());
    header
}

impl Shared {
    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}{ENDING}"))
    }

    /// Writes a temporary file and renames it. Nothing is flushed to disk: after a power failure, the checksum detects
    /// damage.
    fn write(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        // Process and count distinguish all writers of one name.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let partial = self
            .directory
            .join(format!("{name}.{process}-{count}{PARTIAL_ENDING}"));
        let create = || {
            OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .open(&partial)
        };
        let mut file = match create() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_directory(&self.directory)?;
                create()?
            }
            other => other?,
        };
        let written = file
            .write_all(&header(name, contents))
            .and_then(|()| file.write_all(contents))
            .and_then(|()| fs::rename(&partial, self.path(name)));
        if written.is_err() {
            let _ = fs::remove_file(&partial);
        }
        written
    }

    /// Counts the bytes written, and removes the least recently used files if there are too many bytes.
    ///
    /// The directory is listed at the first file of a process and again after every sixteenth of the limit, so other
    /// processes can exceed the limit by no more than that each.
    fn make_room(&self, written: u64) {
        let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rest) = budget.checked_sub(written) {
            *budget = rest;
            return;
        }
        let Ok(mut files) = self.files() else { return };
        let mut held: u64 = files.iter().map(|file| file.bytes).sum();
        if held > self.limit {
            // Removes more than needed, so that not every later file has to make room.
            let wanted = self.limit - self.limit / 8;
            files.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
            for file in files {
                if held <= wanted {
                    break;
                }
                if fs::remove_file(&file.path).is_ok() {
                    held -= file.bytes;
                }
            }
        }
        *budget = self.limit.saturating_sub(held).min(self.limit / 16);
    }

    /// The files of the cache; removes partial files of killed processes.
    fn files(&self) -> io::Result<Vec<Kept>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // Another process may have removed the file; this is not an error.
            let Ok(metadata) = entry.metadata() else { continue };
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if name.ends_with(PARTIAL_ENDING) && metadata.is_file() {
                if used.elapsed().is_ok_and(|age| age > ABANDONED) {
                    let _ = fs::remove_file(entry.path());
                }
            } else if name.ends_with(ENDING) && metadata.is_file() {
                files.push(Kept {
                    path: entry.path(),
                    bytes: metadata.len(),
                    used,
                });
            }
        }
        Ok(files)
    }
}

/// One file of the cache.
struct Kept {
    path: PathBuf,
    bytes: u64,
    /// When it was last read or written.
    used: SystemTime,
}

/// Creates a directory that only its user can access, because the contents are passed to drivers.
fn make_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests;
