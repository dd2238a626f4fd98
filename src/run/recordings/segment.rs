//! Records the commands of one segment.

use crate::gpu::{Access, Buffer, ComputePipeline, GpuError, Recorder, Timestamps};
use crate::ir::{FieldId, Home, StageId};
use crate::plan::barriers::Barrier;
use crate::plan::shadows::DispatchId;
use crate::plan::{AccessSet, Command, List, LoopPart, Segment, When};
use crate::run::prepared::Prepared;
use crate::workgroups::Groups;

/// A part of a segment that is recorded for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Portion {
    /// All of it, or as far as the interior of the dispatch that is divided.
    First,
    /// The border of the divided dispatch, and the commands after it.
    Rest,
}

/// A segment to record.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub prepared: &'a Prepared,
    pub segment: &'a Segment,
    /// Its number in its list.
    pub number: usize,
    pub phase: u32,
    pub times: Option<&'a Timestamps>,
}

/// The recording of a segment, or of a portion, in progress.
pub(super) struct SegmentRecorder<'a> {
    prepared: &'a Prepared,
    recorder: &'a mut Recorder,
    segment: &'a Segment,
    number: usize,
    phase: u32,
    times: Option<&'a Timestamps>,
    portion: Portion,
    /// Barriers of the list so far, by which a probe names them.
    barriers: &'a mut usize,
    /// Dispatches of the segment so far.
    dispatches: u32,
    /// The condition of the last dispatches, while nothing has written it: opening one costs as much as a small kernel.
    condition: Option<&'a Buffer>,
}

