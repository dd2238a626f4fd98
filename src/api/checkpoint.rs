//! States of simulations as files.

use std::path::Path;

use crate::run::checkpoint;

use super::error::Error;
use super::simulation::Simulation;

impl Simulation {
    /// Waits, and writes the state into a file: everything that later steps depend on, in the format of the checkpoints of
    /// a [`Run`](crate::Run). The file is complete or absent.
    pub fn checkpoint(&mut self, file: impl AsRef<Path>) -> Result<(), Error> {
        self.ask(|inner| checkpoint::save(inner, file.as_ref()))
    }

    /// Continues from a checkpoint of the same pipeline with the same parameters: further steps have the bits of those
    /// after [`Simulation::checkpoint`]. Ends a recording. An error leaves the state unchanged.
    pub fn restore(&mut self, file: impl AsRef<Path>) -> Result<(), Error> {
        self.end_recording()?;
        let state = self.ask(|inner| checkpoint::restore(inner, file.as_ref()))?;
        (self.steps, self.frames, self.drawn_at) = (state.steps, state.frames, None);
        let whole = state.steps / u64::from(self.pipeline.steps_per_frame());
        self.drawn_between = state.frames.saturating_sub(whole);
        Ok(())
    }
}
