//! What the threads tell each other, and what a person asks for at the start.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sastrugi::{Options, Problems};

use super::input::Deed;

/// What to view, and how.
pub struct Request {
    /// The pipeline file.
    pub file: PathBuf,
    /// Values to set.
    pub overrides: Vec<String>,
    /// Where screenshots and recordings go.
    pub directory: PathBuf,
    /// The device, as in [`DeviceOptions`](sastrugi::DeviceOptions).
    pub device: Option<String>,
    /// The output or image to show first.
    pub picture: Option<String>,
    /// Pauses after this frame.
    pub pause: Option<u64>,
    /// Ends after this frame.
    pub frames: Option<u64>,
    /// Whether the panel is open at the start.
    pub panel: bool,
    /// Where files that change the pipeline go, and how they name it.
    pub base: Base,
    /// How stages are run.
    pub options: Options,
    /// Loads the validation layer, whose messages are failures.
    pub validation: bool,
    /// Where compiled shaders are kept.
    pub cache: Option<PathBuf>,
    /// Receives the lines for people.
    pub say: fn(&str),
    /// Problems as text with their places.
    pub render: fn(&Problems) -> String,
    /// Asks for the end, as Ctrl-C does.
    pub stop: Arc<AtomicBool>,
}

/// The pipeline as files that extend it see it.
#[derive(Debug, Clone)]
pub struct Base {
    /// Directory of those files.
    pub directory: PathBuf,
    /// Path of the pipeline from there.
    pub path: String,
}

/// What a person asks of the simulation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    TogglePause,
    /// One step, and its picture; pauses.
    Step,
    /// At most so many frames a second; `None`: as many as there are.
    Rate(Option<f64>),
    Restart,
    /// Other values of the file, like those of `--set`, instead of earlier ones with the same path.
    Set(Vec<(String, String)>),
    /// The pointer or a key, for pipelines that read them.
    Input(Deed),
    /// As `Set`, and the terminal names them.
    Change(Vec<(String, String)>),
    /// A file has changed.
    Reload,
    /// Writes all changed values as a file of this name that extends the pipeline.
    SaveAs(String),
    /// The image with this number.
    ShowPicture(usize),
    /// Whether the panel is open, so that times are of use.
    Panel(bool),
    Screenshot,
    Record,
    NextPicture,
    Quit,
}

/// Something for the window.
#[derive(Debug)]
pub(crate) enum Notice {
    /// The text of the board has changed.
    Status,
    /// The simulation has ended; the error is on the board.
    Ended,
}
