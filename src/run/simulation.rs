//! A pipeline on a device: its memory, its recorded segments, and the submission of steps and frames.
//!
//! Everything is recorded once; a step is one submission of a list of recordings. A simulation does not write files.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::gpu::{Buffer, DeviceKind, Gpu, Recording, Timeline};
use crate::ir::{FieldId, Pipeline};
use crate::output::manifest::Startup;
use crate::plan::schedule::LANES;
use crate::plan::{Lane, List, Plan, Schedule, Segment, Touched};
use crate::ranks::Ranks;
use crate::shader::Module;

use super::device::{device_class, notices};
use super::error::RunError;
use super::options::Options;
use super::pages::PagesUsage;
use super::prepared::Prepared;
use super::probe::{NoProbe, Probe};
use super::races;
use super::recordings::Recordings;
use super::sharing::Sharing;
use super::startup::{Stopwatch, milliseconds};
use super::state::SimulationState;
use super::timing::Timing;
use super::trace::Trace;
use rank::Ranked;
use staging::StagingMemory;

#[cfg(feature = "internals")]
mod alone;
pub(super) mod capture;
mod collect;
mod count;
mod findings;
mod live;
mod memory;
mod migrate;
mod pass;
mod rank;
mod ranked;
mod repeats;
mod requests;
mod share;
mod shares;
mod signals;
pub(super) mod staging;
mod submit;
mod tools;
mod waits;

/// Largest number of steps in flight before the host waits: enough to keep the device busy, and few enough to stop
/// soon.
const STEPS_IN_FLIGHT: usize = 8;

/// A pipeline that is ready to run, or running.
pub struct Simulation {
    recordings: Recordings,
    /// After the recordings that use its memory, which are dropped first.
    prepared: Prepared,
    schedule: Schedule,
    timelines: [Timeline; LANES.len()],
    timing: Timing,
    /// The value of each lane at the end of its last timed pass.
    timed: [u64; LANES.len()],
    steps: u64,
    frames: u64,
    /// The current frame is drawn, not only measured.
    draws: bool,
    /// The values that the last steps signal.
    in_flight: VecDeque<u64>,
    /// Times of the start, without the sums, which the run adds.
    startup: Startup,
    /// The time at which its first step was submitted.
    first_step: Option<Instant>,
    /// The trace of the run, if any.
    trace: Option<Trace>,
    /// Warnings that no client has taken yet.
    warnings: Vec<String>,
    /// Memory of captured states.
    staging: StagingMemory,
    /// Set if several ranks run the simulation.
    ranked: Option<Ranked>,
    /// Fields that clients have written: part of the state, even if no stage writes them.
    given: BTreeSet<FieldId>,
    /// Streams of CUDA that use its fields.
    sharing: Option<Sharing>,
}

impl Simulation {
    /// Allocates, compiles and records everything, and runs the init stages.
    pub fn new(
        gpu: &Gpu,
        pipeline: Pipeline,
        swaps: &BTreeMap<String, String>,
        options: Options,
    ) -> Result<Simulation, RunError> {
        let mut pipeline = pipeline;
        races::instrument(gpu, &mut pipeline, &options);
        let modules = crate::shader::build(&pipeline, device_class(gpu), swaps, gpu.cache())?;
        Simulation::with_modules(gpu, pipeline, modules, options)
    }

    /// As [`Simulation::new`], with shaders that are already built.
    pub fn with_modules(
        gpu: &Gpu,
        pipeline: Pipeline,
        modules: Vec<Module>,
        options: Options,
    ) -> Result<Simulation, RunError> {
        Simulation::probed(gpu, pipeline, modules, options, Arc::new(NoProbe), None, None)
    }

    /// As [`Simulation::with_modules`], but starting from a state instead of the init stages.
    #[cfg(feature = "internals")]
    pub fn resume(
        gpu: &Gpu,
        pipeline: Pipeline,
        modules: Vec<Module>,
        options: Options,
        state: &SimulationState,
    ) -> Result<Simulation, RunError> {
        Simulation::probed(
            gpu,
            pipeline,
            modules,
            options,
            Arc::new(NoProbe),
            Some(state),
            None,
        )
    }

