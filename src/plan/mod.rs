//! The stage lists as commands, barriers and segments: plain data, no device.
//!
//! A list is split into segments: stages that always run together, recorded once and replayed. Stages that run every N
//! steps form their own segments. A segment ends before the first write to a field that frame stages or outputs read,
//! so that only later segments wait for them.

pub mod barriers;
pub mod graph;
pub mod halos;
pub mod hazards;
pub mod loops;
pub mod memory;
pub mod paging;
mod particles;
pub mod schedule;
mod segment;
mod segments;
pub mod shadows;

pub use crate::access::{Access, AccessSet};
pub use crate::ir::List;
pub use barriers::{Accesses, Barrier, Item, Runs};
pub use halos::{Halos, Particles, Split, StageHalos, Want, compute_halos};
pub use loops::{COUNT_BYTES, Gate, LoopPart, MAX_CONDITIONS, NOTE_BYTES, When};
pub use schedule::{Lane, Schedule, Ticket, Touched};
pub use segment::{Command, Segment};

use crate::ir::{FieldId, Pipeline, Stage, Swaps};
use crate::workgroups::{DeviceClass, Groups, Shape};

/// The properties of a device that a plan depends on.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    pub class: DeviceClass,
    /// The device skips commands by itself.
    pub conditional: bool,
}

#[derive(Debug, Clone)]
pub struct Plan {
    /// The workgroups of each stage of the pipeline.
    pub stage_groups: Vec<Groups>,
    pub init: Vec<Segment>,
    pub step: Vec<Segment>,
    pub frame: Vec<Segment>,
    /// Per field: the first entry of the step list that writes all of it in every step. It advances the ring of the
    /// field.
    first_writer: Vec<Option<usize>>,
    /// The entries of the step list that belong to calls, which continue the step before them.
    called: Vec<bool>,
    rings: Vec<u32>,
    fields: usize,
    class: DeviceClass,
    conditional: bool,
    pub gates: Vec<Gate>,
    /// Number of words that parts of repeats copy to the host.
    pub notes: usize,
    /// The needs and effects of each stage for halos; `None` if the pipeline is not cut.
    pub halos: Option<Vec<StageHalos>>,
    swaps: Swaps,
    /// Number of swaps before each entry of the lists with swaps.
    swaps_before: [Vec<usize>; 2],
}

/// Plans a pipeline for GPUs with conditional commands. The error names a stage that requires more workgroups than devices
/// support.
pub fn plan(pipeline: &Pipeline) -> Result<Plan, String> {
    let target = Target {
        class: DeviceClass::Gpu,
        conditional: true,
    };
    plan_for(pipeline, target)
}

/// Plans a pipeline for a device.
pub fn plan_for(pipeline: &Pipeline, target: Target) -> Result<Plan, String> {
    let stage_groups = pipeline.stages.iter().enumerate().map(|(id, stage)| {
        let shape = Shape::of_stage(pipeline, stage, target.class);
        let groups = Groups::of(pipeline, id, shape);
        groups.map_err(|cause| format!("stage `{}`: {cause}", stage.name))
    });
    let first_writer = (0..pipeline.fields.len())
        .map(|field| {
            pipeline
                .step
                .iter()
                .position(|i| i.call.is_none() && pipeline.stages[i.stage].advances_ring(field))
        })
        .collect();
    let mut plan = Plan {
        stage_groups: stage_groups.collect::<Result<_, String>>()?,
        init: Vec::new(),
        step: Vec::new(),
        frame: Vec::new(),
        first_writer,
        called: pipeline.step.iter().map(|entry| entry.call.is_some()).collect(),
        rings: pipeline.fields.iter().map(|field| field.ring).collect(),
        fields: pipeline.fields.len(),
        class: target.class,
        conditional: target.conditional,
        gates: Vec::new(),
        notes: 0,
        halos: halos::of(pipeline),
        swaps: pipeline.swaps.clone(),
        swaps_before: [&pipeline.init, &pipeline.step]
            .map(|list| list.iter().map(|entry| entry.swaps).collect()),
    };
    let mut external: Vec<FieldId> = pipeline.output_fields().collect();
    for invocation in &pipeline.frame {
        let stage = &pipeline.stages[invocation.stage];
        external.extend(stage.reads().iter().chain(stage.writes()));
    }
    for field in &mut external {
        *field = pipeline.swaps.family(*field);
    }
    plan.init = plan.list(pipeline, List::Init, &pipeline.init, &[]);
    plan.step = plan.list(pipeline, List::Step, &pipeline.step, &external);
    plan.frame = plan.list(pipeline, List::Frame, &pipeline.frame, &[]);
    plan.divide(pipeline);
    Ok(plan)
}

