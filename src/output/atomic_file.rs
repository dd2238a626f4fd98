//! Files that are complete or absent, even if writing them fails.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::OutputError;

/// Size and hash of a written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileDigest {
    pub bytes: u64,
    /// `None` if several processes wrote it.
    pub blake3: Option<blake3::Hash>,
}

/// Writes `path` so that a partial file never has its name: writes a hidden file beside it, flushes it to disk, and
/// renames it. The directory is flushed last, so that the name survives a power failure. On an error or a panic in
/// `fill`, the hidden file is removed, and an older file with the name is unchanged. A process that is killed can leave
/// only the hidden file (`.<name>.<process>-<count>.part`).
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<FileDigest, OutputError> {
    let (mut part, file) = PartFile::create(path)?;
    let mut out = Counted {
        out: BufWriter::with_capacity(1 << 16, file),
        bytes: 0,
        hash: blake3::Hasher::new(),
    };
    fill(&mut out).map_err(|e| OutputError::io("write", path, e))?;
    let Counted { out, bytes, hash } = out;
    let file = out
        .into_inner()
        .map_err(|e| OutputError::io("write", path, e.into_error()))?;
    file.sync_all().map_err(|e| OutputError::io("write", path, e))?;
    drop(file);
    part.rename_to(path)?;
    Ok(FileDigest {
        bytes,
        blake3: Some(hash.finalize()),
    })
}

/// The path of a hidden file beside its target. The stamp is the number of a process and another number, and
/// distinguishes runs and threads that write equal names.
pub fn hidden(target: &Path, stamp: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{stamp}.part"))
}

/// The hidden file; removed when dropped unless it got its final name.
pub(super) struct PartFile {
    path: PathBuf,
    renamed: bool,
}

impl PartFile {
    pub(super) fn create(target: &Path) -> Result<(PartFile, File), OutputError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if target.file_name().is_none() {
            let error = io::ErrorKind::InvalidInput.into();
            return Err(OutputError::io("create", target, error));
        }
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let stamp = format!("{}-{count}", std::process::id());
            match PartFile::open(hidden(target, &stamp)) {
                Ok(created) => return Ok(created),
                // A killed process with this number left the file: use the next count.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(OutputError::io("create", target, e)),
            }
        }
    }

    /// Creates a hidden file with this path.
    pub(super) fn open(path: PathBuf) -> io::Result<(PartFile, File)> {
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok((PartFile { path, renamed: false }, file))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn rename_to(&mut self, target: &Path) -> Result<(), OutputError> {
        fs::rename(&self.path, target).map_err(|e| OutputError::io("rename", target, e))?;
        self.renamed = true;
        sync_directory(target).map_err(|e| OutputError::io("flush the directory of", target, e))
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.renamed {
            // The first error is reported, not a failure to remove the hidden file.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn sync_directory(file: &Path) -> io::Result<()> {
    let directory = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match File::open(directory)?.sync_all() {
        // Some network and user-space file systems cannot flush directories; they order renames themselves.
        Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        other => other,
    }
}

#[cfg(not(unix))]
fn sync_directory(_file: &Path) -> io::Result<()> {
    Ok(())
}

/// Bytes from which a hash by several threads takes less time.
const MANY_BYTES: usize = 1 << 18;

/// Adds bytes to a hash, by several threads if they are many.
pub fn add_to_hash(hash: &mut blake3::Hasher, bytes: &[u8]) {
    if bytes.len() < MANY_BYTES {
        hash.update(bytes);
    } else {
        hash.update_rayon(bytes);
    }
}

/// Counts and hashes all bytes.
struct Counted {
    out: BufWriter<File>,
    bytes: u64,
    hash: blake3::Hasher,
}

impl Write for Counted {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.out.write(data)?;
        self.bytes += written as u64;
        add_to_hash(&mut self.hash, &data[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