    /// A simulation with a probe, from a state or from the init stages, alone or as one of several ranks. Then the pipeline
    /// must be [cut](Pipeline::cut), and all ranks must make the same calls.
    pub fn probed(
        gpu: &Gpu,
        pipeline: Pipeline,
        modules: Vec<Module>,
        options: Options,
        probe: Arc<dyn Probe>,
        state: Option<&SimulationState>,
        ranks: Option<Ranks>,
    ) -> Result<Simulation, RunError> {
        let ranked = Ranked::new(ranks, &pipeline)?;
        let mut startup = Startup::default();
        let prepared = Prepared::new(gpu, pipeline, modules, options, probe, &mut startup)?;
        let mut stopwatch = Stopwatch::start();
        let recordings = Recordings::new(&prepared)?;
        startup.recordings_ms += stopwatch.lap();
        let (timelines, sharing) = Sharing::timelines(gpu, prepared.cuda.as_ref())?;
        let mut simulation = Simulation {
            recordings,
            schedule: Schedule::default(),
            timelines,
            timing: Timing::new(&prepared.pipeline),
            prepared,
            timed: [0; LANES.len()],
            steps: 0,
            frames: 0,
            draws: true,
            in_flight: VecDeque::new(),
            startup,
            first_step: None,
            trace: None,
            warnings: Vec::new(),
            staging: StagingMemory::default(),
            ranked,
            given: BTreeSet::new(),
            sharing,
        };
        match state {
            Some(state) => simulation.restore(state)?,
            None => simulation.run_list(List::Init, Lane::Step, 0, false)?,
        }
        simulation.divide_sums()?;
        simulation.startup.init_ms = stopwatch.lap();
        Ok(simulation)
    }

    /// The device that it runs on.
    pub fn gpu(&self) -> &Gpu {
        &self.prepared.host.gpu
    }

    pub fn pipeline(&self) -> &Arc<Pipeline> {
        &self.prepared.pipeline
    }

    /// The shaders of its stages.
    pub fn modules(&self) -> &[Module] {
        &self.prepared.modules
    }

    /// Times of the start, without the sums, which the run adds.
    pub fn startup(&self) -> &Startup {
        &self.startup
    }

    /// The time at which its first step was submitted.
    pub fn first_step(&self) -> Option<Instant> {
        self.first_step
    }

    /// Times of stages in the timed passes.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// Forgets the times of stages so far.
    pub fn clear_times(&mut self) {
        self.timing.clear();
    }

    /// Its plan.
    pub fn plan(&self) -> &Plan {
        &self.prepared.plan
    }