impl Plan {
    /// The item of the clock of a list; init stages have the clock of the first step.
    fn clock(&self, list: List) -> Item {
        match list {
            List::Init | List::Step => self.fields,
            List::Frame => self.fields + 1,
        }
    }

    /// The item of the workgroup counts that the gates of a list write.
    fn counts(&self, list: List) -> Item {
        match list {
            List::Init | List::Step => self.fields + 2,
            List::Frame => self.fields + 3,
        }
    }

    /// The item of the words that parts of repeats copy to the host.
    fn noted(&self) -> Item {
        self.fields + 4
    }

    /// Every stage may read its clock; the clock of a repeat is one of its fields. Fields that are swapped count as one,
    /// because their memory differs between steps.
    fn accesses(
        &self,
        list: List,
        pipeline: &Pipeline,
        stage: &Stage,
        groups: Groups,
        when: When,
    ) -> Accesses {
        let family = |field: FieldId| pipeline.swaps.family(field);
        let clock = stage
            .clock
            .is_none()
            .then_some((self.clock(list), Access::ShaderRead));
        let mut accesses: Accesses = clock.into_iter().collect();
        match (groups, when) {
            (_, When::Gated(_)) => accesses.push((self.counts(list), Access::IndirectRead)),
            (Groups::Indirect { field, .. }, _) => accesses.push((family(field), Access::IndirectRead)),
            (Groups::Direct(_), _) => {}
        }
        if let When::While(field) = when {
            accesses.push((family(field), Access::ConditionRead));
        }
        let mut add = |fields: &[FieldId], access| {
            for item in fields.iter().map(|field| (family(*field), access)) {
                if !accesses.contains(&item) {
                    accesses.push(item);
                }
            }
        };
        add(stage.reads(), Access::ShaderRead);
        add(stage.writes(), Access::ShaderWrite);
        accesses
    }

    /// The field whose own memory a field has in entry `invocation` of a list, in a pass that starts after `steps`
    /// steps.
    pub fn memory(&self, list: List, invocation: usize, field: FieldId, steps: u64) -> FieldId {
        let before = match list {
            List::Init => self.swaps_before[0].get(invocation),
            List::Step => self.swaps_before[1].get(invocation),
            List::Frame => None,
        };
        self.swaps
            .memory(list, before.copied().unwrap_or(0), field, steps)
    }

    /// The memory that entry `invocation` of a list reads and writes for a field, in a pass that starts after `steps` steps:
    /// the field that owns it, with the copies.
    pub fn copy_of(
        &self,
        list: List,
        invocation: usize,
        field: FieldId,
        steps: u64,
    ) -> (schedule::FieldCopy, schedule::FieldCopy) {
        let memory = self.memory(list, invocation, field, steps);
        let (read, written) = self.copies(list, invocation, field, steps);
        ((memory, read), (memory, written))
    }

    /// The newest values of a field after some steps: the field that owns the memory, and the copy.
    pub fn newest(&self, field: FieldId, steps: u64) -> schedule::FieldCopy {
        let memory = self.memory(List::Frame, 0, field, steps);
        (memory, self.copies(List::Frame, 0, memory, steps).0)
    }

    /// The copy of a set's live count that determines the workgroup counts of entry `invocation` of a list.
    pub fn counted(&self, list: List, invocation: usize, field: FieldId, steps: u64) -> u32 {
        self.copies(list, invocation, field, steps).0
    }

