//! The error of the library.

use std::fmt;

use crate::gpu::GpuError;
use crate::output::OutputError;
use crate::problem::{Problem, Problems};
use crate::ranks::Failure;
use crate::run::RunError;

/// The kind of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The pipeline or one of its shaders is wrong; [`Error::problems`] has the mistakes.
    Input,
    /// A call does not fit the pipeline: an unknown field, a wrong type, a wrong number of values.
    Misuse,
    /// There is no Vulkan loader, or no usable device.
    NoDevice,
    /// The requested device does not exist or cannot be used.
    UnknownDevice,
    /// The device or its driver failed, or its memory is too small.
    Device,
    /// The device was lost while it worked.
    Lost,
    /// The device did not finish in time; a shader may never end.
    Timeout,
    /// A checked stage accessed a value outside a field.
    Fault,
    /// The watch of the pipeline found a bad value.
    BadValue,
    /// A repeat with `"on_max_iterations": "stop"` used all its iterations.
    Unfinished,
    /// Stages requested more blocks of a sparse grid than its budget holds.
    Full,
    /// Files could not be written.
    Output,
    /// Another rank failed.
    Rank,
    /// Any other failure after the input was read.
    Failed,
}

/// A failure, with its cause and, if known, its remedy.
///
/// ```
/// use sastrugi::{Device, DeviceOptions, ErrorKind};
///
/// let options = DeviceOptions { device: Some("no such device".into()), ..DeviceOptions::default() };
/// let error = Device::open(&options).unwrap_err();
/// assert!([ErrorKind::UnknownDevice, ErrorKind::NoDevice].contains(&error.kind()));
/// println!("{error}");
/// ```
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    text: String,
    problems: Option<Problems>,
}

impl Error {
    pub(super) fn misuse(text: impl Into<String>) -> Error {
        Error {
            kind: ErrorKind::Misuse,
            text: text.into(),
            problems: None,
        }
    }

    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The mistakes in the input, for [`ErrorKind::Input`].
    pub fn problems(&self) -> Option<&Problems> {
        self.problems.as_ref()
    }
}

impl From<Problems> for Error {
    fn from(problems: Problems) -> Error {
        Error {
            kind: ErrorKind::Input,
            text: problems.to_string(),
            problems: Some(problems),
        }
    }
}

impl Error {
    /// The error of every call after a timeout.
    pub(super) fn hangs() -> Error {
        Error::misuse(
            "the device of this simulation hangs\n  help: end the process; the device cannot be stopped otherwise",
        )
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        Problems::from(problem).into()
    }
}

impl Error {
    /// A failure of a program that uses the library, with any text.
    pub fn failed(text: impl Into<String>) -> Error {
        Error {
            kind: ErrorKind::Failed,
            text: text.into(),
            problems: None,
        }
    }

    pub(super) fn of_output(error: OutputError) -> Error {
        Error::of_run(RunError::Output(error))
    }

    /// Converts an error of a run.
    pub(super) fn of_run(error: RunError) -> Error {
        let text = error.to_string();
        let kind = match error {
            RunError::Input(problems) => return problems.into(),
            RunError::Gpu(error) => return Error::of_device(error),
            RunError::Output(_) => ErrorKind::Output,
            RunError::Fault { .. } => ErrorKind::Fault,
            RunError::Bad { .. } => ErrorKind::BadValue,
            RunError::Unfinished { .. } => ErrorKind::Unfinished,
            RunError::Full { .. } => ErrorKind::Full,
            RunError::Timeout { .. } => ErrorKind::Timeout,
            RunError::Lost { .. } => ErrorKind::Lost,
            RunError::Misuse(_) => ErrorKind::Misuse,
            RunError::Rank(Failure::Rank { .. }) => ErrorKind::Rank,
            RunError::Rank(_) | RunError::Failed(_) => ErrorKind::Failed,
        };
        Error {
            kind,
            text,
            problems: None,
        }
    }
}

impl Error {
    /// Converts an error of a device.
    pub(super) fn of_device(error: GpuError) -> Error {
        let kind = match &error {
            GpuError::NoLoader { .. } | GpuError::NoDevice { .. } | GpuError::NoUsableDevice { .. } => {
                ErrorKind::NoDevice
            }
            GpuError::UnknownDevice { .. } => ErrorKind::UnknownDevice,
            GpuError::DeviceLost { .. } => ErrorKind::Lost,
            _ => ErrorKind::Device,
        };
        Error {
            kind,
            text: error.to_string(),
            problems: None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