impl<'a> SegmentRecorder<'a> {
    pub(super) fn new(
        source: Source<'a>,
        portion: Portion,
        recorder: &'a mut Recorder,
        barriers: &'a mut usize,
    ) -> SegmentRecorder<'a> {
        let before = match portion {
            Portion::First => 0,
            Portion::Rest => divided(source.segment).unwrap_or(0),
        };
        SegmentRecorder {
            prepared: source.prepared,
            recorder,
            segment: source.segment,
            number: source.number,
            phase: source.phase,
            times: source.times,
            portion,
            barriers,
            dispatches: before as u32,
            condition: None,
        }
    }

    pub(super) fn record(mut self) -> Result<(), GpuError> {
        self.prepared.hold(self.recorder)?;
        if let Some(times) = self.times.filter(|_| self.portion == Portion::First) {
            self.recorder.reset_timestamps(times)?;
        }
        let commands = &self.segment.commands;
        let range = match (&self.segment.split, self.portion) {
            (None, _) => 0..commands.len(),
            (Some(split), Portion::First) => 0..split.command + 1,
            (Some(split), Portion::Rest) => split.command..commands.len(),
        };
        for number in range {
            if self
                .segment
                .split
                .as_ref()
                .is_some_and(|split| split.command == number)
            {
                self.divided()?;
            } else {
                self.command(&commands[number])?;
            }
            if self.prepared.options.full_barriers {
                self.recorder.full_barrier();
            }
        }
        if self.portion == Portion::First && self.segment.split.is_some() {
            return Ok(());
        }
        if self.prepared.options.checked || self.segment.collects.is_some() || self.writes_for_host() {
            self.recorder
                .barrier(&[Access::ShaderWrite], &[Access::HostRead])?;
        }
        if self.segment.ends_part() {
            self.recorder
                .barrier(&[Access::TransferWrite], &[Access::HostRead])?;
        }
        Ok(())
    }

    /// Dispatches the boxes of the divided dispatch that belong to the portion. The time of the dispatch begins with the
    /// interior and ends with the border; two more timestamps are around the wait for messages between them.
    fn divided(&mut self) -> Result<(), GpuError> {
        let (Some(split), Some(invocation)) = (&self.segment.split, self.segment.divided()) else {
            return Ok(());
        };
        let stage = self.prepared.pipeline.step[invocation].stage;
        let addresses = self.prepared.arguments.of_boxes(self.phase, self.number);
        let interior = self.portion == Portion::First;
        self.recorder
            .begin_label(&self.prepared.pipeline.stages[stage].name);
        let wait = timestamps(self.segment) - 2;
        if let Some(times) = self.times {
            let begin = if interior { 2 * self.dispatches } else { wait + 1 };
            self.recorder.timestamp(times, begin)?;
        }
        let boxes = split.boxes().zip(addresses);
        let (skipped, taken) = if interior { (0, 1) } else { (1, split.border.len()) };
        for (of, address) in boxes.skip(skipped).take(taken) {
            self.dispatch_direct(stage, address, of.groups)?;
        }
        if let Some(times) = self.times {
            let end = if interior { wait } else { 2 * self.dispatches + 1 };
            self.recorder.timestamp(times, end)?;
        }
        self.recorder.end_label();
        self.dispatches += 1;
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Result<(), GpuError> {
        let may_stay_open = matches!(
            command,
            Command::Barrier(_)
                | Command::Dispatch {
                    when: When::While(_),
                    ..
                }
        );
        if !may_stay_open && self.condition.take().is_some() {
            self.recorder.end_condition();
        }
        match command {
            Command::Barrier(barrier) => self.barrier(*barrier),
            Command::AdvanceClock => {
                let address = self.prepared.arguments.of_clock(self.segment.list);
                let program = &self.prepared.programs.advance_clock;
                let groups = self.prepared.stacked([1, 1, 1]);
                self.recorder.dispatch(program, address, groups)
            }
            Command::Gate(gate) => {
                self.recorder.begin_label("gate");
                let (number, gate) = (*gate, &self.prepared.plan.gates[*gate]);
                (self.prepared.loops).gate(self.recorder, (number, gate), self.phase)?;
                self.recorder.end_label();
                Ok(())
            }
            Command::Note(part) => self.note(*part),
            Command::Dispatch {
                invocation,
                groups,
                when,
            } => self.dispatch(*invocation, *groups, *when),
        }
    }

    fn barrier(&mut self, barrier: Barrier) -> Result<(), GpuError> {
        let is_dropped = self.segment.list == List::Step && self.prepared.probe.drops_barrier(*self.barriers);
        *self.barriers += 1;
        if is_dropped {
            return Ok(());
        }
        self.recorder
            .barrier(&accesses(barrier.before), &accesses(barrier.after))
    }

    /// Copies the condition of a repeat to the host.
    fn note(&mut self, part: LoopPart) -> Result<(), GpuError> {
        let condition = self.first_copy(part.entry, part.condition);
        (self.prepared.loops).note(self.recorder, condition, (part.note, self.phase))
    }

    /// Dispatches the stage of an entry, with timestamps around it, and compares its shadows.
    fn dispatch(&mut self, invocation: usize, groups: Groups, when: When) -> Result<(), GpuError> {
        let pipeline = &self.prepared.pipeline;
        let stage = self.segment.list.entries(pipeline)[invocation].stage;
        self.recorder.begin_label(&pipeline.stages[stage].name);
        if let Some(times) = self.times {
            self.recorder.timestamp(times, 2 * self.dispatches)?;
        }
        self.dispatch_when(invocation, groups, when)?;
        if let Some(times) = self.times {
            self.recorder.timestamp(times, 2 * self.dispatches + 1)?;
        }
        let at = DispatchId {
            list: self.segment.list,
            number: invocation,
            phase: self.phase,
        };
        self.prepared.races.compare(self.recorder, at)?;
        self.recorder.end_label();
        self.dispatches += 1;
        Ok(())
    }

    fn dispatch_when(&mut self, invocation: usize, groups: Groups, when: When) -> Result<(), GpuError> {
        let (prepared, list) = (self.prepared, self.segment.list);
        let stage = list.entries(&prepared.pipeline)[invocation].stage;
        let address = prepared.arguments.of(list, self.phase, invocation);
        let program = prepared.programs.of(stage);
        let counts = match groups {
            Groups::Direct(_) => None,
            Groups::Indirect { field, .. } => {
                let steps = u64::from(self.phase);
                let copy = prepared.plan.counted(list, invocation, field, steps);
                Some(prepared.memory.field(field, copy))
            }
        };
        match when {
            When::Always => self.dispatch_open(stage, address, groups, counts),
            When::While(field) => {
                self.open_condition(self.first_copy(invocation, field))?;
                self.dispatch_open(stage, address, groups, counts)?;
                let swaps = &prepared.pipeline.swaps;
                let written = prepared.pipeline.stages[stage].writes();
                // The search for races runs in any case.
                if prepared.options.checked || written.iter().any(|written| swaps.share(*written, field)) {
                    self.condition = None;
                    self.recorder.end_condition();
                }
                Ok(())
            }
            When::Gated(row) => prepared.loops.dispatch(self.recorder, program, address, row),
        }
    }

    /// Dispatches a stage with workgroup counts of the plan, or of the device from the buffer `counts`.
    fn dispatch_open(
        &mut self,
        stage: StageId,
        address: u64,
        groups: Groups,
        counts: Option<&Buffer>,
    ) -> Result<(), GpuError> {
        match groups {
            Groups::Direct(groups) => self.dispatch_direct(stage, address, groups),
            Groups::Indirect { .. } => {
                let program = self.prepared.programs.of(stage);
                dispatch_groups(self.recorder, program, address, groups, counts)
            }
        }
    }

    /// Dispatches a stage with workgroup counts of the plan, or with those for the particles of this rank.
    fn dispatch_direct(&mut self, stage: StageId, address: u64, groups: [u32; 3]) -> Result<(), GpuError> {
        let (prepared, program) = (self.prepared, self.prepared.programs.of(stage));
        let pipeline = &prepared.pipeline;
        if pipeline.counted_by(stage).is_none() {
            return self.recorder.dispatch(program, address, prepared.stacked(groups));
        }
        let signature = &pipeline.kernel_of(&pipeline.stages[stage]).signature;
        let offset = prepared.arguments.counts_at(address, signature);
        (self.recorder).dispatch_indirect(program, address, &prepared.arguments.buffer, offset)
    }

    /// Lets the device skip what follows if the first word of a buffer is 0.
    fn open_condition(&mut self, condition: &'a Buffer) -> Result<(), GpuError> {
        let is_open = self.condition.is_some_and(|open| std::ptr::eq(open, condition));
        if !is_open {
            self.recorder.end_condition();
            self.recorder.begin_condition(condition)?;
            self.condition = Some(condition);
        }
        Ok(())
    }

    /// The buffer of a field without a ring in an entry.
    fn first_copy(&self, invocation: usize, field: FieldId) -> &'a Buffer {
        let prepared = self.prepared;
        let steps = u64::from(self.phase);
        let memory = (prepared.plan).memory(self.segment.list, invocation, field, steps);
        prepared.memory.field(memory, 0)
    }

    /// Returns true if the segment writes memory that the host reads at any time: fields, or faults that are reported in every
    /// run.
    fn writes_for_host(&self) -> bool {
        let pipeline = &self.prepared.pipeline;
        let entries = self.segment.list.entries(pipeline);
        let is_mapped = |field: &FieldId| pipeline.fields[*field].home == Home::HostReads;
        self.segment.commands.iter().any(|command| match command {
            Command::Dispatch { invocation, .. } => {
                let stage = &pipeline.stages[entries[*invocation].stage];
                stage.writes().iter().any(is_mapped) || pipeline.sets_length(stage)
            }
            _ => false,
        })
    }
}

