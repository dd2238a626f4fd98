//! Groups that a program calls between steps.

use crate::problem::{Problem, Problems};

use super::error::Error;
use super::pipeline::Pipeline;
use super::simulation::Simulation;

impl Pipeline {
    /// This pipeline with another group that can be called, as by [`Builder::callable`](crate::Builder::callable).
    pub fn with_callable(&self, name: &str) -> Result<Pipeline, Problems> {
        self.rebuilt(self.builder.clone().callable(name))
    }

    /// The groups that can be called.
    pub fn callable(&self) -> &[String] {
        &self.inner.calls
    }
}

impl Simulation {
    /// Runs a group or a stage between two steps, without a step, and waits for it. It must be
    /// [callable](crate::Builder::callable); [`Pipeline::with_callable`] and [`Simulation::update`] make a group callable
    /// later. The clock is that of the next step.
    pub fn call(&mut self, name: &str) -> Result<(), Error> {
        let calls = &self.pipeline.inner.calls;
        let Some(call) = calls.iter().position(|known| known == name) else {
            let message = format!("`{name}` is not a group that can be called");
            let problem = Problem::without_place(message).suggest(name, calls.iter().map(String::as_str));
            return Err(Error::misuse(problem.to_string()));
        };
        self.drawn_at = None;
        self.ask(|inner| inner.call(call))
    }
}
