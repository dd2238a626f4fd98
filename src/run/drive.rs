//! The loop of a run: steps, frames on their way to disk, and checkpoints beside them.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::shader::Module;
use crate::spec::FieldId;

use super::checkpoint::{self, Header, Identity, Keeper, Resumed};
use super::frames::Frames;
use super::hashes::Hashes;
use super::populations::{populations, warn_of_refusals};
use super::report::Report;
use super::simulation::Simulation;
use super::trace::{Row, Trace};
use super::{Ending, Run, RunError, State, replay};

/// Frames with a timed step at the start of a run, and from one to the next later, where timing holds the run back.
const TIMED_FRAMES: u64 = 8;

/// Where a run begins.
pub struct Start {
    /// The state that it goes on from; none for the init stages.
    state: Option<State>,
    /// What its checkpoints say about it: identity, and the files of its earlier parts.
    pub header: Header,
    /// The checkpoints of its earlier parts.
    kept: Vec<PathBuf>,
}

impl Start {
    pub fn of(run: &Run, modules: &[Module]) -> Result<Start, RunError> {
        let identity = Identity::of(&run.pipeline, modules);
        let device = super::report::device_name(run.gpu);
        if run.resume {
            let refused = |path: &std::path::Path, reason: &str| {
                eprintln!("warning: {} is refused: {reason}", path.display());
            };
            let Resumed { checkpoint, kept } =
                checkpoint::newest(run.directory, &identity, &device, refused)?;
            return Ok(Start {
                state: Some(checkpoint.state),
                header: Header {
                    device,
                    ..checkpoint.header
                },
                kept,
            });
        }
        Ok(Start {
            state: None,
            header: Header {
                program: crate::output::manifest::Manifest::program(),
                device,
                identity,
                steps: 0,
                frames: 0,
                outputs: Default::default(),
                grids: Vec::new(),
                parts: Vec::new(),
            },
            kept: Vec::new(),
        })
    }
}

/// Runs from the start to the last frame, and fills in the report.
pub fn drive(run: &Run, modules: Vec<Module>, start: Start, report: &mut Report) -> Result<Ending, RunError> {
    let began = Instant::now();
    let pipeline = run.pipeline.clone();
    let mut simulation = match &start.state {
        None => Simulation::with_modules(run.gpu, pipeline, modules, run.options)?,
        Some(state) => Simulation::resume(run.gpu, pipeline, modules, run.options, state)?,
    };
    drop(start.state);
    let trace = match run.trace {
        Some(_) => Some(Rc::new(Trace::start(run.gpu)?)),
        None => None,
    };
    simulation.trace = trace.clone();
    let after = simulation.frames();
    let delay = Duration::from_millis(run.options.hooks.delay_writes.unwrap_or(0));
    let mut frames = Frames::new(run.gpu, &run.pipeline, run.directory, after, delay)?;
    let identity = start.header.identity.clone();
    let mut keeper = Keeper::start(run, start.header, start.kept)?;
    let mut hashes = match run.hash {
        true => Some(Hashes::start(run.directory, simulation.frames())?),
        false => None,
    };
    run.progress.start(simulation.steps());
    let loop_began = Instant::now();
    let result = steps(run, &mut simulation, &mut frames, &mut keeper, hashes.as_mut());
    // Frames that were released before a failure still get to disk.
    let finished = match &result {
        Ok(_) => {
            let hashed = hashes.map_or(Ok(()), |mut hashes| hashes.finish(&simulation));
            let finished = hashed.and(finish(&mut simulation, &mut frames, &mut keeper));
            finished.and_then(|()| {
                let populations = populations(&mut simulation)?;
                warn_of_refusals(&populations);
                report.populations(populations);
                Ok(())
            })
        }
        // Nothing is wrong with the device: frames on their way arrive.
        Err(RunError::Full { .. } | RunError::Bad { .. }) => frames.finish(&mut simulation),
        Err(RunError::Timeout { .. }) => {
            let arrived = frames.release_arrived(&mut simulation);
            arrived.and(frames.writers.join().map_err(RunError::from))
        }
        Err(_) => frames.writers.join().map_err(RunError::from),
    };
    run.progress.finish();
    report.startup(run, &simulation);
    report.result(&simulation, &frames, began.elapsed(), loop_began.elapsed());
    let traced = write_trace(run, trace.as_deref(), &frames);
    let ending = result.and_then(|ending| finished.and(traced).map(|()| ending));
    match ending.map_err(|error| simulation.explain(error)) {
        Err(RunError::Bad { bad, files }) => {
            // Its memory makes room for the replay.
            drop((simulation, frames, keeper));
            let named = replay::first_stage(run, &identity, &bad).unwrap_or_else(|error| {
                eprintln!("warning: the replay failed: {error}");
                None
            });
            let bad = named.map_or(bad, Box::new);
            Err(RunError::Bad { bad, files })
        }
        Err(hung @ RunError::Timeout { .. }) => {
            // What the device uses must stay, and to wait for it would be to hang as well.
            std::mem::forget((simulation, frames, keeper));
            Err(hung)
        }
        ending => ending,
    }
}