    /// The copies of a field that entry `invocation` of a list reads and writes, in a pass that starts after `steps`
    /// steps.
    pub fn copies(&self, list: List, invocation: usize, field: FieldId, steps: u64) -> (u32, u32) {
        let ring = u64::from(self.rings[field]);
        let now = (steps % ring) as u32;
        let next = ((steps + 1) % ring) as u32;
        match (list, self.first_writer[field]) {
            (List::Step, _) if self.called.get(invocation) == Some(&true) => (next, next),
            (List::Init | List::Frame, _) | (_, None) => (now, now),
            // A stage that writes only some elements, or not in every step, writes in place.
            (List::Step, Some(first)) if invocation < first => (now, now),
            (List::Step, Some(first)) if invocation == first => (now, next),
            (List::Step, Some(_)) => (next, next),
        }
    }

    pub fn segments(&self, list: List) -> &[Segment] {
        match list {
            List::Init => &self.init,
            List::Step => &self.step,
            List::Frame => &self.frame,
        }
    }

    /// Dispatches and barriers in a pass through a list. Segments that do not run in every pass count in part.
    pub fn per_pass(&self, list: List) -> (f64, f64) {
        let count = |is_counted: fn(&Command) -> bool| -> f64 {
            let segments = self
                .segments(list)
                .iter()
                .filter(|segment| segment.call.is_none());
            let counts = segments.map(|segment| {
                let commands = segment.commands.iter().filter(|command| is_counted(command));
                commands.count() as f64 / f64::from(segment.every)
            });
            counts.sum()
        };
        let is_dispatch = |command: &Command| !matches!(command, Command::Barrier(_) | Command::Note(_));
        (
            count(is_dispatch),
            count(|command| matches!(command, Command::Barrier(_))),
        )
    }

    /// Workgroups of entry `invocation` of a list.
    #[cfg(feature = "internals")]
    pub fn groups(&self, list: List, invocation: usize) -> Groups {
        let mut commands = self.segments(list).iter().flat_map(|segment| &segment.commands);
        let groups = commands.find_map(|command| match command {
            Command::Dispatch {
                invocation: number,
                groups,
                ..
            } if *number == invocation => Some(*groups),
            _ => None,
        });
        groups.unwrap_or(Groups::Direct([0; 3]))
    }

    /// The accesses of the dispatch that advances the clock of a list.
    pub fn touched_by_clock(&self, list: List) -> Touched {
        Touched {
            reads: Vec::new(),
            writes: vec![(self.clock(list), 0)],
        }
    }

    /// Everything that a segment accesses in a pass that starts after `steps` steps.
    pub fn touched(&self, pipeline: &Pipeline, segment: &Segment, steps: u64) -> Touched {
        let invocations = segment.list.entries(pipeline);
        let mut touched = Touched::default();
        for command in &segment.commands {
            match command {
                Command::Barrier(_) => {}
                Command::AdvanceClock => touched.writes.push((self.clock(segment.list), 0)),
                // Only commands of the same list touch the gates' counts and the notes.
                Command::Note(part) => {
                    let condition = (self.memory(segment.list, part.entry, part.condition, steps), 0);
                    touched.reads.push(condition);
                }
                Command::Gate(gate) => {
                    for (entry, field) in self.gates[*gate].reads(pipeline, &self.stage_groups) {
                        let memory = self.memory(segment.list, entry, field, steps);
                        let copy = self.counted(segment.list, entry, field, steps);
                        touched.reads.push((memory, copy));
                    }
                }
                Command::Dispatch {
                    invocation, groups, ..
                } => {
                    let stage = &pipeline.stages[invocations[*invocation].stage];
                    let memory = |field| self.memory(segment.list, *invocation, field, steps);
                    touched.reads.push((self.clock(segment.list), 0));
                    if let Groups::Indirect { field, .. } = groups {
                        let copy = self.counted(segment.list, *invocation, *field, steps);
                        touched.reads.push((memory(*field), copy));
                    }
                    for field in stage.reads().iter().chain(&stage.conditions) {
                        let (read, _) = self.copies(segment.list, *invocation, *field, steps);
                        touched.reads.push((memory(*field), read));
                    }
                    for field in stage.writes() {
                        let (_, write) = self.copies(segment.list, *invocation, *field, steps);
                        touched.writes.push((memory(*field), write));
                    }
                }
            }
        }
        for list in [&mut touched.reads, &mut touched.writes] {
            list.sort_unstable();
            list.dedup();
        }
        touched
    }
}

#[cfg(test)]
mod tests;
