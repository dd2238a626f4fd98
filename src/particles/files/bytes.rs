//! The bytes of regular files, up to a size.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::input_file;

/// Maximum size of a file, bytes.
pub(super) const MAX_FILE_BYTES: u64 = 16 << 30;

/// A regular file and its size.
pub(super) fn open(path: &Path) -> Result<(File, u64), String> {
    let (file, size) = input_file::open(path)?;
    if size > MAX_FILE_BYTES {
        return Err("it is larger than 16 GiB".into());
    }
    Ok((file, size))
}

/// The first bytes of a file, and its size.
pub(super) fn start(path: &Path, bytes: u64) -> Result<(Vec<u8>, u64), String> {
    let (file, length) = open(path)?;
    let mut start = Vec::new();
    file.take(bytes)
        .read_to_end(&mut start)
        .map_err(|error| error.to_string())?;
    Ok((start, length))
}

/// All of a file.
pub(in crate::particles) fn whole(path: &Path) -> Result<Vec<u8>, String> {
    Ok(start(path, MAX_FILE_BYTES)?.0)
}
