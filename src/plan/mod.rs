//! The stage lists as commands, barriers and segments: plain data, no device.
//!
//! A list is cut into segments: runs of stages that always run together, recorded once and replayed. Stages
//! that run every N steps are segments of their own, and a segment ends before the first write of anything
//! that frame stages or outputs read, so that only what follows has to wait for them.

pub(crate) mod barriers;
pub(crate) mod hazards;
pub(crate) mod memory;
pub(crate) mod paging;
pub(crate) mod schedule;

pub(crate) use crate::access::{Access, AccessSet};
pub(crate) use barriers::{Accesses, Barrier, Item};
pub(crate) use schedule::{Lane, Schedule, Ticket, Touched};

use crate::ir::{FieldId, Groups, Invocation, Pipeline, Purpose, ResourceId, Stage, Update};

pub(crate) use crate::ir::List;

/// One command of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    Barrier(Barrier),
    /// Moves a list's clock on by one turn.
    AdvanceClock,
    /// Runs entry `invocation` of the list, if the first word of `condition` is not 0.
    Dispatch {
        invocation: usize,
        groups: Groups,
        condition: Option<FieldId>,
    },
}

/// Commands that always run together.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub list: List,
    /// Runs in every n-th turn of the list,
    pub every: u32,
    /// the first time in this one, counted from 0.
    pub first: u32,
    /// The sparse grid whose requests the host can read when it is done.
    pub collects: Option<ResourceId>,
    /// The sparse grid for which the host must have decided, and bound pages, before it starts.
    pub applies: Option<ResourceId>,
    /// Frame stages that measure run whether the frame is drawn or not.
    pub measures: bool,
    pub commands: Vec<Command>,
}

impl Segment {
    /// Whether it takes part in a turn.
    pub(crate) fn is_due(&self, turn: u64) -> bool {
        turn % u64::from(self.every) == u64::from(self.first)
    }

    /// Whether it takes part in a frame that is drawn, or in one that is not.
    pub(crate) fn is_wanted(&self, drawn: bool) -> bool {
        let dispatches = |command: &Command| matches!(command, Command::Dispatch { .. });
        drawn || self.measures || !self.commands.iter().any(dispatches)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub init: Vec<Segment>,
    pub step: Vec<Segment>,
    pub frame: Vec<Segment>,
    /// Per field: the entry of the step list that first writes all of it in every step, which moves its ring on.
    first_writer: Vec<Option<usize>>,
    rings: Vec<u32>,
    fields: usize,
}

/// Plans a pipeline. The error names a stage that needs more workgroups than devices offer.
pub(crate) fn plan(pipeline: &Pipeline) -> Result<Plan, String> {
    let first_writer = (0..pipeline.fields.len())
        .map(|field| {
            pipeline
                .step
                .iter()
                .position(|i| pipeline.stages[i.stage].moves_on(field))
        })
        .collect();
    let mut plan = Plan {
        init: Vec::new(),
        step: Vec::new(),
        frame: Vec::new(),
        first_writer,
        rings: pipeline.fields.iter().map(|field| field.ring).collect(),
        fields: pipeline.fields.len(),
    };
    let mut external: Vec<FieldId> = pipeline.output_fields().collect();
    for invocation in &pipeline.frame {
        let stage = &pipeline.stages[invocation.stage];
        external.extend(stage.reads().iter().chain(stage.writes()));
    }
    plan.init = plan.list(pipeline, List::Init, &pipeline.init, &[])?;
    plan.step = plan.list(pipeline, List::Step, &pipeline.step, &external)?;
    plan.frame = plan.list(pipeline, List::Frame, &pipeline.frame, &[])?;
    Ok(plan)
}

/// A command before barriers are placed.
type Bare = (Command, Accesses);

/// A segment before barriers are placed.
#[derive(Default)]
struct BareSegment {
    every: u32,
    first: u32,
    collects: Option<ResourceId>,
    applies: Option<ResourceId>,
    measures: bool,
    commands: Vec<Bare>,
}

impl Plan {
    fn list(
        &self,
        pipeline: &Pipeline,
        list: List,
        invocations: &[Invocation],
        external: &[FieldId],
    ) -> Result<Vec<Segment>, String> {
        let mut segments: Vec<BareSegment> = Vec::new();
        let mut written: Vec<FieldId> = Vec::new();
        let of_measures = |entry: &Invocation| {
            list == List::Frame && pipeline.stages[entry.stage].purpose == Purpose::Measure
        };
        let some_measure = invocations.iter().any(of_measures);
        for (number, invocation) in invocations.iter().enumerate() {
            let stage = &pipeline.stages[invocation.stage];
            let groups =
                (pipeline.groups_of(stage)).map_err(|cause| format!("stage `{}`: {cause}", stage.name))?;
            let first_external = stage
                .writes()
                .iter()
                .any(|f| external.contains(f) && !written.contains(f));
            written.extend(stage.writes());
            let bare = (
                Command::Dispatch {
                    invocation: number,
                    groups,
                    condition: stage.condition,
                },
                self.accesses(list, stage, groups),
            );
            let (every, first) = match list {
                List::Init => (1, 0),
                _ => (stage.every, stage.first),
            };
            let (collects, applies) = match stage.purpose {
                Purpose::Update(Update::Collects(grid)) => (Some(grid), None),
                Purpose::Update(Update::Applies(grid)) => (None, Some(grid)),
                _ => (None, None),
            };
            let measures = of_measures(invocation);
            let joins = |last: &&mut BareSegment| {
                (last.every, last.first, last.measures) == (every, first, measures)
                    && last.collects.is_none()
                    && applies.is_none()
                    && !first_external
            };
            match segments.last_mut().filter(joins) {
                Some(last) => {
                    last.commands.push(bare);
                    last.collects = collects;
                }
                None => segments.push(BareSegment {
                    every,
                    first,
                    collects,
                    applies,
                    measures,
                    commands: vec![bare],
                }),
            }
        }
        if list != List::Init {
            let bare = (
                Command::AdvanceClock,
                vec![(self.clock(list), Access::ShaderWrite)],
            );
            match segments.last_mut() {
                Some(last) if last.every == 1 && !some_measure => last.commands.push(bare),
                _ => segments.push(BareSegment {
                    every: 1,
                    commands: vec![bare],
                    ..BareSegment::default()
                }),
            }
        }
        let touched = |segment: &BareSegment| -> Vec<Accesses> {
            segment
                .commands
                .iter()
                .map(|(_, accesses)| accesses.clone())
                .collect()
        };
        let placed = if list == List::Init {
            // Runs once, after everything is in place: nothing is in flight before it.
            let mut entry = Vec::new();
            let mut placed = Vec::new();
            for segment in &segments {
                let commands = touched(segment);
                placed.push(barriers::place(&commands, &entry));
                entry = barriers::exit(&commands, &entry);
            }
            placed
        } else {
            let cycle: Vec<_> = segments
                .iter()
                .map(|segment| (touched(segment), segment.every > 1 || some_measure))
                .collect();
            barriers::place_cycle(&cycle)
        };
        let with_barriers = |(bare, placed): (BareSegment, Vec<barriers::Placed>)| {
            let mut commands = Vec::with_capacity(bare.commands.len() + placed.len());
            for (number, (command, _)) in bare.commands.into_iter().enumerate() {
                let barrier = placed.iter().find(|placed| placed.command == number);
                commands.extend(barrier.map(|placed| Command::Barrier(placed.barrier)));
                commands.push(command);
            }
            Segment {
                list,
                every: bare.every,
                first: bare.first,
                collects: bare.collects,
                applies: bare.applies,
                measures: bare.measures,
                commands,
            }
        };
        Ok(segments.into_iter().zip(placed).map(with_barriers).collect())
    }

