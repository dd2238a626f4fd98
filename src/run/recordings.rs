//! Segments as command buffers, recorded once per phase of the rings, with and without timestamps.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::gpu::{self, Access, Buffer, Gpu, GpuError, Queue, Recorder, Recording, Timestamps};
use crate::ir::{FieldId, Groups, Home, Pipeline};
use crate::plan::shadows::At;
use crate::plan::{AccessSet, Command, List, Plan, Segment, When};

use super::arguments::Arguments;
use super::error::RunError;
use super::loops::Loops;
use super::memory::Memory;
use super::options::Options;
use super::pages::Pages;
use super::probe::Probe;
use super::programs::Programs;
use super::races::Races;

/// One list of one slot.
pub struct SegmentSet {
    pub segments: Vec<Recording>,
}

pub struct Recordings {
    init: SegmentSet,
    /// By slot: plain, timed.
    step: Vec<[SegmentSet; 2]>,
    frame: Vec<[SegmentSet; 2]>,
    pub frame_clock: Recording,
    /// Timestamps by segment, two per dispatch, shared by the slots.
    pub step_times: Vec<Timestamps>,
    pub frame_times: Vec<Timestamps>,
    /// Dispatches by segment.
    step_dispatches: Vec<usize>,
    frame_dispatches: Vec<usize>,
    /// Downloads by field, copy and target address.
    copies: HashMap<(FieldId, u32, u64), Recording>,
}

struct Context<'a> {
    gpu: &'a Gpu,
    pipeline: &'a Pipeline,
    plan: &'a Plan,
    programs: &'a Programs,
    arguments: &'a Arguments,
    memory: &'a Memory,
    pages: &'a Pages,
    loops: &'a Loops,
    races: &'a Races,
    options: Options,
    probe: &'a dyn Probe,
}

impl Recordings {
    #[allow(clippy::too_many_arguments, reason = "recordings hold all of a run together")]
    pub fn new(
        gpu: &Gpu,
        pipeline: &Pipeline,
        plan: &Plan,
        programs: &Programs,
        arguments: &Arguments,
        memory: &Memory,
        pages: &Pages,
        loops: &Loops,
        races: &Races,
        options: Options,
        probe: &dyn Probe,
    ) -> Result<Recordings, RunError> {
        let context = Context {
            gpu,
            pipeline,
            plan,
            programs,
            arguments,
            memory,
            pages,
            loops,
            races,
            options,
            probe,
        };
        let times = |segments: &[Segment]| -> Result<Vec<Timestamps>, GpuError> {
            segments
                .iter()
                .map(|segment| gpu.timestamps(2 * dispatches(segment).max(1) as u32))
                .collect()
        };
        let step_times = times(&plan.step)?;
        let frame_times = times(&plan.frame)?;
        let slots = pipeline.slots();
        let per_slot = |segments: &[Segment], times: &[Timestamps]| {
            (0..slots)
                .map(|slot| {
                    Ok([
                        context.set(segments, slot, None)?,
                        context.set(segments, slot, Some(times))?,
                    ])
                })
                .collect::<Result<Vec<_>, GpuError>>()
        };
        let frame_clock = gpu.record("frame clock", Queue::Output, |recorder| {
            recorder.full_barrier();
            recorder.dispatch(
                &programs.advance_clock,
                arguments.of_clock(List::Frame),
                [1, 1, 1],
            )
        })?;
        Ok(Recordings {
            init: context.set(&plan.init, 0, None)?,
            step: per_slot(&plan.step, &step_times)?,
            frame: per_slot(&plan.frame, &frame_times)?,
            frame_clock,
            step_times,
            frame_times,
            step_dispatches: plan.step.iter().map(dispatches).collect(),
            frame_dispatches: plan.frame.iter().map(dispatches).collect(),
            copies: HashMap::new(),
        })
    }

    pub fn of(&self, list: List, slot: u32, timed: bool) -> &SegmentSet {
        match list {
            List::Init => &self.init,
            List::Step => &self.step[slot as usize][usize::from(timed)],
            List::Frame => &self.frame[slot as usize][usize::from(timed)],
        }
    }