/// Number of timestamps of a segment: two for each dispatch, and two for the wait in one that is divided.
pub(super) fn timestamps(segment: &Segment) -> u32 {
    let pairs = dispatches(&segment.commands) + usize::from(segment.split.is_some());
    2 * pairs.max(1) as u32
}

/// The number of the dispatch that is divided, among those of its segment.
pub(super) fn divided(segment: &Segment) -> Option<usize> {
    let split = segment.split.as_ref()?;
    Some(dispatches(&segment.commands[..split.command]))
}

/// Number of dispatches among commands.
pub(super) fn dispatches(commands: &[Command]) -> usize {
    let is_dispatch = |command: &&Command| matches!(command, Command::Dispatch { .. });
    commands.iter().filter(is_dispatch).count()
}

/// Dispatches a kernel with workgroup counts of the plan, or of the device from the buffer `counts`.
pub fn dispatch_groups(
    recorder: &mut Recorder,
    program: &ComputePipeline,
    address: u64,
    groups: Groups,
    counts: Option<&Buffer>,
) -> Result<(), GpuError> {
    match (groups, counts) {
        (Groups::Direct(groups), _) => recorder.dispatch(program, address, groups),
        (Groups::Indirect { offset, .. }, Some(counts)) => {
            recorder.dispatch_indirect(program, address, counts, offset)
        }
        // Nothing counted them: there are none.
        (Groups::Indirect { .. }, None) => Ok(()),
    }
}

fn accesses(set: AccessSet) -> Vec<Access> {
    set.iter().collect()
}
