//! A pipeline on a device: its memory, its recorded segments, and steps and frames submitted on their queues.
//!
//! Everything is recorded once; a step is one submission of a list of recordings. Files are not its business.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::gpu::{Batch, Buffer, DeviceKind, Gpu, GpuError, Queue, Recording, Timeline};
use crate::output::manifest::Startup;
use crate::plan::schedule::LANES;
use crate::plan::{Lane, List, Plan, Schedule, Segment, Ticket, Touched};
use crate::shader::Module;
use crate::spec::{FieldId, Pipeline};

use super::arguments::Arguments;
use super::fault::{self, Fault};
use super::memory::Memory;
use super::pages::{Pages, PagesUsage};
use super::programs::Programs;
use super::recordings::{Recordings, SegmentSet};
use super::startup::Laps;
use super::state::State;
use super::timing::Timing;
use super::trace::Trace;
use super::{RunError, wait_for};

mod capture;
mod tools;

pub use capture::{Extent, Pending};

/// Steps that may be in flight before the host waits: enough to keep the device busy, few enough to stop soon.
const STEPS_IN_FLIGHT: usize = 8;

/// How stages are run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Accessors check their index; see [`Simulation::fault`].
    pub checked: bool,
    /// A full barrier after every command. The device must be opened with a single queue.
    pub full_barriers: bool,
    pub hooks: Hooks,
}

/// Ways to break a run on purpose, so that tests can see that an order matters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hooks {
    /// Leaves out the n-th barrier of the step list.
    pub drop_barrier: Option<usize>,
    /// Leaves out every wait for other queues of one lane.
    pub drop_waits: Option<Lane>,
    /// Sleeps for a while, up to so many milliseconds, in every update of a sparse grid.
    pub delay_updates: Option<u64>,
    /// Writers wait so many milliseconds before each file, as if the disk were slow.
    pub delay_writes: Option<u64>,
    /// Waits for every bind of pages, to time it.
    pub time_binds: bool,
}

/// A pipeline that is ready to run, or running.
pub struct Simulation {
    pub gpu: Gpu,
    pub pipeline: Arc<Pipeline>,
    pub plan: Plan,
    pub modules: Vec<Module>,
    memory: Memory,
    programs: Programs,
    arguments: Arguments,
    recordings: Recordings,
    /// After the recordings that use them.
    pages: Pages,
    options: Options,
    schedule: Schedule,
    timelines: [Timeline; LANES.len()],
    pub timing: Timing,
    /// What each lane has reached when its last timed turn has ended.
    timed: [u64; LANES.len()],
    steps: u64,
    frames: u64,
    /// Whether the frame in hand is drawn, or only measured.
    draws: bool,
    /// The value that each of the last steps ends with.
    in_flight: VecDeque<u64>,
    /// What making it took; without the sums, which the run knows.
    pub startup: Startup,
    /// When its first step was submitted.
    pub first_step: Option<Instant>,
    /// Where the times of submissions go.
    pub trace: Option<Rc<Trace>>,
}

/// The queue of a lane.
fn queue(lane: Lane) -> Queue {
    match lane {
        Lane::Step => Queue::Compute,
        Lane::Frame => Queue::Output,
        Lane::Download => Queue::Transfer,
    }
}

