//! Repeats with `while`: they are submitted in parts, and gates start their conditional dispatches.
//!
//! A gate is a small kernel of the engine that writes the workgroup counts of the dispatches after it: their own
//! counts, or 0 if a condition does not hold. A gate precedes the first of them, and another one follows each stage
//! that writes a condition. Devices with `VK_EXT_conditional_rendering` need gates only for nested conditions, which
//! the extension does not support.

use crate::ir::{FieldId, Invocation, Iteration, Pipeline, Stage};

use super::barriers::{Accesses, Item};
use crate::access::Access;
use crate::ir::List;
use crate::workgroups::Groups;

/// Approximate number of dispatches of a part of a repeat, and its largest number of iterations. A part should last longer
/// than the host needs to submit the next one. After the end of a repeat, at most two parts are submitted in vain, with ranks none.
const DISPATCHES: usize = 16;
const MAX_ITERATIONS: usize = 4;

/// Bytes of the head of a gate's block, of a row in it, of the group counts of a dispatch, and of a word for the host.
const HEAD_BYTES: u64 = 16;
const ROW_BYTES: u64 = 8 + 12 + 4 + 8 * MAX_CONDITIONS as u64;
pub const COUNT_BYTES: u64 = 12;
pub const NOTE_BYTES: u64 = 4;
/// Largest number of conditions of a dispatch: the depth to which repeats nest.
pub const MAX_CONDITIONS: usize = 8;

/// Iterations of a repeat with `while` that are submitted only if the repeat has not ended in earlier parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopPart {
    /// Number of the repeat among those of its list.
    pub repeat: usize,
    /// Number of the part in the repeat, from 0.
    pub number: usize,
    /// The condition of the repeat.
    pub condition: FieldId,
    /// The entry at which the memory of the condition is looked up: swaps may change it.
    pub entry: usize,
    /// The word with the value of the condition at the end of the part, for the host.
    pub note: usize,
}

/// When a dispatch runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Always,
    /// If the first word of a field is not 0; the device tests it without a gate.
    While(FieldId),
    /// With the workgroup counts that a gate has written to this row.
    Gated(usize),
}

/// A gate: the entries whose group counts it writes, to rows from `first` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    pub list: List,
    pub first: usize,
    pub entries: Vec<usize>,
}

/// The iterations of each part of the repeats of a list, by repeat; 0 where a repeat is submitted as a whole.
pub(super) fn part_lengths(pipeline: &Pipeline, list: List, entries: &[Invocation]) -> Vec<usize> {
    let mut iterations: Vec<(usize, usize, bool)> = Vec::new();
    let mut constant: Vec<bool> = Vec::new();
    for (entry, iteration) in (entries.iter()).filter_map(|entry| Some((entry, entry.iteration?))) {
        if iterations.len() <= iteration.repeat {
            iterations.resize(iteration.repeat + 1, (0, 0, true));
            constant.resize(iteration.repeat + 1, false);
        }
        let condition = pipeline.stages[entry.stage].conditions.first();
        constant[iteration.repeat] = list == List::Step
            && pipeline.cut.is_some()
            && condition.is_some_and(|field| !pipeline.steps_change(*field));
        let (dispatches, most, regular) = &mut iterations[iteration.repeat];
        *dispatches += 1;
        *most = (*most).max(iteration.number + 1);
        *regular &= pipeline.stages[entry.stage].every == 1;
    }
    let of_repeat = |((dispatches, most, regular), constant): ((usize, usize, bool), bool)| {
        let each = dispatches.div_ceil(most.max(1)).max(1);
        let part = (DISPATCHES / each).clamp(1, MAX_ITERATIONS);
        // The host reads the condition after the first part before it submits the third, with ranks the second; and with ranks
        // before the first, if it stays what it is.
        let worth_it = regular && list != List::Frame && (most > 2 * part || constant);
        if worth_it { part } else { 0 }
    };
    iterations.into_iter().zip(constant).map(of_repeat).collect()
}

/// The number of the part that an iteration belongs to.
pub(super) fn part_of(iteration: Option<Iteration>, part_lengths: &[usize]) -> Option<(usize, usize)> {
    let iteration = iteration?;
    match part_lengths.get(iteration.repeat) {
        None | Some(0) => None,
        Some(iterations) => Some((iteration.repeat, iteration.number / iterations)),
    }
}

