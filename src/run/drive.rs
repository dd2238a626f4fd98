//! A run from its first frame to its last: the loop, the files of frames, and checkpoints.

use std::sync::Arc;
use std::time::Instant;

use crate::ir::FieldId;
use crate::output::{Format, manifest};
use crate::plan::Lane;
use crate::shader::Module;

use super::checkpoint::Keeper;
use super::claim::{self, Claim};
use super::device::device_class;
use super::error::RunError;
use super::frames::Frames;
use super::hashes::Hashes;
use super::observer::{Event, Observer};
use super::populations::{populations, refusals};
use super::report::Report;
use super::simulation::Simulation;
use super::start::Start;
use super::startup::Laps;
use super::task::{Ending, Run};
use super::trace::Row;
use super::unfinished::Unfinished;
use super::{change, races, replay, resolved, space};

/// If timing delays the run: number of frames with a timed step at the start, and then the distance between such
/// frames.
const TIMED_FRAMES: u64 = 8;

/// Runs a pipeline to its last frame. In any case, all files are complete and the manifest says how the run ended.
pub fn run(run: Run, observer: &mut dyn Observer) -> Result<Ending, RunError> {
    let _claim = Claim::take(run.directory)?;
    if !run.resume {
        claim::check(run.directory, run.file, &run.pipeline.title, run.force)?;
    }
    claim::check_names(&run.pipeline, run.directory, run.hash, run.trace)?;
    crate::output::remove_stale_parts(run.directory);
    let films = run.pipeline.outputs.iter();
    for output in films.filter(|output| output.content.format == Format::Mp4) {
        crate::output::check_ffmpeg(&output.name)?;
    }
    let mut run = run;
    run.pipeline.shape_for(device_class(run.gpu));
    races::instrument(run.gpu, &mut run.pipeline, &run.options);
    let mut laps = Laps::start();
    let modules = crate::shader::build(&run.pipeline, run.swaps, run.gpu.cache())?;
    let shaders_ms = laps.lap();
    let mut report = Report::new(&run, &modules);
    report.shaders_ms(shaders_ms);
    let start = Start::of(&run, &modules, observer)?;
    report.goes_on_from(&start.header);
    if !run.resume {
        claim::clear(run.directory)?;
    }
    report.write(run.directory, manifest::Status::Running, None)?;
    resolved::write(&run.pipeline, &modules, run.directory)?;
    let result = drive(&run, modules, start, &mut report, observer);
    let (state, error) = match &result {
        Ok(Ending::Done) => (manifest::Status::Done, None),
        Ok(Ending::Interrupted) => (manifest::Status::Interrupted, None),
        Err(error) => (manifest::Status::Failed, Some(error.to_string())),
    };
    let written = report.write(run.directory, state, error);
    let ending = result?;
    written?;
    Ok(ending)
}

/// Runs from the start to the last frame, and fills in the report.
fn drive(
    run: &Run,
    modules: Vec<Module>,
    start: Start,
    report: &mut Report,
    observer: &mut dyn Observer,
) -> Result<Ending, RunError> {
    let began = Instant::now();
    let pipeline = run.pipeline.clone();
    let probe = Arc::clone(&run.probe);
    let mut simulation = Simulation::probed(
        run.gpu,
        pipeline,
        modules,
        run.options,
        probe,
        start.state.as_ref(),
    )?;
    drop(start.state);
    for notice in simulation.notices() {
        observer.event(Event::Notice(&notice));
    }
    if run.trace.is_some() {
        simulation.start_trace()?;
    }
    let after = simulation.frames();
    let delay = run.probe.file_delay();
    let mut frames = Frames::new(run.gpu, &run.pipeline, run.directory, after, delay)?;
    let identity = start.header.identity.clone();
    let mut keeper = Keeper::start(run, start.header, start.kept)?;
    let mut hashes = match run.hash {
        true => Some(Hashes::start(run.directory, simulation.frames())?),
        false => None,
    };
    if let Some(shortage) = space::shortage(&run.pipeline, run.directory, simulation.frames()) {
        observer.event(Event::Warning(&shortage));
    }
    observer.event(Event::Begun {
        steps: simulation.steps(),
    });
    // When steps are counted from, and how many were done then.
    let mut counted = (simulation.steps(), Instant::now());
    let result = steps(
        run,
        &mut simulation,
        &mut frames,
        &mut keeper,
        hashes.as_mut(),
        &mut counted,
        observer,
    );
    // Frames that were released before a failure are still written.
    let finished = match &result {
        Ok(_) => {
            let hashed = hashes.map_or(Ok(()), |mut hashes| hashes.finish(&simulation));
            let finished = hashed.and(finish(&mut simulation, &mut frames, &mut keeper));
            warn(&mut frames, observer);
            finished.and_then(|()| {
                let populations = populations(&mut simulation)?;
                refusals(&populations).for_each(|text| observer.event(Event::Warning(&text)));
                report.populations(populations);
                let unfinished = simulation.unfinished()?;
                let totals = unfinished.iter().filter_map(Unfinished::total);
                totals.for_each(|text| observer.event(Event::Warning(&text)));
                report.unfinished(&unfinished);
                Ok(())
            })
        }
        // The device works, so pending frames arrive.
        Err(RunError::Full { .. } | RunError::Bad { .. } | RunError::Input(_)) => {
            frames.finish(&mut simulation)
        }
        Err(RunError::Timeout { .. }) => {
            let arrived = frames.release_arrived(&mut simulation);
            arrived.and(frames.writers.join().map_err(RunError::from))
        }
        Err(_) => frames.writers.join().map_err(RunError::from),
    };
    warn(&mut frames, observer);
    observer.event(Event::Ended);
    report.startup(run, &simulation);
    report.result(&simulation, &frames, began.elapsed(), counted);
    let traced = write_trace(run, &simulation, &frames);
    let ending = result.and_then(|ending| finished.and(traced).map(|()| ending));
    match ending.map_err(|error| simulation.explain(error)) {
        Err(RunError::Bad { bad, frames: watched }) => {
            // Its memory makes room for the replay.
            drop((simulation, frames, keeper));
            let named = match replay::first_stage(run, &identity, &bad, observer) {
                Ok(named) => named,
                Err(error) => {
                    observer.event(Event::Warning(&format!("the replay failed: {error}")));
                    None
                }
            };
            let bad = named.map_or(bad, Box::new);
            Err(RunError::Bad { bad, frames: watched })
        }
        Err(hung @ RunError::Timeout { .. }) => {
            // The device still uses these, and to wait for it would hang as well.
            std::mem::forget((simulation, frames, keeper));
            Err(hung)
        }
        ending => ending,
    }
}

