//! The runs of a measurement.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use super::super::error::Error;
use super::super::simulation::Simulation;
use super::result::{BenchOptions, DomainBench, ListBench, Spread, StageBench};
use crate::ir::{List, Pipeline, ResourceId, Stage};
use crate::plan::Plan;

/// Target for the time of a run, s, and limits for its steps.
const RUN_SECONDS: f64 = 1.0;
const STEPS: [u64; 2] = [4, 512];
/// Maximum numbers of steps with timestamps and of frames in a run. Such steps are slower, because stages do not overlap.
const TIMED_STEPS: u64 = 64;
const MAX_FRAMES: u64 = 8;
/// Steps that are submitted at once for the time of their submission: the host never waits for so few.
const SUBMITTED: u32 = 4;

/// Values of all runs so far.
pub struct Measurement {
    pub pipeline: Arc<Pipeline>,
    /// Steps of a run without timestamps, steps with them, and frames.
    pub steps: u64,
    timed_steps: u64,
    frames: u64,
    steps_per_frame: u64,
    step: PassTimes,
    frame: PassTimes,
    /// Times of a frame with its steps, ms.
    together_ms: Vec<f64>,
    /// By stage and run.
    device_ms: Vec<Vec<f64>>,
}

/// Times of a pass through a list, ms.
#[derive(Default)]
struct PassTimes {
    /// From its submission to its end.
    wall: Vec<f64>,
    /// Of its submission.
    host: Vec<f64>,
}

impl Measurement {
    pub fn new(pipeline: Arc<Pipeline>) -> Measurement {
        Measurement {
            steps: 0,
            timed_steps: 0,
            frames: 0,
            steps_per_frame: u64::from(pipeline.steps_per_frame.max(1)),
            step: PassTimes::default(),
            frame: PassTimes::default(),
            together_ms: Vec::new(),
            device_ms: vec![Vec::new(); pipeline.stages.len()],
            pipeline,
        }
    }

    /// Runs the first steps, and chooses the numbers of steps and frames per run.
    pub fn warm_up(&mut self, simulation: &mut Simulation, options: BenchOptions) -> Result<(), Error> {
        let warm_up = options.warm_up.max(2);
        steps_ms(simulation, warm_up / 2)?;
        let step_ms = steps_ms(simulation, warm_up - warm_up / 2)?;
        let stages = self.pipeline.stages.iter();
        let in_step = stages.filter(|stage| stage.list == List::Step);
        let rarest = in_step.map(|stage| u64::from(stage.every)).max().unwrap_or(1);
        let fitting = |ms: f64| (1e3 * RUN_SECONDS / ms) as u64;
        let steps = options
            .steps
            .unwrap_or_else(|| fitting(step_ms).clamp(STEPS[0], STEPS[1]));
        self.steps = steps.next_multiple_of(rarest);
        self.timed_steps = steps.min(TIMED_STEPS).next_multiple_of(rarest);
        if !self.pipeline.frame.is_empty() {
            self.frames = fitting(step_ms * self.steps_per_frame as f64).clamp(1, MAX_FRAMES);
        }
        Ok(())
    }

    pub fn run(&mut self, simulation: &mut Simulation) -> Result<(), Error> {
        self.step.wall.push(steps_ms(simulation, self.steps)?);
        let before = Instant::now();
        simulation.steps(u64::from(SUBMITTED))?;
        self.step.host.push(ms_since(before) / f64::from(SUBMITTED));
        simulation.wait()?;
        simulation.ask(|inner| {
            inner.clear_times();
            Ok(())
        })?;
        for _ in 0..self.timed_steps {
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
        self.frame.host.push(ms_since(before));
        simulation.wait()?;
        self.frame.wall.push(ms_since(before));
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

    pub fn list(&self, list: List, plan: &Plan, present: &[u64]) -> ListBench {
        let times = if list == List::Frame {
            &self.frame
        } else {
            &self.step
        };
        let per_pass = |(id, stage): (usize, &Stage)| {
            Spread::of(self.device_ms[id].clone()).median / f64::from(stage.every)
        };
        let measured = || {
            let numbered = self.pipeline.stages.iter().enumerate();
            numbered.filter(|(id, stage)| stage.list == list && !self.device_ms[*id].is_empty())
        };
        let all: f64 = measured().map(per_pass).sum();
        let worlds = self.pipeline.worlds() as u64;
        let stages = measured().map(|(id, stage)| {
            let dispatches = list
                .entries(&self.pipeline)
                .iter()
                .filter(|entry| entry.stage == id)
                .count() as u32;
            let traffic = self
                .pipeline
                .traffic(stage, &|resource: ResourceId| present[resource]);
            StageBench {
                stage: stage.name.clone(),
                every: stage.every,
                dispatches,
                device_ms: Spread::of(self.device_ms[id].clone()),
                share: per_pass((id, stage)) / all.max(f64::MIN_POSITIVE),
                bytes: traffic.map(|traffic| worlds * u64::from(dispatches) * traffic.total()),
                over: self
                    .domain(stage)
                    .map(|id| self.pipeline.resources[id].name.clone()),
            }
        });
        let (dispatches, barriers) = plan.per_pass(list);
        ListBench {
            wall_ms: Spread::of(times.wall.clone()),
            host_ms: Spread::of(times.host.clone()),
            dispatches,
            barriers,
            stages: stages.collect(),
        }
    }

    /// The domains of the stages of the step that ran, those with the most elements first.
    pub fn domains(&self, present: &[u64]) -> Vec<DomainBench> {
        let stages = self.pipeline.stages.iter().enumerate();
        let measured =
            stages.filter(|(id, stage)| stage.list == List::Step && !self.device_ms[*id].is_empty());
        let found: BTreeSet<ResourceId> = measured.filter_map(|(_, stage)| self.domain(stage)).collect();
        let domain = |id: ResourceId| DomainBench {
            resource: self.pipeline.resources[id].name.clone(),
            element: self.pipeline.resources[id].element_name().to_string(),
            elements: present[id],
        };
        let mut domains: Vec<DomainBench> = found.into_iter().map(domain).collect();
        domains.sort_by_key(|domain| Reverse(domain.elements));
        domains
    }

    /// The resource of a stage's domain, unless the engine has made it.
    fn domain(&self, stage: &Stage) -> Option<ResourceId> {
        let declared = |id: &ResourceId| !self.pipeline.resources[*id].pointer.is_empty();
        stage.domain.resource.filter(declared)
    }

    /// The part of the shorter of the two lists that runs beside the other one.
    pub fn overlap(&self) -> f64 {
        let median = |values: &[f64]| Spread::of(values.to_vec()).median;
        let steps = median(&self.step.wall) * self.steps_per_frame as f64;
        let frame = median(&self.frame.wall);
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
