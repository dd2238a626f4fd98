//! Measures the stages of a pipeline: times, bytes, and the rate of a copy.

mod copy;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::ir::{self, List, ResourceId, Stage};
use crate::run;

use super::device::Device;
use super::error::Error;
use super::pipeline::Pipeline;
use super::simulation::Simulation;

/// Options of [`Bench::measure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenchOptions {
    /// Steps before the first measurement.
    pub warm_up: u64,
    /// Steps per run; `None` for about a second, at least as many as the rarest stage needs to run once.
    pub steps: Option<u64>,
    /// Runs: values are medians over them.
    pub runs: u32,
}

impl Default for BenchOptions {
    fn default() -> BenchOptions {
        BenchOptions {
            warm_up: 16,
            steps: None,
            runs: 3,
        }
    }
}

/// The times of a pipeline on a device, without its outputs. Bytes are those that stages declare, each once per dispatch.
///
/// ```
/// use sastrugi::{Bench, BenchOptions, Builder, Device, DeviceOptions, Element, Entry};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pipeline = Builder::new("double")
///     .time(1)
///     .buffer("value", Element::Float, 1000)
///     .step(Entry::stage("double", 1000).reads(["value"]).writes(["value"]).glsl(r#"
///         #version 460
///         #include "stage.glsl"
///         void stage(uint i) { set_value(i, 2.0 * value(i)); }
///     "#))
///     .build()?;
/// # let device = Device::open(&DeviceOptions::default());
/// # if device.is_err() && std::env::var_os("SASTRUGI_REQUIRE_GPU").is_none() { return Ok(()); }
/// # drop(device);
/// let device = Device::open(&DeviceOptions::default())?;
/// let options = BenchOptions { steps: Some(20), ..BenchOptions::default() };
/// let bench = Bench::measure(&device, &pipeline, options, &mut |_| {})?;
/// assert_eq!(bench.step.stages[0].stage, "double");
/// assert_eq!(bench.step.stages[0].bytes, Some(8000));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// Title of the pipeline.
    pub pipeline: String,
    /// Version of the program.
    pub program: String,
    /// Name of the device.
    pub device: String,
    /// Driver and its version.
    pub driver: String,
    /// Bytes per nanosecond of a copy from one buffer to another, reads and writes together: GB/s.
    pub copy_gb_per_s: f64,
    /// Steps per run.
    pub steps: u64,
    /// Number of runs.
    pub runs: u32,
    /// The `step` list.
    pub step: ListBench,
    /// The `frame` list, if it has stages.
    pub frame: Option<ListBench>,
    /// The part of the shorter of the two lists that runs at the same time as the other one, from 0 to 1, in frames of all
    /// their steps.
    pub overlap: Option<f64>,
}

/// The times of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListBench {
    /// Time per pass, without timestamps of stages, ms.
    pub wall_ms: Spread,
    /// Time of the program for the submission of a pass, ms.
    pub host_ms: Spread,
    /// Dispatches per pass.
    pub dispatches: f64,
    /// Barriers per pass.
    pub barriers: f64,
    /// Stages that ran, in the order of the list.
    pub stages: Vec<StageBench>,
}

/// The time of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageBench {
    /// Its name.
    pub stage: String,
    /// It runs in every n-th pass.
    pub every: u32,
    /// Its dispatches in a pass in which it runs.
    pub dispatches: u32,
    /// Time on the device in a pass in which it runs, all dispatches together, ms.
    pub device_ms: Spread,
    /// Its share of the time that all stages of its list take on the device, from 0 to 1.
    pub share: f64,
    /// Bytes that these dispatches move, as the stage declares its accesses; `None` if the number of its elements is
    /// unknown.
    pub bytes: Option<u64>,
}

/// The median, the smallest and the largest of the medians of all runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

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

    /// Steps per second, without outputs and frames.
    pub fn steps_per_second(&self) -> f64 {
        1e3 / self.step.wall_ms.median
    }
}

impl StageBench {
    /// Bytes per nanosecond, by declaration.
    pub fn gb_per_s(&self) -> Option<f64> {
        Some(self.bytes? as f64 * 1e-6 / self.device_ms.median)
    }
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
        Spread {
            median: at(values.len() / 2),
            min: at(0),
            max: at(values.len().saturating_sub(1)),
        }
    }
}

/// Target for the time of a run, s, and limits for its steps.
const RUN_SECONDS: f64 = 1.0;
const STEPS: [u64; 2] = [4, 512];
/// Steps with timestamps in a run, at most: they are slower, because stages do not overlap.
const TIMED_STEPS: u64 = 64;
/// Steps that are submitted at once for the time of their submission: the host never waits for so few.
const SUBMITTED: u32 = 4;

/// Values of all runs so far.
struct Measurement {
    pipeline: std::sync::Arc<ir::Pipeline>,
    steps: u64,
    steps_per_frame: u64,
    frames: u64,
    /// By run.
    step_wall_ms: Vec<f64>,
    step_host_ms: Vec<f64>,
    frame_wall_ms: Vec<f64>,
    frame_host_ms: Vec<f64>,
    /// Time of a frame with its steps, by run, ms.
    together_ms: Vec<f64>,
    /// By stage and run.
    device_ms: Vec<Vec<f64>>,
}

