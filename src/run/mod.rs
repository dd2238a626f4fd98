//! Running a pipeline: the loop over steps and frames, its outputs and its manifest.
//!
//! [`Simulation`] is a pipeline on a device and can be driven step by step; [`run`] drives one from its first frame
//! to its last.

mod arguments;
pub mod checkpoint;
mod drive;
mod error;
pub mod fault;
mod frames;
mod hashes;
pub mod measures;
mod memory;
pub mod pages;
mod populations;
mod programs;
mod progress;
mod recordings;
mod replay;
mod report;
mod resolved;
mod simulation;
mod startup;
pub mod state;
mod timing;
mod trace;
pub mod watch;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::gpu::{DeviceKind, Gpu, Timeline};
use crate::output::{Format, manifest};
use crate::spec::{DeviceClass, Pipeline};

use drive::Start;
pub use error::RunError;
pub use pages::{PagesUsage, UpdateCost};
pub use progress::Progress;
use report::Report;
pub use simulation::{Extent, Hooks, Options, Pending, Simulation};
pub use state::State;
pub use watch::{BadKind, FirstBad};

/// Seconds that the host waits for any one submission before it calls it hung.
static TIMEOUT_SECONDS: AtomicU64 = AtomicU64::new(300);

/// Sets how long any one submission may take.
pub fn set_timeout(seconds: u64) {
    TIMEOUT_SECONDS.store(seconds, Ordering::Relaxed);
}

/// Waits for a timeline, with the time-out.
fn wait_for(timeline: &Timeline, value: u64, what: &str) -> Result<(), RunError> {
    let seconds = TIMEOUT_SECONDS.load(Ordering::Relaxed);
    match timeline.wait(value, Duration::from_secs(seconds))? {
        true => Ok(()),
        false => Err(RunError::Timeout {
            what: what.to_string(),
            seconds,
            began: String::new(),
        }),
    }
}

/// The class that a device's kernels are shaped for.
pub fn device_class(gpu: &Gpu) -> DeviceClass {
    match gpu.report().kind {
        DeviceKind::Cpu => DeviceClass::Processor,
        _ => DeviceClass::Gpu,
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Done,
    /// Asked to stop; the frame in flight was finished.
    Interrupted,
}

/// What the user may ask of a run while it goes; looked at after every frame.
#[derive(Clone, Copy)]
pub struct Requests<'a> {
    /// True ends the run.
    pub stop: &'a dyn Fn() -> bool,
    /// True asks for a checkpoint now; asking takes the request back.
    pub checkpoint: &'a dyn Fn() -> bool,
}

/// One run of one pipeline.
pub struct Run<'a> {
    pub gpu: &'a Gpu,
    pub pipeline: Pipeline,
    /// Path of the pipeline file, for the manifest.
    pub file: &'a Path,
    pub directory: &'a Path,
    pub swaps: &'a BTreeMap<String, String>,
    /// When the program began, if this is its first run.
    pub began: Option<Instant>,
    pub options: Options,
    pub progress: Progress,
    /// Goes on from the newest checkpoint in the directory.
    pub resume: bool,
    /// Keeps a log of state hashes.
    pub hash: bool,
    /// File that receives a trace of what happened when.
    pub trace: Option<&'a Path>,
    pub requests: Requests<'a>,
}

/// Runs a pipeline to its last frame. Whatever happens, the files that are there are whole and the manifest says
/// how it ended.
pub fn run(run: Run) -> Result<Ending, RunError> {
    std::fs::create_dir_all(run.directory).map_err(|error| {
        let name = run.directory.display();
        RunError::Failed(format!(
            "cannot make the output directory {name}: {error}\n  help: choose another with --out"
        ))
    })?;
    crate::output::sweep_parts(run.directory);
    let films = run.pipeline.outputs.iter();
    for output in films.filter(|output| output.content.format == Format::Mp4) {
        crate::output::check_ffmpeg(&output.name)?;
    }
    let mut run = run;
    run.pipeline.shape_for(device_class(run.gpu));
    let mut laps = startup::Laps::start();
    let modules = crate::shader::build(&run.pipeline, run.swaps, run.gpu.cache())?;
    let shaders_ms = laps.lap();
    let mut report = Report::new(&run, &modules);
    report.shaders_ms(shaders_ms);
    let start = Start::of(&run, &modules)?;
    report.goes_on_from(&start.header);
    report.write(run.directory, manifest::State::Running, None)?;
    resolved::write(&run.pipeline, &modules, run.directory)?;
    let result = drive::drive(&run, modules, start, &mut report);
    let (state, error) = match &result {
        Ok(Ending::Done) => (manifest::State::Done, None),
        Ok(Ending::Interrupted) => (manifest::State::Interrupted, None),
        Err(error) => (manifest::State::Failed, Some(error.to_string())),
    };
    let written = report.write(run.directory, state, error);
    let ending = result?;
    written?;
    Ok(ending)
}
