//! Changes of a run's values between two of its steps.

use crate::ir::Pipeline;
use crate::problem::Problem;
use crate::run::device::device_class;
use crate::run::error::RunError;
use crate::run::races;

use super::Session;

impl Session<'_> {
    /// Asks for the changes before the next step, and applies them.
    pub(super) fn apply_changes(&mut self) -> Result<(), RunError> {
        let Some(changes) = self.run.changes else {
            return Ok(());
        };
        let steps = self.simulation.steps();
        let Some(pipeline) = changes(steps, self.changes_asked.replace(steps)) else {
            return Ok(());
        };
        self.change(pipeline.map_err(RunError::Input)?)
    }

    /// Continues with the values of another pipeline. If more than values differs, builds the kernels anew and keeps the
    /// state, as in a window.
    fn change(&mut self, mut pipeline: Pipeline) -> Result<(), RunError> {
        races::instrument(self.run.gpu, &mut pipeline, &self.run.options);
        let now = self.simulation.pipeline();
        if now.differs_in_values_alone(&pipeline) {
            return self.simulation.set_values(pipeline);
        }
        if let Some(what) = obstacle(now, &pipeline) {
            let steps = self.simulation.steps();
            let message = format!("a change after step {steps} changes {what}");
            let help = "set such parameters at the start, with --set";
            return Err(RunError::Input(Problem::without_place(message).help(help).into()));
        }
        let modules = crate::shader::build(
            &pipeline,
            device_class(self.run.gpu),
            self.run.swaps,
            self.run.gpu.cache(),
        )?;
        let simulation = &mut self.simulation;
        self.frames.release_until(simulation, simulation.frames())?;
        self.checkpoints.settle(simulation, &mut self.frames)?;
        if let Some(hashes) = &mut self.hashes {
            hashes.settle(simulation)?;
        }
        simulation.rebuild(pipeline, modules)
    }
}

/// The first difference between two pipelines that a run cannot apply between steps.
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