impl Measurement {
    fn new(pipeline: std::sync::Arc<ir::Pipeline>) -> Measurement {
        Measurement {
            steps: 0,
            steps_per_frame: u64::from(pipeline.steps_per_frame.max(1)),
            frames: u64::from(!pipeline.frame.is_empty()),
            step_wall_ms: Vec::new(),
            step_host_ms: Vec::new(),
            frame_wall_ms: Vec::new(),
            frame_host_ms: Vec::new(),
            together_ms: Vec::new(),
            device_ms: vec![Vec::new(); pipeline.stages.len()],
            pipeline,
        }
    }

    /// Runs the first steps, and chooses the number of steps per run.
    fn warm_up(&mut self, simulation: &mut Simulation, options: BenchOptions) -> Result<(), Error> {
        let warm_up = options.warm_up.max(2);
        steps_ms(simulation, warm_up / 2)?;
        let step_ms = steps_ms(simulation, warm_up - warm_up / 2)?;
        let in_step = self
            .pipeline
            .stages
            .iter()
            .filter(|stage| stage.list == List::Step);
        let rarest = in_step.map(|stage| u64::from(stage.every)).max().unwrap_or(1);
        let fitting = || ((1e3 * RUN_SECONDS / step_ms) as u64).clamp(STEPS[0], STEPS[1]);
        self.steps = options.steps.unwrap_or_else(fitting).next_multiple_of(rarest);
        let frame_ms = step_ms * self.steps_per_frame as f64;
        self.frames *= ((1e3 * RUN_SECONDS / frame_ms) as u64).clamp(1, 8);
        Ok(())
    }

    fn run(&mut self, simulation: &mut Simulation) -> Result<(), Error> {
        self.step_wall_ms.push(steps_ms(simulation, self.steps)?);
        let before = Instant::now();
        simulation.steps(u64::from(SUBMITTED))?;
        self.step_host_ms.push(ms_since(before) / f64::from(SUBMITTED));
        simulation.wait()?;
        simulation.ask(|inner| {
            inner.clear_times();
            Ok(())
        })?;
        let rarest = self
            .pipeline
            .stages
            .iter()
            .map(|stage| u64::from(stage.every))
            .max();
        for _ in 0..self.steps.min(TIMED_STEPS.next_multiple_of(rarest.unwrap_or(1))) {
            simulation.timed_step()?;
        }
        for _ in 0..self.frames {
            self.run_frame(simulation)?;
        }
        let medians = simulation.ask(|inner| Ok(inner.timing().medians()))?;
        for (stage, _, ms) in medians {
            self.device_ms[stage].push(ms);
        }
        Ok(())
    }

    /// Runs a frame after its steps, then one together with them.
    fn run_frame(&mut self, simulation: &mut Simulation) -> Result<(), Error> {
        let before = Instant::now();
        simulation.ask(|inner| inner.frame(true))?;
        self.frame_host_ms.push(ms_since(before));
        simulation.wait()?;
        self.frame_wall_ms.push(ms_since(before));
        let before = Instant::now();
        // The frame of one turn runs beside the steps of the next.
        for _ in 0..2 {
            simulation.steps(self.steps_per_frame)?;
            simulation.ask(|inner| inner.frame(true))?;
        }
        simulation.wait()?;
        self.together_ms.push(ms_since(before) / 2.0);
        Ok(())
    }

    fn list(&self, list: List, plan: &crate::plan::Plan, present: &[u64]) -> ListBench {
        let (entries, walls, hosts) = match list {
            List::Frame => (&self.pipeline.frame, &self.frame_wall_ms, &self.frame_host_ms),
            _ => (&self.pipeline.step, &self.step_wall_ms, &self.step_host_ms),
        };
        let per_pass = |(id, stage): (usize, &Stage)| {
            Spread::of(self.device_ms[id].clone()).median / f64::from(stage.every)
        };
        let measured = || {
            let numbered = self.pipeline.stages.iter().enumerate();
            numbered.filter(|(id, stage)| stage.list == list && !self.device_ms[*id].is_empty())
        };
        let all: f64 = measured().map(per_pass).sum();
        let stages = measured().map(|(id, stage)| {
            let dispatches = entries.iter().filter(|entry| entry.stage == id).count() as u32;
            let traffic = self
                .pipeline
                .traffic(stage, &|resource: ResourceId| present[resource]);
            StageBench {
                stage: stage.name.clone(),
                every: stage.every,
                dispatches,
                device_ms: Spread::of(self.device_ms[id].clone()),
                share: per_pass((id, stage)) / all.max(f64::MIN_POSITIVE),
                bytes: traffic.map(|traffic| u64::from(dispatches) * traffic.total()),
            }
        });
        let (dispatches, barriers) = plan.per_pass(list);
        ListBench {
            wall_ms: Spread::of(walls.clone()),
            host_ms: Spread::of(hosts.clone()),
            dispatches,
            barriers,
            stages: stages.collect(),
        }
    }

    fn overlap(&self) -> f64 {
        let median = |values: &[f64]| Spread::of(values.to_vec()).median;
        let steps = median(&self.step_wall_ms) * self.steps_per_frame as f64;
        let frame = median(&self.frame_wall_ms);
        let saved = steps + frame - median(&self.together_ms);
        (saved / steps.min(frame)).clamp(0.0, 1.0)
    }
}

/// Runs some steps and returns the time of one, ms.
fn steps_ms(simulation: &mut Simulation, steps: u64) -> Result<f64, Error> {
    simulation.wait()?;
    let before = Instant::now();
    simulation.steps(steps)?;
    simulation.wait()?;
    Ok(ms_since(before) / steps.max(1) as f64)
}

fn ms_since(before: Instant) -> f64 {
    before.elapsed().as_secs_f64() * 1e3
}
