//! Measures the stages of a pipeline: times, bytes, and the rate of a copy.

mod copy;
mod costs;
mod launch;
mod measurement;
mod result;
mod sweep;

use crate::ir::List;
use crate::run;

use super::device::Device;
use super::error::Error;
use super::pipeline::Pipeline;
use super::simulation::Simulation;
use measurement::Measurement;

pub use costs::{CostLine, CostPoint};
pub use result::{Bench, BenchOptions, DomainBench, ListBench, Spread, StageBench};
pub use sweep::{BenchCase, BenchSweep};

impl Bench {
    /// Measures a pipeline. `progress` receives the completed part, from 0 to 1.
    pub fn measure(
        device: &Device,
        pipeline: &Pipeline,
        options: BenchOptions,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Bench, Error> {
        let copy_gb_per_s = copy::rate(device)?;
        let mut measured = Measured::begin(device, pipeline, options)?;
        for run in 0..measured.runs {
            progress(f64::from(run) / f64::from(measured.runs));
            measured.run()?;
        }
        progress(1.0);
        measured.result(device, pipeline, copy_gb_per_s)
    }
}

/// A pipeline that is being measured.
struct Measured {
    simulation: Simulation,
    measurement: Measurement,
    runs: u32,
}

impl Measured {
    /// Starts a simulation and runs its first steps.
    fn begin(device: &Device, pipeline: &Pipeline, options: BenchOptions) -> Result<Measured, Error> {
        let mut simulation = Simulation::new(device, pipeline)?;
        let mut measurement = Measurement::new(simulation.ask(|inner| Ok(inner.pipeline().clone()))?);
        measurement.warm_up(&mut simulation, options)?;
        Ok(Measured {
            simulation,
            measurement,
            runs: options.runs.max(1),
        })
    }

    fn run(&mut self) -> Result<(), Error> {
        self.measurement.run(&mut self.simulation)
    }

    fn result(mut self, device: &Device, pipeline: &Pipeline, copy_gb_per_s: f64) -> Result<Bench, Error> {
        let present = self.simulation.ask(run::present_elements)?;
        let plan = self.simulation.ask(|inner| Ok(inner.plan().clone()))?;
        let measurement = self.measurement;
        let info = device.info();
        let list = |list| measurement.list(list, &plan, &present);
        let has_frame = !measurement.pipeline.frame.is_empty();
        Ok(Bench {
            pipeline: pipeline.title().to_string(),
            program: env!("CARGO_PKG_VERSION").to_string(),
            device: info.name,
            driver: info.driver,
            copy_gb_per_s,
            steps: measurement.steps,
            runs: self.runs,
            domains: measurement.domains(&present),
            step: list(List::Step),
            frame: has_frame.then(|| list(List::Frame)),
            overlap: has_frame.then(|| measurement.overlap()),
        })
    }
}
