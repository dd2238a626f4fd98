//! Whole runs, from the first frame to the last, with files on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::run::{self, Ending, Observer, Options};

use super::device::Device;
use super::error::Error;
use super::pipeline::Pipeline;

/// A whole run of a pipeline, like that of `sastrugi run`: the frames of its outputs, `manifest.json` and
/// `resolved.json` in a directory. Files are complete or absent, and the manifest says how the run ended.
///
/// ```
/// use sastrugi::{Builder, Device, DeviceOptions, Element, Ending, Entry, Event, Observer, Run};
///
/// /// Counts frames; it could also print them, or end the run.
/// #[derive(Default)]
/// struct Frames(u64);
///
/// impl Observer for Frames {
///     fn event(&mut self, event: Event) {
///         if let Event::Frame(_) = event {
///             self.0 += 1;
///         }
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pipeline = Builder::new("grey")
///     .time(1)
///     .frames(1, 3)
///     .image("view", [8, 8], |view| view.channel("color", Element::Rgba8))
///     .step(Entry::stage("paint", "view").writes(["view.color"]).glsl(r#"
///         #version 460
///         #include "stage.glsl"
///         void stage(ivec2 pixel) { set_view_color(pixel, vec4(0.5)); }
///     "#))
///     .output("view", "view.color", |output| output.key("format", "png"))
///     .build()?;
/// # let device = Device::open(&DeviceOptions::default());
/// # if device.is_err() && std::env::var_os("SASTRUGI_REQUIRE_GPU").is_none() { return Ok(()); }
/// # drop(device);
/// let device = Device::open(&DeviceOptions::default())?;
/// let directory = std::env::temp_dir().join(format!("grey-{}", std::process::id()));
/// let mut frames = Frames::default();
/// let ending = Run::new(&device, &pipeline, &directory).start(&mut frames)?;
/// assert_eq!((ending, frames.0), (Ending::Done, 3));
/// assert!(directory.join("view.0003.png").is_file() && directory.join("manifest.json").is_file());
/// # std::fs::remove_dir_all(directory)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Run<'a> {
    device: &'a Device,
    pipeline: &'a Pipeline,
    directory: PathBuf,
    options: Options,
    resume: bool,
    force: bool,
    hash: bool,
    trace: Option<PathBuf>,
}

impl<'a> Run<'a> {
    /// A run into a directory, which is created if it does not exist.
    pub fn new(device: &'a Device, pipeline: &'a Pipeline, directory: impl AsRef<Path>) -> Run<'a> {
        Run {
            device,
            pipeline,
            directory: directory.as_ref().to_path_buf(),
            options: Options::default(),
            resume: false,
            force: false,
            hash: false,
            trace: None,
        }
    }

    /// Runs stages checked or in other ways.
    pub fn options(self, options: Options) -> Run<'a> {
        Run { options, ..self }
    }

    /// Resumes from the newest checkpoint in the directory.
    pub fn resume(self) -> Run<'a> {
        Run { resume: true, ..self }
    }

    /// Replaces the files of an earlier run in the directory, also if it was of another pipeline or has checkpoints. A
    /// run of the same pipeline without checkpoints is replaced in any case. Files that no run wrote stay.
    pub fn force(self) -> Run<'a> {
        Run { force: true, ..self }
    }

    /// Writes `hashes.csv`, with a hash of the state after every frame.
    pub fn hash(self) -> Run<'a> {
        Run { hash: true, ..self }
    }

    /// Writes a trace of the device queues and the writers for Chrome's trace viewer and Perfetto.
    pub fn trace(self, file: impl AsRef<Path>) -> Run<'a> {
        Run {
            trace: Some(file.as_ref().to_path_buf()),
            ..self
        }
    }

    /// Runs to the last frame, or until the observer asks to stop. [`NoObserver`](crate::NoObserver) ignores all
    /// events.
    pub fn start(&self, observer: &mut dyn Observer) -> Result<Ending, Error> {
        let Run { device, pipeline, .. } = self;
        let swaps = BTreeMap::new();
        let run = run::RunRequest {
            options: self.options,
            resume: self.resume,
            force: self.force,
            hash: self.hash,
            trace: self.trace.as_deref(),
            ..run::RunRequest::new(
                &device.gpu,
                pipeline.inner.clone(),
                &pipeline.file,
                &self.directory,
                &swaps,
            )
        };
        run::run(run, observer).map_err(|error| pipeline.explain(error))
    }
}
