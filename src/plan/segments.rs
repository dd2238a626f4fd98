//! From a list of invocations to its segments, with barriers between their commands.

use super::barriers::{self, Barrier};
use super::loops::{self, Gating};
use super::{Accesses, Command, List, Part, Plan, Runs, Segment};
use crate::access::Access;
use crate::ir::{FieldId, Invocation, Pipeline, Purpose, ResourceId, Update};

/// A command before barriers are placed.
type Bare = (Command, Accesses);

/// A segment before barriers are placed.
#[derive(Default)]
struct BareSegment {
    every: u32,
    first: u32,
    collects: Option<ResourceId>,
    applies: Option<ResourceId>,
    part: Option<Part>,
    measures: bool,
    commands: Vec<Bare>,
}

impl Plan {
    /// The segments of a list; `external` are the fields that others read, before whose first write a segment ends.
    pub(super) fn list(
        &mut self,
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
        let part_lengths = loops::part_lengths(pipeline, list, invocations);
        let mut gating = Gating::default();
        for (number, invocation) in invocations.iter().enumerate() {
            let stage = &pipeline.stages[invocation.stage];
            let groups =
                (pipeline.groups_of(stage)).map_err(|cause| format!("stage `{}`: {cause}", stage.name))?;
            let writes = || stage.writes().iter().map(|field| pipeline.swaps.family(*field));
            let first_external = writes().any(|f| external.contains(&f) && !written.contains(&f));
            written.extend(writes());
            let part = loops::part_of(invocation.iteration, &part_lengths);
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
                    && last.part.map(|part| (part.repeat, part.number)) == part
                    // A part of a repeat stays whole.
                    && (!first_external || part.is_some())
            };
            if segments.last_mut().filter(joins).is_none() {
                let part = part.zip(stage.conditions.first());
                let part = part.map(|((repeat, number), condition)| Part {
                    repeat,
                    number,
                    condition: *condition,
                    entry: number,
                    note: self.notes,
                });
                self.notes += usize::from(part.is_some());
                segments.push(BareSegment {
                    every,
                    first,
                    applies,
                    part,
                    measures,
                    ..BareSegment::default()
                });
            }
            let at = segments.len() - 1;
            let (when, opened) = gating.when(
                (&mut self.gates, self.conditional),
                pipeline,
                list,
                number,
                groups,
                at,
            );
            let last = &mut segments[at];
            last.collects = collects;
            // Its accesses are known after all its rows.
            last.commands
                .extend(opened.map(|gate| (Command::Gate(gate), Vec::new())));
            let dispatch = Command::Dispatch {
                invocation: number,
                groups,
                when,
            };
            last.commands
                .push((dispatch, self.accesses(list, pipeline, stage, groups, when)));
            gating.written(pipeline, stage);
        }
        for segment in &mut segments {
            for (command, accesses) in &mut segment.commands {
                if let Command::Gate(gate) = command {
                    let gate = &self.gates[*gate];
                    *accesses = gate.accesses(pipeline, self.counts(gate.list));
                }
            }
            if let Some(part) = segment.part {
                let accesses = vec![
                    (pipeline.swaps.family(part.condition), Access::TransferRead),
                    (self.noted(), Access::TransferWrite),
                ];
                segment.commands.push((Command::Note(part), accesses));
            }
        }
        if list != List::Init {
            let bare = (
                Command::AdvanceClock,
                vec![(self.clock(list), Access::ShaderWrite)],
            );
            match segments.last_mut() {
                Some(last) if last.every == 1 && last.part.is_none() && !some_measure => {
                    last.commands.push(bare)
                }
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
        // Barriers before and after each part of a repeat order everything, so the number of parts does not matter: for
        // the segments around them, all parts are a single segment without commands.
        let mut cycle: Vec<(Vec<Accesses>, Runs)> = Vec::new();
        for (number, segment) in segments.iter().enumerate() {
            let earlier = number.checked_sub(1).and_then(|before| segments[before].part);
            match segment.part {
                None if segment.every > 1 || some_measure => cycle.push((touched(segment), Runs::Sometimes)),
                None => cycle.push((touched(segment), Runs::Always)),
                Some(part) if earlier.is_some_and(|earlier| earlier.repeat == part.repeat) => {}
                Some(_) => cycle.push((Vec::new(), Runs::Apart)),
            }
        }
        let around = match list {
            // Runs once, after everything is in place: nothing is in flight before it.
            List::Init => barriers::place_once(&cycle),
            List::Step | List::Frame => barriers::place_cycle(&cycle),
        };
        let mut around = around
            .into_iter()
            .zip(&cycle)
            .filter(|(_, (_, runs))| *runs != Runs::Apart);
        let placed: Vec<Vec<barriers::Placed>> = (segments.iter())
            .map(|segment| match segment.part {
                Some(_) => barriers::place(&touched(segment), &[]),
                None => around.next().map(|(placed, _)| placed).unwrap_or_default(),
            })
            .collect();
        let kinds = (segments.iter().flat_map(|segment| &segment.commands))
            .flat_map(|(_, accesses)| accesses.iter().map(|(_, access)| *access));
        let mut all = Barrier::default();
        for access in kinds {
            all.before.insert(access);
            all.after.insert(access);
        }
        let with_barriers = |(bare, placed): (BareSegment, Vec<barriers::Placed>)| {
            let mut commands = Vec::with_capacity(bare.commands.len() + placed.len());
            let first_part = bare.part.is_some_and(|part| part.number == 0);
            commands.extend(first_part.then_some(Command::Barrier(all)));
            for (number, (command, _)) in bare.commands.into_iter().enumerate() {
                let barrier = placed.iter().find(|placed| placed.command == number);
                commands.extend(barrier.map(|placed| Command::Barrier(placed.barrier)));
                commands.push(command);
            }
            commands.extend(bare.part.map(|_| Command::Barrier(all)));
            Segment {
                list,
                every: bare.every,
                first: bare.first,
                collects: bare.collects,
                applies: bare.applies,
                part: bare.part,
                measures: bare.measures,
                commands,
            }
        };
        Ok(segments.into_iter().zip(placed).map(with_barriers).collect())
    }
}