    /// The item of a list's clock; init stages see the steps' clock as the first step does.
    fn clock(&self, list: List) -> Item {
        match list {
            List::Init | List::Step => self.fields,
            List::Frame => self.fields + 1,
        }
    }

    /// Every stage may read its clock.
    fn accesses(&self, list: List, stage: &Stage, groups: Groups) -> Accesses {
        let mut accesses = vec![(self.clock(list), Access::ShaderRead)];
        if let Groups::Indirect { field, .. } = groups {
            accesses.push((field, Access::IndirectRead));
        }
        accesses.extend(stage.condition.map(|field| (field, Access::ConditionRead)));
        accesses.extend(stage.reads().iter().map(|field| (*field, Access::ShaderRead)));
        accesses.extend(stage.writes().iter().map(|field| (*field, Access::ShaderWrite)));
        accesses
    }

    /// The copy of a set's live count that entry `invocation` of a list takes its group counts from.
    pub(crate) fn counted(&self, list: List, invocation: usize, field: FieldId, steps: u64) -> u32 {
        self.copies(list, invocation, field, steps).0
    }

    /// The copies of a field that entry `invocation` of a list reads and writes in a turn that starts with
    /// `steps` steps done.
    pub(crate) fn copies(&self, list: List, invocation: usize, field: FieldId, steps: u64) -> (u32, u32) {
        let ring = u64::from(self.rings[field]);
        let now = (steps % ring) as u32;
        let next = ((steps + 1) % ring) as u32;
        match (list, self.first_writer[field]) {
            (List::Init | List::Frame, _) | (_, None) => (now, now),
            // What writes only some elements, or not in every step, does so in place.
            (List::Step, Some(first)) if invocation < first => (now, now),
            (List::Step, Some(first)) if invocation == first => (now, next),
            (List::Step, Some(_)) => (next, next),
        }
    }

    pub(crate) fn segments(&self, list: List) -> &[Segment] {
        match list {
            List::Init => &self.init,
            List::Step => &self.step,
            List::Frame => &self.frame,
        }
    }

    /// Workgroups of entry `invocation` of a list.
    pub(crate) fn groups(&self, list: List, invocation: usize) -> Groups {
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

    /// What moving a list's clock on touches.
    pub(crate) fn touched_by_clock(&self, list: List) -> Touched {
        Touched {
            reads: Vec::new(),
            writes: vec![(self.clock(list), 0)],
        }
    }

    /// Everything that a segment touches in a turn that starts with `steps` steps done.
    pub(crate) fn touched(&self, pipeline: &Pipeline, segment: &Segment, steps: u64) -> Touched {
        let invocations = segment.list.entries(pipeline);
        let mut touched = Touched::default();
        for command in &segment.commands {
            match command {
                Command::Barrier(_) => {}
                Command::AdvanceClock => touched.writes.push((self.clock(segment.list), 0)),
                Command::Dispatch {
                    invocation, groups, ..
                } => {
                    let stage = &pipeline.stages[invocations[*invocation].stage];
                    touched.reads.push((self.clock(segment.list), 0));
                    if let Groups::Indirect { field, .. } = groups {
                        let copy = self.counted(segment.list, *invocation, *field, steps);
                        touched.reads.push((*field, copy));
                    }
                    for field in stage.reads().iter().chain(&stage.condition) {
                        let (read, _) = self.copies(segment.list, *invocation, *field, steps);
                        touched.reads.push((*field, read));
                    }
                    for field in stage.writes() {
                        let (_, write) = self.copies(segment.list, *invocation, *field, steps);
                        touched.writes.push((*field, write));
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
