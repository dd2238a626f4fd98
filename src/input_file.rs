//! Bytes of files that a user names.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Opens a regular file and returns its size. A device or a pipe may be endless, or block on opening.
pub fn open(path: &Path) -> Result<(File, u64), String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".into());
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    Ok((file, metadata.len()))
}

/// The contents of a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let (file, size) = open(path)?;
    if size > limit {
        return Err(format!("it has {size} bytes, more than the limit of {limit}"));
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// The contents of a regular file of text of at most `limit` bytes.
pub fn read_text(path: &Path, limit: u64) -> Result<String, String> {
    String::from_utf8(read(path, limit)?).map_err(|_| "it is not UTF-8 text".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_up_to_the_limit_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert!(read(&path, 4).unwrap_err().contains("the limit of 4"));
        assert!(
            read(directory.path(), 5)
                .unwrap_err()
                .contains("not a regular file")
        );
        #[cfg(unix)]
        assert!(
            read(Path::new("/dev/zero"), 5)
                .unwrap_err()
                .contains("not a regular file")
        );
        std::fs::write(&path, [0xff]).unwrap();
        assert!(read_text(&path, 5).unwrap_err().contains("UTF-8"));
    }
}