    /// Notices about paging that is not the best type, about an incomplete search for races, and about initial values.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = notices(&self.prepared.pipeline, self.gpu().report());
        notices.extend(self.prepared.races.notices(self.gpu(), &self.prepared.options));
        notices.extend_from_slice(self.prepared.memory.notices());
        notices
    }

    /// Takes the warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Starts to trace the queues of the device.
    pub fn start_trace(&mut self) -> Result<(), RunError> {
        self.trace = Some(Trace::start(&self.prepared.host)?);
        Ok(())
    }

    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Steps submitted so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Frames submitted so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Submits one step; waits only when too many are in flight. A timed step records how long its stages take.
    pub fn step(&mut self, timed: bool) -> Result<(), RunError> {
        let timed = timed && self.timing.begin(List::Step);
        let submitted = Instant::now();
        self.run_list(List::Step, Lane::Step, self.steps, timed)?;
        if self.first_step.is_none() {
            self.first_step = Some(Instant::now());
            self.startup.first_step_ms = milliseconds(submitted.elapsed());
        }
        self.steps += 1;
        self.in_flight.push_back(self.schedule.last(Lane::Step));
        if self.in_flight.len() > STEPS_IN_FLIGHT {
            self.in_flight
                .pop_front()
                .map_or(Ok(()), |value| self.wait(Lane::Step, value))
        } else {
            Ok(())
        }
    }

    /// Submits the frame stages for the state after the last step, and increments the frame number. If no output uses
    /// their results, submits only those that measure.
    pub fn frame(&mut self, draw: bool) -> Result<(), RunError> {
        let measures = |segment: &Segment| segment.measures && segment.is_due(self.frames);
        if (draw || self.prepared.plan.frame.iter().any(measures)) && !self.prepared.pipeline.frame.is_empty()
        {
            self.draws = draw;
            let timed = self.timing.begin(List::Frame);
            self.run_list(List::Frame, Lane::Frame, self.steps, timed)?;
        } else {
            self.run_clock_only()?;
        }
        self.frames += 1;
        Ok(())
    }

    /// Copies fields to buffers that the host can read: each from a world on, as many bytes as the buffer has. Returns the value
    /// of the download lane at which they are complete.
    pub fn download(&mut self, copies: &[(FieldId, usize, Buffer)]) -> Result<u64, RunError> {
        let mut touched = Touched::default();
        for (field, world, staging) in copies {
            let (memory, copy) = self.newest(*field);
            self.recordings
                .record_download(&self.prepared, (memory, copy), *world, staging)?;
            touched.reads.push((memory, copy));
        }
        let ticket = self.schedule.submit(Lane::Download, &touched);
        let recorded = copies.iter().zip(&touched.reads);
        let recordings = recorded
            .filter_map(|((.., staging), (memory, copy))| self.recordings.download(*memory, *copy, staging));
        let recordings: Vec<&Recording> = recordings.collect();
        let batch = self.batch(Lane::Download, &ticket.waits, recordings, ticket.signal);
        self.submit(Lane::Download, &format!("download {}", self.frames), vec![batch])?;
        Ok(ticket.signal)
    }

    /// The sparse grids: their active blocks, and the cost of their last updates.
    pub fn pages(&self) -> Vec<PagesUsage> {
        self.prepared.pages.usage()
    }

    /// Waits for everything and collects the last timings.
    pub fn finish(&mut self) -> Result<(), RunError> {
        for lane in LANES {
            self.wait(lane, self.schedule.last(lane))?;
        }
        self.wait_for_streams()?;
        self.collect_times()
    }

    /// Collects the timings of a timed pass that has ended.
    pub fn collect_times(&mut self) -> Result<(), RunError> {
        if !self.timing.is_pending() {
            return Ok(());
        }
        if self.waits_for_times() {
            // The wait has a time limit, which detects shaders that do not end.
            for lane in LANES {
                self.wait(lane, self.schedule.last(lane))?;
            }
        }
        let (timelines, timed) = (&self.timelines, &self.timed);
        self.timing
            .collect(&self.recordings, &self.prepared.pipeline, |list| {
                let lane = if list == List::Frame {
                    Lane::Frame
                } else {
                    Lane::Step
                };
                let value = timed[lane as usize];
                Ok(value == 0 || timelines[lane as usize].wait(value, Duration::ZERO)?)
            })
    }

    /// Returns true if the driver waits for all pending work when it reads timestamps, like Mesa's lavapipe. Then few steps
    /// should be timed.
    pub fn waits_for_times(&self) -> bool {
        self.gpu().report().kind == DeviceKind::Cpu
    }

    /// The value that the last submission of a lane signals.
    pub fn last(&self, lane: Lane) -> u64 {
        self.schedule.last(lane)
    }

    /// The newest values of a field: the field that owns the memory, and the copy.
    fn newest(&self, field: FieldId) -> (FieldId, u32) {
        self.prepared.plan.newest(field, self.steps)
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        if let Some(ranked) = &self.ranked {
            ranked.exchanges.end_waits();
        }
        // The device may still access buffers by address. If the device is lost, the wait fails, which does not matter.
        for lane in LANES {
            let last = self.schedule.last(lane);
            if last > 0 {
                let _ = self.timelines[lane as usize].wait(last, Duration::from_secs(10));
            }
        }
    }
}
