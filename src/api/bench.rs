//! Measures the stages of a pipeline: times, bytes, and the rate of a copy.

mod copy;
mod measurement;
mod result;

use crate::ir::List;
use crate::run;

use super::device::Device;
use super::error::Error;
use super::pipeline::Pipeline;
use super::simulation::Simulation;
use measurement::Measurement;

pub use result::{Bench, BenchOptions, ListBench, Spread, StageBench};

impl Bench {
    /// Measures a pipeline. `progress` receives the completed part, from 0 to 1.
    pub fn measure(
        device: &Device,
        pipeline: &Pipeline,
        options: BenchOptions,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Bench, Error> {
        let copy_gb_per_s = copy::rate(device)?;
        let mut simulation = Simulation::new(device, pipeline)?;
        let mut measurement = Measurement::new(simulation.ask(|inner| Ok(inner.pipeline().clone()))?);
        let runs = options.runs.max(1);
        measurement.warm_up(&mut simulation, options)?;
        for run in 0..runs {
            progress(f64::from(run) / f64::from(runs));
            measurement.run(&mut simulation)?;
        }
        progress(1.0);
        let present = simulation.ask(run::present_elements)?;
        let plan = simulation.ask(|inner| Ok(inner.plan().clone()))?;
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
            runs,
            step: list(List::Step),
            frame: has_frame.then(|| list(List::Frame)),
            overlap: has_frame.then(|| measurement.overlap()),
        })
    }
}