/// The open gate of a list that is being cut.
pub(super) struct Gating<'a> {
    pipeline: &'a Pipeline,
    list: List,
    /// The device skips commands by itself.
    conditional: bool,
    open: Option<OpenGate>,
}

/// A gate that may take in further entries.
struct OpenGate {
    gate: usize,
    segment: usize,
    /// Families of fields that were written since it.
    written: Vec<FieldId>,
}

impl<'a> Gating<'a> {
    pub(super) fn new(pipeline: &'a Pipeline, list: List, conditional: bool) -> Gating<'a> {
        Gating {
            pipeline,
            list,
            conditional,
            open: None,
        }
    }

    /// When entry `number` of the list, in a segment, runs. If it needs a gate and cannot join the open one, adds a gate
    /// and returns its number as well.
    pub(super) fn when(
        &mut self,
        gates: &mut Vec<Gate>,
        number: usize,
        groups: Groups,
        segment: usize,
    ) -> (When, Option<usize>) {
        let stage = &self.pipeline.stages[self.list.entries(self.pipeline)[number].stage];
        match (stage.conditions.as_slice(), self.conditional) {
            ([], _) => return (When::Always, None),
            ([field], true) => return (When::While(*field), None),
            _ => {}
        }
        let mut read = gate_reads(stage, groups).map(|field| self.pipeline.swaps.family(field));
        let row = gates.last().map_or(0, |gate| gate.first + gate.entries.len());
        if let Some(open) = self.open.as_ref().filter(|open| open.segment == segment)
            && !read.any(|field| open.written.contains(&field))
        {
            gates[open.gate].entries.push(number);
            return (When::Gated(row), None);
        }
        let gate = gates.len();
        gates.push(Gate {
            list: self.list,
            first: row,
            entries: vec![number],
        });
        self.open = Some(OpenGate {
            gate,
            segment,
            written: Vec::new(),
        });
        (When::Gated(row), Some(gate))
    }

    /// Notes the fields that a stage writes. The open gate is no longer valid for entries that read one of them.
    pub(super) fn written(&mut self, stage: &Stage) {
        if let Some(open) = &mut self.open {
            let families = stage
                .writes()
                .iter()
                .map(|field| self.pipeline.swaps.family(*field));
            open.written.extend(families);
        }
    }
}

/// The fields that a gate reads for a stage: its conditions, and its workgroup counts.
fn gate_reads(stage: &Stage, groups: Groups) -> impl Iterator<Item = FieldId> + Clone + '_ {
    let counted = match groups {
        Groups::Indirect { field, .. } => Some(field),
        Groups::Direct(_) => None,
    };
    stage.conditions.iter().copied().chain(counted)
}

impl Gate {
    /// Bytes of the block that its kernel reads.
    pub fn block_bytes(&self) -> u64 {
        HEAD_BYTES + ROW_BYTES * self.entries.len() as u64
    }

    /// The accesses of the gate. `stage_groups` are the workgroups of each stage; `counts` are the workgroup counts that it
    /// writes.
    pub(super) fn accesses(&self, pipeline: &Pipeline, stage_groups: &[Groups], counts: Item) -> Accesses {
        let read = |(_, field)| (pipeline.swaps.family(field), Access::ShaderRead);
        let mut accesses: Accesses = self.reads(pipeline, stage_groups).map(read).collect();
        accesses.push((counts, Access::ShaderWrite));
        accesses.sort_unstable();
        accesses.dedup();
        accesses
    }

    /// The fields that it reads, with the entries that it reads them for.
    pub fn reads<'a>(
        &'a self,
        pipeline: &'a Pipeline,
        stage_groups: &'a [Groups],
    ) -> impl Iterator<Item = (usize, FieldId)> + 'a {
        self.entries.iter().flat_map(move |entry| {
            let stage = self.list.entries(pipeline)[*entry].stage;
            gate_reads(&pipeline.stages[stage], stage_groups[stage]).map(|field| (*entry, field))
        })
    }
}
