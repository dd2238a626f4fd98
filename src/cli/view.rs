//! `sastrugi view`: a pipeline in a window.

use std::path::PathBuf;
use std::sync::Arc;

use crate::run::{Options, RunError};
use crate::view::{self, Request};

use super::signals::Signals;

/// Runs a pipeline in a window: its images as they are drawn, with a camera to move; changed shaders
/// and files take effect while it runs.
#[derive(clap::Args)]
#[command(after_help = examples())]
pub(super) struct Arguments {
    /// A pipeline file, or the name of a pipeline that comes with the program (see `sastrugi list`).
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    /// The image to show first: its name, or that of an output.
    #[arg(long, value_name = "NAME")]
    image: Option<String>,
    /// Sets a value of the pipeline file by its dotted path; "parameters." may be omitted.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Directory for screenshots and recordings [default: out/<pipeline name>-view].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Pauses after this frame.
    #[arg(long, value_name = "FRAME")]
    pause: Option<u64>,
    /// Closes the window after so many frames; without it, the simulation goes on.
    #[arg(long, value_name = "N")]
    frames: Option<u64>,
    /// Device, by number or part of its name (see `sastrugi devices`).
    #[arg(long, value_name = "N|NAME")]
    device: Option<String>,
    /// Checks every access of every stage; the first fault pauses the simulation.
    #[arg(long)]
    checked: bool,
    /// Turns on the Khronos validation layer; any message fails the run.
    #[arg(long)]
    validation: bool,
}

fn examples() -> String {
    format!(
        "\
Examples:
  sastrugi view flip_dam
  sastrugi view pipelines/snow.json --pause 1        stops at the first frame
  sastrugi view my.json --set camera.fov=30 --image depth.color

In the window:
{}",
        view::help()
    )
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    match open(arguments) {
        Ok(()) => 0,
        Err(RunError::Input(problems)) => {
            super::complain(&problems);
            2
        }
        Err(error) => {
            crate::cli::say!("error: {error}");
            error.exit_code()
        }
    }
}

fn open(arguments: &Arguments) -> Result<(), RunError> {
    let signals = Signals::install().unwrap_or_default();
    let file = super::shipped::find(&arguments.spec)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let directory = PathBuf::from("out").join(format!("{stem}-view"));
    view::view(Request {
        overrides: arguments.set.clone(),
        directory: arguments.out.clone().unwrap_or(directory),
        device: arguments.device.clone(),
        picture: arguments.image.clone(),
        pause: arguments.pause,
        frames: arguments.frames,
        options: Options {
            checked: arguments.checked,
            races: false,
            ..Options::PLAIN
        },
        validation: arguments.validation,
        cache: super::cache::cache(true),
        say: |text| crate::cli::say!("{text}"),
        render: |problems| {
            use std::io::IsTerminal;
            super::render(problems, std::io::stderr().is_terminal())
        },
        stop: Arc::clone(signals.stopping()),
        file,
    })
}
