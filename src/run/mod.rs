//! Running a pipeline: the loop over steps and frames, its outputs and its manifest.
//!
//! [`Simulation`] is a pipeline on a device and can be driven step by step; [`run`] drives one from its first frame
//! to its last.

mod arguments;
mod error;
pub mod fault;
mod frames;
mod memory;
pub mod pages;
mod programs;
mod progress;
mod recordings;
mod report;
mod resolved;
mod simulation;
pub mod state;
mod timing;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::gpu::{DeviceKind, Gpu, Timeline};
use crate::output::manifest;
use crate::spec::{DeviceClass, FieldId, Pipeline};

pub use error::RunError;
use frames::Frames;
pub use pages::{PagesUsage, UpdateCost};
pub use progress::Progress;
use report::Report;
pub use simulation::{Extent, Hooks, Options, Pending, Simulation};
pub use state::State;

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

/// One run of one pipeline.
pub struct Run<'a> {
    pub gpu: &'a Gpu,
    pub pipeline: Pipeline,
    /// Path of the pipeline file, for the manifest.
    pub file: &'a Path,
    pub directory: &'a Path,
    pub swaps: &'a BTreeMap<String, String>,
    pub options: Options,
    pub progress: Progress,
    /// Asked between steps; true ends the run after the frame in flight.
    pub interrupted: &'a dyn Fn() -> bool,
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
    let started = Instant::now();
    let mut run = run;
    run.pipeline.shape_for(device_class(run.gpu));
    let modules = crate::shader::build(&run.pipeline, run.swaps)?;
    let mut report = Report::new(&run, &modules);
    report.write(run.directory, manifest::State::Running, None)?;
    resolved::write(&run.pipeline, &modules, run.directory)?;
    let result = drive(&run, modules, &mut report, started);
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

fn drive(
    run: &Run,
    modules: Vec<crate::shader::Module>,
    report: &mut Report,
    started: Instant,
) -> Result<Ending, RunError> {
    let mut simulation = Simulation::with_modules(run.gpu, run.pipeline.clone(), modules, run.options)?;
    let mut frames = Frames::new(run.gpu, &run.pipeline, run.directory)?;
    run.progress.start();
    let result = steps(run, &mut simulation, &mut frames);
    // Frames that were released before a failure still get to disk.
    let finished = match &result {
        Ok(_) => frames.finish(&mut simulation).and_then(|()| simulation.finish()),
        // Nothing is wrong with the device: frames on their way arrive.
        Err(RunError::Full { .. }) => frames.finish(&mut simulation),
        Err(_) => frames.writers.join().map_err(RunError::from),
    };
    run.progress.finish();
    report.result(&simulation, &frames, started.elapsed());
    let ending = result?;
    finished?;
    Ok(ending)
}

fn steps(run: &Run, simulation: &mut Simulation, frames: &mut Frames) -> Result<Ending, RunError> {
    let drawn: Vec<FieldId> = run
        .pipeline
        .frame
        .iter()
        .flat_map(|invocation| run.pipeline.stages[invocation.stage].writes.iter().copied())
        .collect();
    for frame in 1..=run.pipeline.frames {
        for step in 1..=run.pipeline.steps_per_frame {
            // Another one in each frame: every stage has its turn, and few are beside the drawing of a frame.
            let timed = 1 + (frame - 1) % u64::from(run.pipeline.steps_per_frame);
            simulation.step(u64::from(step) == timed)?;
            run.progress.step(simulation.steps());
        }
        simulation.frame(frames.wants(frame, &drawn))?;
        frames.start(simulation, frame)?;
        frames.writers.check()?;
        run.progress.frame(frame);
        if (run.interrupted)() {
            return Ok(Ending::Interrupted);
        }
    }
    Ok(Ending::Done)
}
