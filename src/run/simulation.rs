//! A pipeline on a device: its memory, its recorded segments, and steps and frames submitted on their queues.
//!
//! Everything is recorded once; a step is one submission of a list of recordings. Files are not its business.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crate::gpu::{Batch, Buffer, BufferKind, Gpu, Queue, Recorder, Recording, Timeline};
use crate::plan::schedule::LANES;
use crate::plan::{Lane, List, Plan, Schedule, Ticket, Touched};
use crate::shader::Module;
use crate::spec::{FieldId, Groups, Home, Pipeline};

use super::arguments::Arguments;
use super::fault::Fault;
use super::memory::{Memory, run_once};
use super::pages::{Pages, PagesUsage};
use super::programs::Programs;
use super::recordings::{Recordings, SegmentSet, dispatch_groups};
use super::timing::Timing;
use super::{RunError, wait_for};

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
    steps: u64,
    frames: u64,
    /// The value that each of the last steps ends with.
    in_flight: VecDeque<u64>,
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
        let modules = crate::shader::build(&pipeline, swaps)?;
        Simulation::with_modules(gpu, pipeline, modules, options)
    }

    /// As [`Simulation::new`], with shaders that are already built.
    pub fn with_modules(
        gpu: &Gpu,
        pipeline: Pipeline,
        modules: Vec<Module>,
        options: Options,
    ) -> Result<Simulation, RunError> {
        let plan = crate::plan::plan(&pipeline)
            .map_err(crate::spec::Problem::without_place)
            .map_err(|problem| RunError::Input(problem.into()))?;
        let memory = Memory::new(gpu, &pipeline)?;
        let pages = Pages::new(gpu, &pipeline, options)?;
        let programs = Programs::new(gpu, &modules, &pages, options.checked)?;
        let arguments = Arguments::new(gpu, &pipeline, &plan, &modules, &memory, &pages)?;
        let pipeline = Arc::new(pipeline);
        let timing = Timing::new(&pipeline);
        let recordings = Recordings::new(
            gpu, &pipeline, &plan, &programs, &arguments, &memory, &pages, options,
        )?;
        let timelines = [
            gpu.timeline("steps")?,
            gpu.timeline("frames")?,
            gpu.timeline("downloads")?,
        ];
        let mut simulation = Simulation {
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
            steps: 0,
            frames: 0,
            in_flight: VecDeque::new(),
        };
        simulation.run_list(List::Init, Lane::Step, 0, false)?;
        Ok(simulation)
    }

    /// Steps submitted so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Submits one step; waits only when too many are in flight. A timed step records how long its stages take.
    pub fn step(&mut self, timed: bool) -> Result<(), RunError> {
        let timed = timed && self.timing.begin(List::Step);
        self.run_list(List::Step, Lane::Step, self.steps, timed)?;
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
    /// only moves the frame count on.
    pub fn frame(&mut self, draw: bool) -> Result<(), RunError> {
        if draw && !self.pipeline.frame.is_empty() {
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
        self.gpu.submit(queue(Lane::Download), &[batch])?;
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

    /// Waits for everything and takes in the last timings.
    pub fn finish(&mut self) -> Result<(), RunError> {
        for lane in LANES {
            self.wait(lane, self.schedule.last(lane))?;
        }
        self.collect_times()
    }

    /// Takes in the timings of a timed turn that has ended.
    pub fn collect_times(&mut self) -> Result<(), RunError> {
        self.timing.collect(&self.recordings, &self.pipeline)
    }

    /// The first fault of a checked run so far. Call it when the work in question has been waited for.
    pub fn fault(&self) -> Result<Option<Fault>, RunError> {
        if !self.options.checked {
            return Ok(None);
        }
        Ok(Fault::decode(self.memory.fault.bytes()?, &self.pipeline))
    }

    /// The copy of a field that holds its newest values.
    fn newest(&self, field: FieldId) -> u32 {
        self.plan.copies(List::Frame, 0, field, self.steps).0
    }

    /// The newest values of a field, after everything submitted. For tests and tools, not for the loop.
    pub fn read(&mut self, field: &str) -> Result<Vec<u8>, RunError> {
        let id = self.field(field)?;
        if self.pipeline.fields[id].home == Home::Pages {
            self.finish()?;
            return self.pages.read(&self.gpu, &self.pipeline, id);
        }
        let staging = self
            .gpu
            .buffer("read back", self.pipeline.field_bytes(id), BufferKind::Download)?;
        let value = self.download(&[(id, staging.clone())])?;
        self.recordings.forget(&staging);
        self.wait(Lane::Download, value)?;
        Ok(staging.bytes()?.to_vec())
    }

    /// Replaces the newest values of a field. For tests and tools.
    pub fn write(&mut self, field: &str, bytes: &[u8]) -> Result<(), RunError> {
        let id = self.field(field)?;
        if bytes.len() as u64 != self.pipeline.field_bytes(id) {
            let wanted = self.pipeline.field_bytes(id);
            return Err(RunError::Failed(format!(
                "`{field}` has {wanted} bytes, not {}",
                bytes.len()
            )));
        }
        self.finish()?;
        if self.pipeline.fields[id].home == Home::Pages {
            return self.pages.write(&self.gpu, &self.pipeline, id, bytes);
        }
        let staging = self.gpu.buffer("write", bytes.len() as u64, BufferKind::Upload)?;
        staging.write(0, bytes)?;
        let target = self.memory.field(id, self.newest(id));
        run_once(&self.gpu, "write", |recorder| {
            recorder.copy(&staging, 0, target, 0, bytes.len() as u64)
        })
    }

    /// Runs one entry of the step list alone, on the newest values of what it touches, and waits for it. What it
    /// writes becomes the newest, also where a step would move a ring on. For tests and tools.
    pub fn run_alone(&mut self, invocation: usize) -> Result<(), RunError> {
        self.finish()?;
        let slot = (self.steps % u64::from(self.pipeline.slots())) as u32;
        let entry = &self.pipeline.step[invocation];
        let stage = &self.pipeline.stages[entry.stage];
        let groups = self.plan.groups(List::Step, invocation);
        let address = self.arguments.of(List::Step, slot, invocation);
        // Fields in pages have one copy only.
        let move_copy = |recorder: &mut Recorder, field: FieldId, from: u32, to: u32| match from == to {
            true => Ok(()),
            false => {
                let (from, to) = (self.memory.field(field, from), self.memory.field(field, to));
                recorder.copy(from, 0, to, 0, from.size())
            }
        };
        run_once(&self.gpu, &stage.name, |recorder| {
            self.memory
                .buffers()
                .try_for_each(|buffer| recorder.hold(buffer))?;
            self.pages.hold(recorder)?;
            recorder.hold(&self.arguments.buffer)?;
            for field in stage.reads.iter().chain(&stage.writes) {
                let (read, _) = self.plan.copies(List::Step, invocation, *field, self.steps);
                move_copy(recorder, *field, self.newest(*field), read)?;
            }
            recorder.full_barrier();
            let kernel = &self.programs.stages[entry.stage];
            let counts = match groups {
                Groups::Direct(_) => None,
                Groups::Indirect { field, .. } => {
                    let copy = self.plan.counted(List::Step, invocation, field, self.steps);
                    Some(self.memory.field(field, copy))
                }
            };
            dispatch_groups(recorder, kernel, address, groups, counts)?;
            recorder.full_barrier();
            for field in &stage.writes {
                let (_, written) = self.plan.copies(List::Step, invocation, *field, self.steps);
                move_copy(recorder, *field, written, self.newest(*field))?;
            }
            Ok(())
        })
    }

    fn field(&self, name: &str) -> Result<FieldId, RunError> {
        self.pipeline
            .field(name)
            .ok_or_else(|| RunError::Failed(format!("`{name}` is no field of this pipeline")))
    }

    /// One turn of a list: every segment that is due, in one submission, unless an update has to be waited for.
    fn run_list(&mut self, list: List, lane: Lane, steps: u64, timed: bool) -> Result<(), RunError> {
        let turn = if list == List::Frame { self.frames } else { steps };
        let segments = self.plan.segments(list);
        let due: Vec<usize> = (0..segments.len())
            .filter(|number| segments[*number].is_due(turn))
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
        self.submit_queued(list, lane, steps, timed, queued)
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
        self.gpu.submit(queue(lane), &batches)?;
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
        self.gpu.submit(queue(Lane::Frame), &[batch])?;
        Ok(())
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
