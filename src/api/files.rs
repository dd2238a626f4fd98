//! Files that a program writes beside those of runs.

use std::path::Path;

use crate::output::write_atomically;

use super::error::Error;

/// Writes a file so that its name never belongs to a part of it: the content goes into a hidden file beside it, which is
/// then renamed. An error leaves an earlier file of that name as it is.
pub fn write_file(path: impl AsRef<Path>, content: &[u8]) -> Result<(), Error> {
    let written = write_atomically(path.as_ref(), |out| out.write_all(content));
    written.map(drop).map_err(Error::of_output)
}
