//! Changes of a run's values between two of its steps.

use crate::ir::Pipeline;
use crate::problem::Problem;

use super::checkpoint::Keeper;
use super::device::device_class;
use super::error::RunError;
use super::frames::Frames;
use super::hashes::Hashes;
use super::races;
use super::simulation::Simulation;
use super::task::Run;

/// What waits for the device, and has to be done before a simulation is rebuilt.
pub(super) struct Waiting<'a> {
    pub frames: &'a mut Frames,
    pub keeper: &'a mut Keeper,
    pub hashes: Option<&'a mut Hashes>,
}

/// Goes on with the values of another pipeline. Where more than values changes, kernels are built anew and the state stays,
/// as in a window.
pub(super) fn apply(
    run: &Run,
    simulation: &mut Simulation,
    waiting: Waiting,
    mut pipeline: Pipeline,
) -> Result<(), RunError> {
    pipeline.shape_for(device_class(run.gpu));
    races::instrument(run.gpu, &mut pipeline, &run.options);
    let now = simulation.pipeline();
    if now.differs_in_values_alone(&pipeline) {
        return simulation.set_values(pipeline);
    }
    if let Some(what) = obstacle(now, &pipeline) {
        let message = format!("a change after step {} changes {what}", simulation.steps());
        let help = "such changes can only stand at the start, with --set";
        return Err(RunError::Input(Problem::without_place(message).help(help).into()));
    }
    let modules = crate::shader::build(&pipeline, run.swaps, run.gpu.cache())?;
    let Waiting {
        frames,
        keeper,
        hashes,
    } = waiting;
    frames.release_until(simulation, simulation.frames())?;
    keeper.settle(simulation, frames)?;
    hashes.map_or(Ok(()), |hashes| hashes.settle(simulation))?;
    simulation.rebuild(pipeline, modules)
}

/// What a run cannot change while it goes on.
fn obstacle(now: &Pipeline, next: &Pipeline) -> Option<&'static str> {
    let outputs = |pipeline: &Pipeline| format!("{:?} {:?}", pipeline.outputs, pipeline.series);
    if !now.has_resources_of(next) {
        return Some("sizes of resources");
    }
    if now.steps_per_frame != next.steps_per_frame || now.dt.to_bits() != next.dt.to_bits() {
        return Some("the time of a step or a frame");
    }
    (outputs(now) != outputs(next)).then_some("outputs")
}
