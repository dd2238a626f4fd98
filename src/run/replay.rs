//! Which stage made a bad value: the steps up to it once more, from the last good state, with a look after every stage.

use crate::spec::measures::watched_everywhere;

use super::checkpoint::{self, Identity};
use super::simulation::Simulation;
use super::watch::FirstBad;
use super::{Run, RunError};

/// Steps between two looks at the records.
const STEPS_A_LOOK: u64 = 8;

/// What the watch of a run found, with the stage that made it. `None` where a replay does not show it again, or where
/// the user ends the replay.
pub fn first_stage(run: &Run, identity: &Identity, bad: &FirstBad) -> Result<Option<FirstBad>, RunError> {
    let pipeline = watched_everywhere(&run.pipeline);
    let modules = crate::shader::build(&pipeline, run.swaps, run.gpu.cache())?;
    let refused = |path: &std::path::Path, reason: &str| {
        eprintln!("warning: {} is refused: {reason}", path.display());
    };
    // Without a checkpoint there is the start.
    let device = super::report::device_name(run.gpu);
    let newest = checkpoint::newest(run.directory, identity, &device, refused).ok();
    let mut simulation = match newest.map(|found| found.checkpoint.state) {
        Some(state) => {
            eprintln!(
                "replaying from the checkpoint of frame {}, to find the stage",
                state.frames
            );
            Simulation::resume(run.gpu, pipeline, modules, run.options, &state)?
        }
        None => {
            eprintln!("replaying from the start, to find the stage (checkpoints would make this shorter)");
            Simulation::with_modules(run.gpu, pipeline, modules, run.options)?
        }
    };
    run.progress.start(simulation.steps());
    while simulation.steps() < bad.step {
        let until = (simulation.steps() + STEPS_A_LOOK).min(bad.step);
        while simulation.steps() < until {
            simulation.step(false)?;
            run.progress.step(simulation.steps());
        }
        simulation.finish()?;
        if let Some(first) = simulation.first_bad()? {
            return Ok(Some(first));
        }
        if (run.requests.stop)() {
            return Ok(None);
        }
    }
    Ok(None)
}
