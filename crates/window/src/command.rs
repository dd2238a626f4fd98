//! Messages between the threads, and the settings of a window.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sastrugi::{Options, Problems};

use super::input::InputEvent;

/// Settings of [`view`](crate::view).
pub struct Request {
    /// The pipeline file.
    pub file: PathBuf,
    /// Values to set.
    pub overrides: Vec<String>,
    /// Directory of screenshots and recordings.
    pub directory: PathBuf,
    /// The device, as in [`DeviceOptions`](sastrugi::DeviceOptions).
    pub device: Option<String>,
    /// The output or image to show first.
    pub picture: Option<String>,
    /// Pauses after this frame.
    pub pause: Option<u64>,
    /// Closes the window after this frame.
    pub frames: Option<u64>,
    /// True if the panel is open at the start.
    pub panel: bool,
    /// Directory of saved variants, and the path in their `extends`.
    pub base: Base,
    /// Options of the simulation, such as checked mode.
    pub options: Options,
    /// Loads the validation layer; its messages count as failures.
    pub validation: bool,
    /// Directory of the shader cache; `None`: no cache.
    pub cache: Option<PathBuf>,
    /// Prints a line of status or a warning.
    pub say: fn(&str),
    /// Formats problems with their places.
    pub render: fn(&Problems) -> String,
    /// Set to true, by Ctrl-C for example, to close the window.
    pub stop: Arc<AtomicBool>,
}

/// Path of the pipeline relative to the variants that extend it.
#[derive(Debug, Clone)]
pub struct Base {
    /// Directory of the variants.
    pub directory: PathBuf,
    /// Path of the pipeline from this directory.
    pub path: String,
}

/// A request to the thread of the simulation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    TogglePause,
    /// Runs and shows one frame, then pauses.
    Step,
    /// Maximum frames per second; `None`: unlimited.
    Rate(Option<f64>),
    Restart,
    /// Sets parameters as `--set` does: path and value. Replaces earlier values of the same path.
    Set(Vec<(String, String)>),
    /// Input of the pointer or a key, for pipelines that read it.
    Input(InputEvent),
    /// As `Set`, and prints the last value.
    Change(Vec<(String, String)>),
    /// A file has changed.
    Reload,
    /// Writes all changed values as a file of this name that extends the pipeline.
    SaveAs(String),
    /// Shows the image with this index.
    ShowPicture(usize),
    /// Opens or closes the panel; stages are timed only while it is open.
    Panel(bool),
    Screenshot,
    Record,
    NextPicture,
    Quit,
}

/// An event for the window.
#[derive(Debug)]
pub(crate) enum Notice {
    /// The text of the board has changed.
    Status,
    /// The simulation has ended; the error is on the board.
    Ended,
}
