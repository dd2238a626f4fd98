//! Changes of a simulation between two steps.

use std::sync::Arc;

use crate::gpu::Timeline;
use crate::ir::Pipeline;
use crate::plan::{Lane, List};
use crate::shader::Module;

use super::super::error::RunError;
use super::super::races;
use super::super::state::SimulationState;
use super::Simulation;
use super::capture::Extent;

impl Simulation {
    /// The timeline of a lane, for queues beside those of the simulation.
    pub fn timeline(&self, lane: Lane) -> Timeline {
        self.timelines[lane as usize].clone()
    }

    /// Submits the frame stages of the last frame again, after a change of their arguments; before the first step, those of
    /// frame 0. No frame is counted.
    pub fn redraw(&mut self) -> Result<(), RunError> {
        self.finish()?;
        self.prepared
            .memory
            .rewind_frame(&self.prepared.host, &self.prepared.pipeline, self.frames)?;
        self.draws = true;
        // The pass begins with the number of the frame before.
        self.frames = self.frames.wrapping_sub(1);
        let drawn = self.run_list(List::Frame, Lane::Frame, self.steps, false);
        self.frames = self.frames.wrapping_add(1);
        drawn
    }

    /// A pipeline with what the options add to it: for [`Simulation::set_values`] and
    /// [`Simulation::rebuild`].
    pub fn fitted(&self, mut pipeline: Pipeline) -> Pipeline {
        races::instrument(self.gpu(), &mut pipeline, &self.prepared.options);
        pipeline
    }

    /// Continues with the values of a pipeline that [differs in nothing else](Pipeline::differs_in_values_alone). Waits for
    /// the device.
    pub fn set_values(&mut self, pipeline: Pipeline) -> Result<(), RunError> {
        self.alone_for("changes of its values")?;
        self.finish()?;
        self.prepared.set_values(pipeline)
    }

    /// As [`Pipeline::set_arguments`], from the next step on. Waits for the device.
    pub fn set_arguments(&mut self, values: &[(String, Vec<f64>)]) -> Result<bool, RunError> {
        self.alone_for("changes of its values")?;
        self.finish()?;
        self.prepared.set_arguments(values)
    }

    /// As [`Pipeline::set_arguments_by_world`], from the next step on. Waits for the device.
    pub fn set_arguments_by_world(&mut self, values: &[(String, Vec<Vec<f64>>)]) -> Result<bool, RunError> {
        self.finish()?;
        self.prepared.set_arguments_by_world(values)
    }

    /// Continues from the present state with other kernels, repeats or dispatches. An error leaves the simulation unchanged.
    pub fn rebuild(&mut self, pipeline: Pipeline, modules: Vec<Module>) -> Result<(), RunError> {
        self.alone_for("changes of its kernels")?;
        let pending = self.capture(Extent::Everything)?;
        let state = self.captured(pending)?;
        self.continue_from(&state, pipeline, modules)
    }

    /// Continues from another state of its pipeline. An error leaves the simulation unchanged.
    pub fn return_to(&mut self, state: &SimulationState) -> Result<(), RunError> {
        self.alone_for("returns to other states")?;
        let (pipeline, modules) = (self.prepared.pipeline.as_ref().clone(), self.modules().to_vec());
        self.continue_from(state, pipeline, modules)
    }

    fn continue_from(
        &mut self,
        state: &SimulationState,
        pipeline: Pipeline,
        modules: Vec<Module>,
    ) -> Result<(), RunError> {
        self.finish()?;
        let (gpu, probe) = (self.prepared.host.gpu.clone(), Arc::clone(&self.prepared.probe));
        let mut rebuilt = Simulation::probed(
            &gpu,
            pipeline,
            modules,
            self.prepared.options,
            probe,
            Some(state),
            None,
        )?;
        rebuilt.adopt_streams(self)?;
        std::mem::swap(&mut rebuilt.startup, &mut self.startup);
        rebuilt.first_step = self.first_step;
        rebuilt.trace = self.trace.take();
        *self = rebuilt;
        Ok(())
    }
}
