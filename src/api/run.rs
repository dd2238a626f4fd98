//! Whole runs, from the first frame to the last, with files on disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::ir::CutRequest;
use crate::ranks::Ranks;
use crate::run::{self, Changes, Earlier, Ending, Observer, Options, directory};

use super::device::Device;
use super::disturbance::Disturbance;
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
/// let ending = Run::new(&pipeline, &directory).start(&device, &mut frames)?;
/// assert_eq!((ending, frames.0), (Ending::Done, 3));
/// assert!(directory.join("view.0003.png").is_file() && directory.join("manifest.json").is_file());
/// # std::fs::remove_dir_all(directory)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Run {
    pipeline: Pipeline,
    directory: PathBuf,
    options: Options,
    resume: bool,
    force: bool,
    hash: bool,
    trace: Option<PathBuf>,
    replay: Option<Arc<Changes>>,
    began: Option<Instant>,
    disturbance: Disturbance,
    ranks: Option<Ranks>,
    cut: CutRequest,
    balance: bool,
}

impl Run {
    /// A run into a directory, which is created if it does not exist.
    pub fn new(pipeline: &Pipeline, directory: impl AsRef<Path>) -> Run {
        Run {
            pipeline: pipeline.clone(),
            directory: directory.as_ref().to_path_buf(),
            options: Options::default(),
            resume: false,
            force: false,
            hash: false,
            trace: None,
            replay: None,
            began: None,
            disturbance: Disturbance::default(),
            ranks: None,
            cut: CutRequest::default(),
            balance: false,
        }
    }

    /// The options of the run in a directory, and true if it writes hashes, from its manifest: for resuming it in the
    /// same way. `None` without a manifest of this version.
    pub fn options_in(directory: impl AsRef<Path>) -> Option<(Options, bool)> {
        run::options_of(directory.as_ref())
    }

    /// Runs stages checked or in other ways.
    pub fn options(self, options: Options) -> Run {
        Run { options, ..self }
    }

    /// Resumes from the newest checkpoint in the directory.
    pub fn resume(self) -> Run {
        Run { resume: true, ..self }
    }

    /// Replaces the files of an earlier run in the directory, also if it was of another pipeline or has checkpoints. A
    /// run of the same pipeline without checkpoints is always replaced. Files not written by a run are kept.
    pub fn force(self) -> Run {
        Run { force: true, ..self }
    }

    /// Writes `hashes.csv`, with a hash of the state after every frame.
    pub fn hash(self) -> Run {
        Run { hash: true, ..self }
    }

    /// Writes a trace of the device queues and the writers for Chrome's trace viewer and Perfetto.
    pub fn trace(self, file: impl AsRef<Path>) -> Run {
        Run {
            trace: Some(file.as_ref().to_path_buf()),
            ..self
        }
    }

    /// Repeats logged changes of values, each before the step at which it was made. Build the pipeline with
    /// [`Changes::overrides`].
    pub fn replay(self, changes: Changes) -> Run {
        Run {
            replay: Some(Arc::new(changes)),
            ..self
        }
    }

    /// Sets the origin of the times in the manifest, such as the start of the program. The default is the start of the
    /// run.
    pub fn began(self, began: Instant) -> Run {
        Run {
            began: Some(began),
            ..self
        }
    }

    /// Runs as one of several ranks, each with a part of the grids. All ranks must start the same run; rank 0 writes the
    /// files.
    pub fn ranks(self, ranks: Ranks, cut: CutRequest) -> Run {
        let ranks = Some(ranks).filter(|ranks| ranks.count() > 1);
        Run { ranks, cut, ..self }
    }

    /// Moves parts between frames if the steps of ranks take different times. The results are the same.
    pub fn balance(self) -> Run {
        Run {
            balance: true,
            ..self
        }
    }

    /// Disturbs the run, for tests.
    pub fn disturb(self, disturbance: Disturbance) -> Run {
        Run { disturbance, ..self }
    }

    /// Its pipeline.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// The directory that receives its files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The state of an earlier run of the pipeline in its directory, to skip or resume it.
    pub fn earlier(&self) -> Earlier {
        Earlier::of(&self.directory, &self.pipeline.inner)
    }

    /// Checks that the run may replace the files in its directory, as [`Run::start`] does: it replaces runs of another
    /// pipeline and runs with checkpoints only with [`Run::force`].
    pub fn check(&self) -> Result<(), Error> {
        if self.resume {
            return Ok(());
        }
        let checked = directory::check(
            &self.directory,
            self.pipeline.file(),
            self.pipeline.title(),
            self.force,
        );
        checked.map_err(Error::of_run)
    }

    /// Runs to the last frame, or until the observer asks to stop. [`NoObserver`](crate::NoObserver) ignores all
    /// events.
    pub fn start(&self, device: &Device, observer: &mut dyn Observer) -> Result<Ending, Error> {
        let Run { pipeline, replay, .. } = self;
        let change = |step: u64, since: Option<u64>| {
            let values = replay.as_ref()?.up_to(step, since)?;
            Some(pipeline.with(values).map(|changed| changed.inner))
        };
        let run = run::RunRequest {
            options: self.options,
            resume: self.resume,
            force: self.force,
            hash: self.hash,
            trace: self.trace.as_deref(),
            began: self.began,
            changes: replay.is_some().then_some(&change),
            probe: Arc::new(self.disturbance),
            ranks: self.ranks.clone(),
            cut: self.cut.clone(),
            balance: self.balance,
            ..run::RunRequest::new(
                &device.gpu,
                pipeline.inner.clone(),
                pipeline.file(),
                &self.directory,
                &pipeline.swaps,
            )
        };
        run::run(run, observer).map_err(|error| pipeline.explain(error))
    }
}
