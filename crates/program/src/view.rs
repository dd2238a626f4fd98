//! `sastrugi view`: a pipeline in a window.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sastrugi::{Error, Options, shipped};
use sastrugi_window::{Base, Request};

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
    /// Starts without the panel; F1 opens it.
    #[arg(long)]
    no_panel: bool,
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
        sastrugi_window::help()
    )
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    match open(arguments) {
        Ok(()) => 0,
        Err(error) => {
            super::report(&error);
            super::exit_code(&error)
        }
    }
}

fn open(arguments: &Arguments) -> Result<(), Error> {
    let signals = Signals::install().unwrap_or_default();
    let file = shipped::find(&arguments.spec)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let directory = PathBuf::from("out").join(format!("{stem}-view"));
    let directory = arguments.out.clone().unwrap_or(directory);
    sastrugi_window::view(Request {
        overrides: arguments.set.clone(),
        directory: directory.clone(),
        device: arguments.device.clone(),
        picture: arguments.image.clone(),
        pause: arguments.pause,
        frames: arguments.frames,
        panel: !arguments.no_panel,
        base: base(&arguments.spec, &file, &directory),
        options: Options {
            checked: arguments.checked,
            races: false,
            ..Options::PLAIN
        },
        validation: arguments.validation,
        cache: sastrugi::cache_directory(),
        say: |text| crate::say!("{text}"),
        render: |problems| {
            use std::io::IsTerminal;
            super::render(problems, std::io::stderr().is_terminal())
        },
        stop: Arc::clone(signals.stopping()),
        file,
    })
}

/// Files that extend a pipeline go beside it; those that extend one of the program, which lies elsewhere, go to the
/// directory of the window's files.
fn base(stated: &Path, file: &Path, directory: &Path) -> Base {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
    match (stated == file, file.parent(), file.file_name()) {
        (true, Some(parent), Some(name)) => Base {
            directory: parent.to_path_buf(),
            path: name.to_string_lossy().into_owned(),
        },
        _ => Base {
            directory: directory.to_path_buf(),
            path: whole.to_string_lossy().into_owned(),
        },
    }
}
