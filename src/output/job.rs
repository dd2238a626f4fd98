//! One frame of one output, as the writers take it: a name, a path, the array's type and its bytes.

use std::path::{Path, PathBuf};

use super::OutputError;

/// The bytes of one frame, usually a staging buffer: dropping it gives the buffer back to its pool.
pub trait Payload: Send {
    /// The array's elements, tightly packed, in the machine's byte order.
    fn bytes(&self) -> &[u8];
}

impl Payload for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// The number type of one component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    F32,
    I32,
    U32,
    U8,
}

impl Scalar {
    pub fn size(self) -> u64 {
        match self {
            Scalar::F32 | Scalar::I32 | Scalar::U32 => 4,
            Scalar::U8 => 1,
        }
    }
}

/// A file format that frames can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// 8-bit RGBA image; takes two-dimensional arrays of four `u8`.
    Png,
    /// NumPy array; takes every array. Components become the last axis when there is more than one.
    Npy,
}

impl Format {
    pub const ALL: [Format; 2] = [Format::Png, Format::Npy];

    /// The format that a pipeline file calls `name`.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.extension() == name)
    }

    /// Both the name in pipeline files and the file name's extension.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Png => "png",
            Format::Npy => "npy",
        }
    }
}

/// What the bytes of a [`Payload`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    pub scalar: Scalar,
    /// Numbers per element: 1 for a float, 3 for a vec3, 4 for an RGBA pixel.
    pub components: u32,
    /// Elements along each axis, the slowest varying first: `[height, width]` for an image.
    pub shape: Vec<u64>,
}

impl Array {
    /// Size in bytes; `None` when it does not fit 64 bits.
    pub fn size(&self) -> Option<u64> {
        let element = self.scalar.size().checked_mul(u64::from(self.components))?;
        self.shape
            .iter()
            .try_fold(element, |size, &length| size.checked_mul(length))
    }
}

/// One frame of one output, ready to be written.
pub struct Job {
    /// Name of the output.
    pub output: String,
    pub frame: u64,
    /// Where the frame goes: [`frame_path`] of some directory, this output and this frame.
    pub path: PathBuf,
    pub format: Format,
    pub array: Array,
    pub payload: Box<dyn Payload>,
}

impl Job {
    /// Refuses what no writer thread could carry out, before it is queued.
    pub(super) fn check(&self) -> Result<(), OutputError> {
        check_name(&self.output)?;
        let wanted = frame_name(&self.output, self.frame, self.format.extension());
        if self.path.file_name() != Some(wanted.as_ref()) {
            return Err(OutputError::FileName {
                path: self.path.clone(),
                wanted,
            });
        }
        if self.array.components == 0 {
            return Err(self.unfit("its elements have no components"));
        }
        if self.format == Format::Png {
            if self.array.scalar != Scalar::U8 || self.array.components != 4 {
                return Err(self.unfit("a PNG holds four 8-bit components per pixel (rgba8); choose npy"));
            }
            let fits = |length: &u64| (1..=i32::MAX as u64).contains(length);
            if self.array.shape.len() != 2 || !self.array.shape.iter().all(fits) {
                return Err(self.unfit("a PNG needs a height and a width of 1 to 2147483647; choose npy"));
            }
        }
        Ok(())
    }

    pub(super) fn unfit(&self, reason: impl Into<String>) -> OutputError {
        OutputError::Unfit {
            output: self.output.clone(),
            frame: self.frame,
            format: self.format.extension(),
            array: self.array.clone(),
            reason: reason.into(),
        }
    }
}

/// Refuses output names that could leave the output directory or need quoting in a shell.
pub fn check_name(name: &str) -> Result<(), OutputError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(allowed) {
        return Err(OutputError::Name {
            name: name.to_owned(),
        });
    }
    Ok(())
}

fn frame_name(output: &str, frame: u64, extension: &str) -> String {
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
    fn frames_have_at_least_four_digits() {
        let path = |frame| frame_path(Path::new("out"), "view", frame, "png");
        assert_eq!(path(0), Path::new("out/view.0000.png"));
        assert_eq!(path(1), Path::new("out/view.0001.png"));
        assert_eq!(path(9999), Path::new("out/view.9999.png"));
        assert_eq!(path(10_000), Path::new("out/view.10000.png"));
        assert_eq!(path(u64::MAX), Path::new("out/view.18446744073709551615.png"));
    }

    #[test]
    fn formats_are_found_by_their_names() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.extension()), Some(format));
        }
        assert_eq!(Format::from_name("PNG"), None);
        assert_eq!(Format::from_name("vdb"), None);
    }

    #[test]
    fn sizes_count_components_and_never_wrap() {
        let array = |components, shape: &[u64]| Array {
            scalar: Scalar::F32,
            components,
            shape: shape.to_vec(),
        };
        assert_eq!(array(3, &[5, 2]).size(), Some(120));
        assert_eq!(array(1, &[]).size(), Some(4));
        assert_eq!(array(1, &[1 << 40, 1 << 40]).size(), None);
    }
}
