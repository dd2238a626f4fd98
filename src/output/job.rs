//! One frame of one output for the writers: a name, a path, a description of its content, and its bytes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::payload::Payload;
use super::{Content, OutputError, unfit};

/// One frame of one output, ready to be written.
pub struct Job {
    /// Name of the output.
    pub output: String,
    pub frame: u64,
    /// Path of the frame: [`frame_path`] of a directory, this output and this frame. For frames of films, the path of a
    /// film that starts with this frame.
    pub path: PathBuf,
    pub content: Arc<Content>,
    pub payload: Box<dyn Payload>,
}

impl Job {
    /// The path of its output, without frame and extension. Outputs in two directories may have the same name.
    pub(super) fn series(&self) -> PathBuf {
        self.path.with_file_name(&self.output)
    }

    /// Refuses jobs that no writer thread can do, before they are queued.
    pub(super) fn check(&self) -> Result<(), OutputError> {
        check_name(&self.output)?;
        let wanted = frame_name(&self.output, self.frame, self.content.format.extension());
        if self.path.file_name() != Some(wanted.as_ref()) {
            return Err(OutputError::FileName {
                path: self.path.clone(),
                wanted,
            });
        }
        match unfit(&self.content) {
            Some(reason) => Err(self.unfit(reason)),
            None => Ok(()),
        }
    }

    /// The same job with no numbers.
    pub(super) fn without_payload(&self) -> Job {
        Job {
            output: self.output.clone(),
            frame: self.frame,
            path: self.path.clone(),
            content: Arc::clone(&self.content),
            payload: Box::new(Vec::<u8>::new()),
        }
    }

    /// Refuses payloads with a wrong size.
    pub(super) fn check_payload(&self) -> Result<(), OutputError> {
        self.check_parts(&self.content)
    }

    /// Refuses a payload that has not the bytes of a content.
    pub(super) fn check_parts(&self, content: &Content) -> Result<(), OutputError> {
        for (number, wanted) in content.part_bytes().into_iter().enumerate() {
            let held = self.payload.part(number).len();
            if wanted != Some(held as u64) {
                let wanted = wanted.map_or("more than 2^64".to_owned(), |bytes| bytes.to_string());
                return Err(self.unfit(format!("it requires {wanted} bytes, but {held} were passed")));
            }
        }
        Ok(())
    }

    pub(super) fn unfit(&self, reason: impl Into<String>) -> OutputError {
        let columns = self.content.columns.iter();
        let types: Vec<String> = columns
            .map(|column| format!("{} x {:?}", column.components, column.scalar))
            .collect();
        OutputError::Unfit {
            output: self.output.clone(),
            frame: self.frame,
            format: self.content.format.name(),
            shape: self.content.shape.clone(),
            element: types.join(" and "),
            reason: reason.into(),
        }
    }
}

/// Largest length of an output's name. File systems allow 255 bytes, of which the number of the frame, the extension and the
/// name of the hidden part file take some.
pub const MAX_NAME_BYTES: usize = 180;

/// Refuses output names that could leave the output directory or need quoting in a shell.
pub fn check_name(name: &str) -> Result<(), OutputError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.chars().all(allowed) {
        return Err(OutputError::Name {
            name: name.to_owned(),
        });
    }
    Ok(())
}

pub(super) fn frame_name(output: &str, frame: u64, extension: &str) -> String {
    format!("{output}.{frame:04}.{extension}")
}

/// Path of a frame: `<output>.<frame, at least 4 digits>.<extension>` in `directory`.
pub fn frame_path(directory: &Path, output: &str, frame: u64, extension: &str) -> PathBuf {
    directory.join(frame_name(output, frame, extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_numbers_have_at_least_four_digits() {
        let path = |frame| frame_path(Path::new("out"), "view", frame, "png");
        assert_eq!(path(0), Path::new("out/view.0000.png"));
        assert_eq!(path(1), Path::new("out/view.0001.png"));
        assert_eq!(path(9999), Path::new("out/view.9999.png"));
        assert_eq!(path(10_000), Path::new("out/view.10000.png"));
        assert_eq!(path(u64::MAX), Path::new("out/view.18446744073709551615.png"));
    }
}