fn write_trace(run: &Run, simulation: &Simulation, frames: &Frames) -> Result<(), RunError> {
    let (Some(path), Some(trace)) = (run.trace, simulation.trace()) else {
        return Ok(());
    };
    for file in frames.writers.written() {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        trace.event(Row::Writer(file.thread), name, file.start, file.end);
    }
    trace.write(path)
}

/// Passes on what was found in the frames that were released.
fn warn(frames: &mut Frames, observer: &mut dyn Observer) {
    let warnings = frames.warnings.drain(..);
    warnings.for_each(|text| observer.event(Event::Warning(&text)));
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
    began: &mut (u64, Instant),
    observer: &mut dyn Observer,
) -> Result<Ending, RunError> {
    let before = simulation.steps();
    let total = (run.pipeline.frames).saturating_mul(u64::from(run.pipeline.steps_per_frame));
    let drawn: Vec<FieldId> = run
        .pipeline
        .frame
        .iter()
        .flat_map(|invocation| run.pipeline.stages[invocation.stage].writes().iter().copied())
        .collect();
    if simulation.steps() == 0 {
        frames.start_series(simulation)?;
    }
    let mut asked_at = None;
    for frame in simulation.frames() + 1..=run.pipeline.frames {
        // Times another step in each frame, so that every stage is timed and few overlap with the drawing of a frame.
        let timed = 1 + (frame - 1) % u64::from(run.pipeline.steps_per_frame);
        let timing =
            frame <= TIMED_FRAMES || !simulation.waits_for_times() || frame.is_multiple_of(TIMED_FRAMES);
        let submitting = Instant::now();
        for step in 1..=run.pipeline.steps_per_frame {
            if let Some(changes) = run.changes {
                let steps = simulation.steps();
                if let Some(pipeline) = changes(steps, asked_at.replace(steps)) {
                    let waiting = change::Waiting {
                        frames,
                        keeper,
                        hashes: hashes.as_deref_mut(),
                    };
                    change::apply(run, simulation, waiting, pipeline.map_err(RunError::Input)?)?;
                }
            }
            simulation.step(timing && u64::from(step) == timed)?;
            observer.event(Event::Step(simulation.steps()));
            if simulation.steps() == before + 1 && total > before + 1 {
                simulation.wait(Lane::Step, simulation.last(Lane::Step))?;
                *began = (simulation.steps(), Instant::now());
                observer.event(Event::Begun {
                    steps: simulation.steps(),
                });
            }
        }
        simulation.frame(frames.wants(simulation, frame, &drawn))?;
        let submitted = Instant::now();
        frames.start(simulation, frame)?;
        warn(frames, observer);
        if let Some(trace) = simulation.trace() {
            trace.event(
                Row::Program,
                format!("submit frame {frame}"),
                submitting,
                submitted,
            );
            trace.event(
                Row::Program,
                format!("download frame {frame}, write older frames"),
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
        observer.event(Event::Frame(frame));
        let stop = observer.stop();
        let asked = observer.checkpoint();
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