/// A segment on its way to its queue.
struct Queued {
    segment: usize,
    ticket: Ticket,
    /// What binds pages that it needs.
    bound: Option<(Timeline, u64)>,
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
        pipeline.shape_for(super::device_class(gpu));
        let modules = crate::shader::build(&pipeline, swaps, gpu.cache())?;
        Simulation::with_modules(gpu, pipeline, modules, options)
    }

    /// As [`Simulation::new`], with shaders that are already built.
    pub fn with_modules(
        gpu: &Gpu,
        pipeline: Pipeline,
        modules: Vec<Module>,
        options: Options,
    ) -> Result<Simulation, RunError> {
        let mut simulation = Simulation::prepare(gpu, pipeline, modules, options)?;
        let mut laps = Laps::start();
        simulation.run_list(List::Init, Lane::Step, 0, false)?;
        simulation.startup.init_ms = laps.lap();
        Ok(simulation)
    }

    /// As [`Simulation::with_modules`], going on from a state instead of from the init stages.
    pub fn resume(
        gpu: &Gpu,
        pipeline: Pipeline,
        modules: Vec<Module>,
        options: Options,
        state: &State,
    ) -> Result<Simulation, RunError> {
        let mut simulation = Simulation::prepare(gpu, pipeline, modules, options)?;
        let mut laps = Laps::start();
        simulation.restore(state)?;
        simulation.startup.init_ms = laps.lap();
        Ok(simulation)
    }

    fn prepare(
        gpu: &Gpu,
        pipeline: Pipeline,
        modules: Vec<Module>,
        options: Options,
    ) -> Result<Simulation, RunError> {
        let plan = crate::plan::plan(&pipeline)
            .map_err(crate::spec::Problem::without_place)
            .map_err(|problem| RunError::Input(problem.into()))?;
        let mut startup = Startup::default();
        let pages = Pages::new(gpu, &pipeline, options)?;
        // One waits for the disk and the device, the other for the driver's compiler.
        let (memory, programs) = rayon::join(
            || Laps::of(&mut startup.memory_ms, || Memory::new(gpu, &pipeline)),
            || {
                Laps::of(&mut startup.pipelines_ms, || {
                    Programs::new(gpu, &modules, &pages, options.checked)
                })
            },
        );
        let (memory, programs) = (memory?, programs?);
        let mut laps = Laps::start();
        let arguments = Arguments::new(gpu, &pipeline, &plan, &modules, &memory, &pages)?;
        let pipeline = Arc::new(pipeline);
        let timing = Timing::new(&pipeline);
        let recordings = Recordings::new(
            gpu, &pipeline, &plan, &programs, &arguments, &memory, &pages, options,
        )?;
        startup.recordings_ms = laps.lap();
        let timelines = [
            gpu.timeline("steps")?,
            gpu.timeline("frames")?,
            gpu.timeline("downloads")?,
        ];
        Ok(Simulation {
            gpu: gpu.clone(),
            pipeline,
            plan,
            modules,
            memory,
            pages,
            programs,
            arguments,
            recordings,
            options,
            schedule: Schedule::default(),
            timelines,
            timing,
            timed: [0; LANES.len()],
            steps: 0,
            frames: 0,
            draws: true,
            in_flight: VecDeque::new(),
            startup,
            first_step: None,
            trace: None,
        })
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
        self.run_list(List::Step, Lane::Step, self.steps, timed)?;
        self.first_step.get_or_insert_with(Instant::now);
        self.steps += 1;
        self.in_flight.push_back(self.schedule.last(Lane::Step));
        match self.in_flight.len() > STEPS_IN_FLIGHT {
            true => self
                .in_flight
                .pop_front()
                .map_or(Ok(()), |value| self.wait(Lane::Step, value)),
            false => Ok(()),
        }
    }

    /// Submits the frame stages for the state after the last step, or, where nobody will look at what they make,
    /// only those that measure, and moves the frame count on.
    pub fn frame(&mut self, draw: bool) -> Result<(), RunError> {
        let measures = |segment: &Segment| segment.measures && segment.is_due(self.frames);
        if (draw || self.plan.frame.iter().any(measures)) && !self.pipeline.frame.is_empty() {
            self.draws = draw;
            let timed = self.timing.begin(List::Frame);
            self.run_list(List::Frame, Lane::Frame, self.steps, timed)?;
        } else {
            self.run_clock_only()?;
        }
        self.frames += 1;
        Ok(())
    }

    /// Copies fields into buffers of the host's; the returned value is reached on the download lane when they are there.
    pub fn download(&mut self, copies: &[(FieldId, Buffer)]) -> Result<u64, RunError> {
        let mut touched = Touched::default();
        for (field, staging) in copies {
            let copy = self.newest(*field);
            self.recordings
                .copy(&self.gpu, &self.memory, *field, copy, staging)?;
            touched.reads.push((*field, copy));
        }
        let ticket = self.schedule.submit(Lane::Download, &touched);
        let recorded = copies.iter().zip(&touched.reads);
        let recordings = recorded
            .filter_map(|((field, staging), (_, copy))| self.recordings.copied(*field, *copy, staging));
        let recordings: Vec<&Recording> = recordings.collect();
        let batch = self.batch(Lane::Download, &ticket.waits, recordings, ticket.signal);
        self.submit(Lane::Download, &format!("download {}", self.frames), vec![batch])?;
        Ok(ticket.signal)
    }

    /// The sparse grids: what is active, and what their last updates cost.
    pub fn pages(&self) -> Vec<PagesUsage> {
        self.pages.usage()
    }

    /// Waits until a lane has reached a value.
    pub fn wait(&self, lane: Lane, value: u64) -> Result<(), RunError> {
        if value == 0 {
            return Ok(());
        }
        wait_for(
            &self.timelines[lane as usize],
            value,
            &format!("submission {value} of its {lane:?} queue"),
        )
    }

    /// Whether a lane has reached a value, without waiting.
    pub fn has_reached(&self, lane: Lane, value: u64) -> Result<bool, RunError> {
        Ok(value == 0 || self.timelines[lane as usize].wait(value, Duration::ZERO)?)
    }

    /// Waits for everything and takes in the last timings.
    pub fn finish(&mut self) -> Result<(), RunError> {
        for lane in LANES {
            self.wait(lane, self.schedule.last(lane))?;
        }
        self.collect_times()
    }

    /// Takes in the timings of a timed turn that has ended.
    pub fn collect_times(&mut self) -> Result<(), RunError> {
        if !self.timing.is_pending() {
            return Ok(());
        }
        if self.waits_for_times() {
            // Here with a time-out, so that a shader that does not end is found.
            for lane in LANES {
                self.wait(lane, self.schedule.last(lane))?;
            }
        }
        let (timelines, timed) = (&self.timelines, &self.timed);
        self.timing.collect(&self.recordings, &self.pipeline, |list| {
            let lane = if list == List::Frame {
                Lane::Frame
            } else {
                Lane::Step
            };
            let value = timed[lane as usize];
            Ok(value == 0 || timelines[lane as usize].wait(value, Duration::ZERO)?)
        })
    }

    /// Whether the driver waits for all that is under way when it is asked for a time stamp, as Mesa's lavapipe does: so
    /// turns should not be timed often there.
    pub fn waits_for_times(&self) -> bool {
        self.gpu.report().kind == DeviceKind::Cpu
    }

    /// The first fault of a checked run so far. Call it when the work in question has been waited for.
    pub fn fault(&self) -> Result<Option<Fault>, RunError> {
        if !self.options.checked {
            return Ok(None);
        }
        let records = self.memory.fault_records()?;
        Ok(records
            .into_iter()
            .find_map(|record| Fault::decode(record, &self.pipeline)))
    }

    /// Adds to an error of a device that hangs or is lost what it was at: the last stages that began, of steps and of
    /// frames.
    pub fn explain(&self, error: RunError) -> RunError {
        let records = self.memory.fault_records().unwrap_or_default();
        let lists = ["a step", "a frame"].into_iter().zip(records);
        let began = lists.filter_map(|(list, record)| {
            let stage = fault::last_started(record, &self.pipeline)?;
            Some(format!("`{stage}` of {list}"))
        });
        let began: Vec<String> = began.collect();
        let began = match began.is_empty() {
            true => "no stage had begun".to_string(),
            false => format!("the last stage that began is {}", began.join(", beside it ")),
        };
        match error {
            RunError::Timeout { what, seconds, .. } => RunError::Timeout { what, seconds, began },
            RunError::Gpu(lost @ GpuError::DeviceLost { .. }) => RunError::Lost { lost, began },
            other => other,
        }
    }

    /// What is mapped of a field that the host reads. Call it when the work in question has been waited for.
    pub(super) fn mapped(&self, field: FieldId) -> Result<&[u8], RunError> {
        Ok(self.memory.field(field, 0).bytes()?)
    }

    /// The value that the last submission of a lane ends with.
    pub fn last(&self, lane: Lane) -> u64 {
        self.schedule.last(lane)
    }

    /// The copy of a field that holds its newest values.
    fn newest(&self, field: FieldId) -> u32 {
        self.plan.copies(List::Frame, 0, field, self.steps).0
    }

    /// One turn of a list: every segment that is due, in one submission, unless an update has to be waited for.
    fn run_list(&mut self, list: List, lane: Lane, steps: u64, timed: bool) -> Result<(), RunError> {
        let turn = if list == List::Frame { self.frames } else { steps };
        let segments = self.plan.segments(list);
        let due: Vec<usize> = (0..segments.len())
            .filter(|number| segments[*number].is_due(turn))
            .filter(|number| list != List::Frame || segments[*number].is_wanted(self.draws))
            .collect();
        if timed {
            let is_due = |number| due.contains(&number);
            self.timing
                .started(list, (0..segments.len()).map(is_due).collect());
        }
        let mut queued: Vec<Queued> = Vec::new();
        for number in due {
            let segment = &self.plan.segments(list)[number];
            let (collects, applies) = (segment.collects, segment.applies);
            let touched = self.plan.touched(&self.pipeline, segment, steps);
            let mut bound = None;
            if let Some(grid) = applies {
                // What the host and its binds wait for must have been submitted.
                let (collected, applied) = self.pages.awaited(grid, list == List::Init);
                let awaited =
                    |queued: &Queued| [collected, Some(applied)].contains(&Some(queued.ticket.signal));
                if queued.iter().any(awaited) {
                    self.submit_queued(list, lane, steps, timed, std::mem::take(&mut queued))?;
                }
                self.wait(lane, collected.unwrap_or(0))?;
                let timeline = &self.timelines[lane as usize];
                let at_once = list == List::Init;
                let update = (self.pages).update(&self.gpu, grid, &self.memory, at_once, timeline);
                bound = match update {
                    Ok(bound) => bound,
                    Err(error) => {
                        // Whoever waits for what is under way shall not wait for ever.
                        self.submit_queued(list, lane, steps, timed, queued)?;
                        return Err(error);
                    }
                };
            }
            let ticket = self.schedule.submit(lane, &touched);
            if let Some(grid) = collects {
                self.pages.collected(grid, ticket.signal);
            }
            if let Some(grid) = applies {
                self.pages.applied(grid, ticket.signal);
            }
            queued.push(Queued {
                segment: number,
                ticket,
                bound,
            });
        }
        self.submit_queued(list, lane, steps, timed, queued)?;
        if timed {
            self.timed[lane as usize] = self.schedule.last(lane);
        }
        Ok(())
    }

    fn submit_queued(
        &self,
        list: List,
        lane: Lane,
        steps: u64,
        timed: bool,
        queued: Vec<Queued>,
    ) -> Result<(), RunError> {
        let slot = (steps % u64::from(self.pipeline.slots())) as u32;
        let set: &SegmentSet = self.recordings.of(list, slot, timed);
        // Segments that wait for nothing new join the batch before them, but for one whose end the host waits for.
        let mut batches: Vec<Batch> = Vec::new();
        let mut awaited = false;
        for Queued {
            segment,
            ticket,
            bound,
        } in queued
        {
            let recording = &set.segments[segment];
            let signal = (self.timelines[lane as usize].clone(), ticket.signal);
            match batches.last_mut() {
                Some(batch) if ticket.waits.is_empty() && bound.is_none() && !awaited => {
                    batch.recordings.push(recording);
                    batch.signals = vec![signal];
                }
                _ => {
                    let mut batch = self.batch(lane, &ticket.waits, vec![recording], ticket.signal);
                    batch.waits.extend(bound);
                    batches.push(batch);
                }
            }
            awaited = self.plan.segments(list)[segment].collects.is_some();
        }
        let name = match list {
            List::Init => "init".to_string(),
            List::Step => format!("step {}", steps + 1),
            List::Frame => format!("frame {}", self.frames + 1),
        };
        self.submit(lane, &name, batches)
    }

    /// The way of every submission to its queue.
    fn submit(&self, lane: Lane, name: &str, batches: Vec<Batch>) -> Result<(), RunError> {
        match &self.trace {
            Some(trace) => trace.submit(&self.gpu, lane, queue(lane), name, batches)?,
            None => self.gpu.submit(queue(lane), &batches)?,
        }
        Ok(())
    }

    /// A frame that is not drawn still counts.
    fn run_clock_only(&mut self) -> Result<(), RunError> {
        let touched = self.plan.touched_by_clock(List::Frame);
        let ticket = self.schedule.submit(Lane::Frame, &touched);
        let batch = self.batch(
            Lane::Frame,
            &ticket.waits,
            vec![&self.recordings.frame_clock],
            ticket.signal,
        );
        self.submit(Lane::Frame, "frame clock", vec![batch])
    }

    fn batch<'a>(
        &self,
        lane: Lane,
        waits: &[(Lane, u64)],
        recordings: Vec<&'a Recording>,
        signal: u64,
    ) -> Batch<'a> {
        let dropped = self.options.hooks.drop_waits == Some(lane);
        let waits = waits.iter().filter(|_| !dropped);
        Batch {
            waits: waits
                .map(|(lane, value)| (self.timelines[*lane as usize].clone(), *value))
                .collect(),
            recordings,
            signals: vec![(self.timelines[lane as usize].clone(), signal)],
        }
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        // Buffers behind addresses may still be in use; a lost device has nothing left to wait for.
        for lane in LANES {
            let last = self.schedule.last(lane);
            if last > 0 {
                let _ = self.timelines[lane as usize].wait(last, Duration::from_secs(10));
            }
        }
    }
}
