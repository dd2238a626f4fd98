//! Changes of a simulation that goes on.

use std::sync::Arc;

use crate::gpu::Timeline;
use crate::ir::Pipeline;
use crate::plan::{Lane, List};

use super::super::error::RunError;
use super::Simulation;

impl Simulation {
    /// The timeline of a lane, for queues beside those of the simulation.
    pub(crate) fn timeline(&self, lane: Lane) -> Timeline {
        self.timelines[lane as usize].clone()
    }

    /// Whether another pipeline in the same shapes differs in nothing but the values of arguments.
    pub(crate) fn differs_in_values_alone(&self, other: &Pipeline) -> bool {
        let mut other = other.clone();
        for list in [List::Init, List::Step, List::Frame] {
            let ours = list.entries(&self.pipeline);
            let theirs = match list {
                List::Init => &mut other.init,
                List::Step => &mut other.step,
                List::Frame => &mut other.frame,
            };
            if ours.len() != theirs.len() {
                return false;
            }
            for (ours, theirs) in ours.iter().zip(theirs) {
                theirs.values.clone_from(&ours.values);
            }
        }
        // Texts for people and the length of the run, on which no memory and no recording depends.
        other.document.clone_from(&self.pipeline.document);
        other.quantities.clone_from(&self.pipeline.quantities);
        other.title.clone_from(&self.pipeline.title);
        other.frames = self.pipeline.frames;
        // All parts of a pipeline show in its text for debugging.
        format!("{other:?}") == format!("{:?}", self.pipeline)
    }

    /// Submits the frame stages of the last frame again, after a change of what they draw with. There must be one.
    pub(crate) fn redraw(&mut self) -> Result<(), RunError> {
        self.finish()?;
        self.memory
            .rewind_frame(&self.host, &self.pipeline, self.frames)?;
        self.draws = true;
        // The list counts from the frame before.
        self.frames -= 1;
        let drawn = self.run_list(List::Frame, Lane::Frame, self.steps, false);
        self.frames += 1;
        drawn
    }

    /// Goes on with the values of a pipeline that [differs in these alone](Simulation::differs_in_values_alone). Waits for
    /// the device.
    pub(crate) fn set_values(&mut self, pipeline: Pipeline) -> Result<(), RunError> {
        self.finish()?;
        let (plan, memory, pages) = (&self.plan, &self.memory, &self.pages);
        self.arguments
            .rewrite(&pipeline, plan, memory, pages, &self.races, self.options.shuffle)?;
        self.pipeline = Arc::new(pipeline);
        Ok(())
    }
}