    /// Dispatches of each segment of a list.
    pub fn dispatched(&self, list: List) -> &[usize] {
        if list == List::Frame {
            &self.frame_dispatches
        } else {
            &self.step_dispatches
        }
    }

    /// Records the download of a field into a staging buffer, unless it is recorded already.
    pub fn copy(
        &mut self,
        gpu: &Gpu,
        memory: &Memory,
        field: FieldId,
        copy: u32,
        staging: &Buffer,
    ) -> Result<(), RunError> {
        if let Entry::Vacant(place) = self.copies.entry((field, copy, staging.address())) {
            let source = memory.field(field, copy);
            let name = format!("download {}", source.name());
            place.insert(gpu.record(&name, Queue::Transfer, |recorder| {
                recorder.copy(source, 0, staging, 0, source.size())?;
                recorder.barrier(&[Access::TransferWrite], &[Access::HostRead])
            })?);
        }
        Ok(())
    }

    pub fn copied(&self, field: FieldId, copy: u32, staging: &Buffer) -> Option<&Recording> {
        self.copies.get(&(field, copy, staging.address()))
    }

    /// Frees the recorded downloads to a buffer that will not be used again.
    pub fn forget(&mut self, staging: &Buffer) {
        self.copies
            .retain(|(_, _, address), _| *address != staging.address());
    }
}

fn dispatches(segment: &Segment) -> usize {
    segment
        .commands
        .iter()
        .filter(|command| matches!(command, Command::Dispatch { .. }))
        .count()
}