fn write_trace(run: &Run, trace: Option<&Trace>, frames: &Frames) -> Result<(), RunError> {
    let (Some(path), Some(trace)) = (run.trace, trace) else {
        return Ok(());
    };
    for file in frames.writers.written() {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        trace.event(Row::Writer(file.thread), name, file.start, file.end);
    }
    trace.write(path)
}

fn finish(simulation: &mut Simulation, frames: &mut Frames, keeper: &mut Keeper) -> Result<(), RunError> {
    keeper.finish(simulation, frames)?;
    frames.finish(simulation)?;
    simulation.finish()
}

fn steps(
    run: &Run,
    simulation: &mut Simulation,
    frames: &mut Frames,
    keeper: &mut Keeper,
    mut hashes: Option<&mut Hashes>,
) -> Result<Ending, RunError> {
    let drawn: Vec<FieldId> = run
        .pipeline
        .frame
        .iter()
        .flat_map(|invocation| run.pipeline.stages[invocation.stage].writes.iter().copied())
        .collect();
    for frame in simulation.frames() + 1..=run.pipeline.frames {
        // Another step in each frame: every stage has its turn, and few are beside the drawing of a frame.
        let timed = 1 + (frame - 1) % u64::from(run.pipeline.steps_per_frame);
        let timing =
            frame <= TIMED_FRAMES || !simulation.waits_for_times() || frame.is_multiple_of(TIMED_FRAMES);
        let began = Instant::now();
        for step in 1..=run.pipeline.steps_per_frame {
            simulation.step(timing && u64::from(step) == timed)?;
            run.progress.step(simulation.steps());
        }
        simulation.frame(frames.wants(simulation, frame, &drawn))?;
        let submitted = Instant::now();
        frames.start(simulation, frame)?;
        if let Some(trace) = &simulation.trace {
            trace.event(Row::Program, format!("submit frame {frame}"), began, submitted);
            trace.event(
                Row::Program,
                format!("hand over before frame {frame}"),
                submitted,
                Instant::now(),
            );
        }
        if let Some(hashes) = &mut hashes {
            hashes.frame(simulation)?;
        }
        simulation.collect_times()?;
        frames.writers.check()?;
        keeper.advance(simulation, frames)?;
        run.progress.frame(frame);
        let stop = (run.requests.stop)();
        let asked = (run.requests.checkpoint)();
        if asked
            || keeper.is_due(frame, run.pipeline.frames)
            || stop && run.pipeline.checkpoint.every.is_some()
        {
            keeper.begin(simulation, frames)?;
        }
        if stop {
            return Ok(Ending::Interrupted);
        }
    }
    Ok(Ending::Done)
}
