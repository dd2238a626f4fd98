//! Finds the stage that caused a bad value: repeats the steps from the last valid state, with a check after every stage.

use std::sync::Arc;

use crate::lower::watch::watched_everywhere;

use super::checkpoint::{self, RunIdentity};
use super::device::{device_class, device_name};
use super::error::RunError;
use super::observer::{Event, Observer};
use super::request::RunRequest;
use super::simulation::Simulation;
use super::watch::FirstBad;

/// Steps between two checks of the records.
const STEPS_PER_CHECK: u64 = 8;

/// The bad value that the watch found, with the stage that caused it. `None` if it does not occur in the replay, or if
/// the user ends the replay.
pub(super) fn first_stage(
    run: &RunRequest,
    identity: &RunIdentity,
    bad: &FirstBad,
    observer: &mut dyn Observer,
) -> Result<Option<FirstBad>, RunError> {
    let pipeline = watched_everywhere(&run.pipeline);
    let modules = crate::shader::build(&pipeline, device_class(run.gpu), run.swaps, run.gpu.cache())?;
    // Without a checkpoint, the replay begins at the start.
    let device = device_name(run.gpu);
    let newest = checkpoint::newest(run.directory, identity, &device, observer).ok();
    let state = newest.map(|found| found.checkpoint.state);
    let note = match &state {
        Some(state) => format!(
            "replaying from the checkpoint of frame {} to find the stage",
            state.frames
        ),
        None => "replaying from the start to find the stage (checkpoints would make this faster)".to_string(),
    };
    observer.event(Event::Note(&note));
    let probe = Arc::clone(&run.probe);
    let mut simulation = Simulation::probed(
        run.gpu,
        pipeline,
        modules,
        run.options,
        probe,
        state.as_ref(),
        None,
    )?;
    drop(state);
    observer.event(Event::Begun {
        steps: simulation.steps(),
    });
    simulation.finish()?;
    if let Some(first) = simulation.first_bad()? {
        return Ok(Some(first));
    }
    while simulation.steps() < bad.step {
        let until = (simulation.steps() + STEPS_PER_CHECK).min(bad.step);
        while simulation.steps() < until {
            simulation.step(false)?;
            observer.event(Event::Step(simulation.steps()));
        }
        simulation.finish()?;
        if let Some(first) = simulation.first_bad()? {
            return Ok(Some(first));
        }
        if observer.stop() {
            return Ok(None);
        }
    }
    Ok(None)
}