impl Context<'_> {
    fn set(
        &self,
        segments: &[Segment],
        slot: u32,
        times: Option<&[Timestamps]>,
    ) -> Result<SegmentSet, GpuError> {
        let mut barriers = 0;
        let mut set = Vec::with_capacity(segments.len());
        for (number, segment) in segments.iter().enumerate() {
            let (queue, list) = match segment.list {
                List::Init => (Queue::Compute, "init"),
                List::Step => (Queue::Compute, "step"),
                List::Frame => (Queue::Output, "frame"),
            };
            let name = format!("{list} segment {number} slot {slot}");
            let times = times.map(|times| &times[number]);
            set.push(self.gpu.record(&name, queue, |recorder| {
                self.segment(recorder, segment, slot, times, &mut barriers)
            })?);
        }
        Ok(SegmentSet { segments: set })
    }

    /// Whether it writes what the host reads at any time: fields, or faults that are reported in every run.
    fn is_noted(&self, segment: &Segment) -> bool {
        let entries = segment.list.entries(self.pipeline);
        let mapped = |field: &FieldId| self.pipeline.fields[*field].home == Home::HostReads;
        segment.commands.iter().any(|command| match command {
            Command::Dispatch { invocation, .. } => {
                let stage = &self.pipeline.stages[entries[*invocation].stage];
                stage.writes().iter().any(mapped) || self.pipeline.sets_length(stage)
            }
            _ => false,
        })
    }

    fn segment(
        &self,
        recorder: &mut Recorder,
        segment: &Segment,
        slot: u32,
        times: Option<&Timestamps>,
        barriers: &mut usize,
    ) -> Result<(), GpuError> {
        self.memory
            .buffers()
            .try_for_each(|buffer| recorder.hold(buffer))?;
        self.pages.hold(recorder)?;
        recorder.hold(&self.arguments.buffer)?;
        self.loops.hold(recorder)?;
        self.races.hold(recorder)?;
        if let Some(times) = times {
            recorder.reset_timestamps(times)?;
        }
        let mut dispatch = 0;
        // The condition of the last dispatches, while nothing has written it: opening one costs as much as a small kernel.
        let mut open: Option<&Buffer> = None;
        for command in &segment.commands {
            let stays = matches!(command, Command::Barrier(_))
                || matches!(
                    command,
                    Command::Dispatch {
                        when: When::While(_),
                        ..
                    }
                );
            if !stays && open.take().is_some() {
                recorder.end_condition();
            }
            match command {
                Command::Barrier(barrier) => {
                    let dropped = segment.list == List::Step && self.probe.drops_barrier(*barriers);
                    *barriers += 1;
                    if !dropped {
                        recorder.barrier(&accesses(barrier.before), &accesses(barrier.after))?;
                    }
                }
                Command::AdvanceClock => {
                    let address = self.arguments.of_clock(segment.list);
                    recorder.dispatch(&self.programs.advance_clock, address, [1, 1, 1])?;
                }
                Command::Gate(gate) => {
                    recorder.begin_label("gate");
                    self.loops.gate(recorder, *gate, slot)?;
                    recorder.end_label();
                }
                Command::Note(part) => {
                    let steps = u64::from(slot);
                    let memory = (self.plan).memory(segment.list, part.entry, part.condition, steps);
                    self.loops
                        .note(recorder, self.memory.field(memory, 0), part.note)?;
                }
                Command::Dispatch {
                    invocation,
                    groups,
                    when,
                } => {
                    let stage = segment.list.entries(self.pipeline)[*invocation].stage;
                    let address = self.arguments.of(segment.list, slot, *invocation);
                    recorder.begin_label(&self.pipeline.stages[stage].name);
                    if let Some(times) = times {
                        recorder.timestamp(times, 2 * dispatch)?;
                    }
                    let counts = match groups {
                        Groups::Direct(_) => None,
                        Groups::Indirect { field, .. } => {
                            let steps = u64::from(slot);
                            let copy = self.plan.counted(segment.list, *invocation, *field, steps);
                            Some(self.memory.field(*field, copy))
                        }
                    };
                    let program = self.programs.of(stage);
                    match when {
                        When::Always => dispatch_groups(recorder, program, address, *groups, counts)?,
                        When::While(field) => {
                            let steps = u64::from(slot);
                            let memory = self.plan.memory(segment.list, *invocation, *field, steps);
                            let condition = self.memory.field(memory, 0);
                            if !open.is_some_and(|open| std::ptr::eq(open, condition)) {
                                recorder.end_condition();
                                recorder.begin_condition(condition)?;
                            }
                            dispatch_groups(recorder, program, address, *groups, counts)?;
                            let writes = self.pipeline.stages[stage].writes();
                            let family = |field: &FieldId| self.pipeline.swaps.family(*field);
                            let changes = writes.iter().any(|written| family(written) == family(field));
                            // What looks for races runs in any case.
                            open = (!changes && !self.options.checked).then_some(condition);
                            if open.is_none() {
                                recorder.end_condition();
                            }
                        }
                        When::Gated(row) => self.loops.dispatch(recorder, program, address, *row)?,
                    }
                    if let Some(times) = times {
                        recorder.timestamp(times, 2 * dispatch + 1)?;
                    }
                    let (list, number) = (segment.list, *invocation);
                    self.races.look(recorder, At { list, number, slot })?;
                    recorder.end_label();
                    dispatch += 1;
                }
            }
            if self.options.full_barriers {
                recorder.full_barrier();
            }
        }
        if self.options.checked || segment.collects.is_some() || self.is_noted(segment) {
            recorder.barrier(&[Access::ShaderWrite], &[Access::HostRead])?;
        }
        if segment.part.is_some() {
            recorder.barrier(&[Access::TransferWrite], &[Access::HostRead])?;
        }
        Ok(())
    }
}

/// Dispatches a kernel with workgroup counts of the plan, or of the device from the buffer `counts`.
pub(super) fn dispatch_groups(
    recorder: &mut Recorder,
    pipeline: &gpu::ComputePipeline,
    address: u64,
    groups: Groups,
    counts: Option<&Buffer>,
) -> Result<(), GpuError> {
    match (groups, counts) {
        (Groups::Direct(groups), _) => recorder.dispatch(pipeline, address, groups),
        (Groups::Indirect { offset, .. }, Some(counts)) => {
            recorder.dispatch_indirect(pipeline, address, counts, offset)
        }
        // Nothing counted them: there are none.
        (Groups::Indirect { .. }, None) => Ok(()),
    }
}

fn accesses(set: AccessSet) -> Vec<Access> {
    set.iter().collect()
}
