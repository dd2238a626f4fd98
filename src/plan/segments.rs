//! From a list of invocations to its segments, with barriers between their commands.

mod barriers;
mod cut;

use super::{Accesses, Command, List, LoopPart, Plan, Segment};
use crate::access::Access;
use crate::ir::{FieldId, Invocation, Pipeline, Purpose, ResourceId};

/// A command before barriers are placed.
type BareCommand = (Command, Accesses);

/// A segment before barriers are placed.
#[derive(Default)]
struct BareSegment {
    every: u32,
    first: u32,
    collects: Option<ResourceId>,
    applies: Option<ResourceId>,
    part: Option<LoopPart>,
    measures: bool,
    commands: Vec<BareCommand>,
}

impl BareSegment {
    /// The accesses of each of its commands.
    fn accesses(&self) -> Vec<Accesses> {
        let accesses = self.commands.iter().map(|(_, accesses)| accesses.clone());
        accesses.collect()
    }
}

impl Plan {
    /// The segments of a list. A segment ends before the first write to one of the `external` fields, which others read.
    pub(super) fn list(
        &mut self,
        pipeline: &Pipeline,
        list: List,
        invocations: &[Invocation],
        external: &[FieldId],
    ) -> Result<Vec<Segment>, String> {
        let some_measure = invocations.iter().any(|entry| is_measure(pipeline, list, entry));
        let mut segments = cut::cut(self, pipeline, list, invocations, external)?;
        self.add_accesses_of_gates(pipeline, &mut segments);
        self.add_notes(pipeline, &mut segments);
        if list != List::Init {
            self.add_clock(list, &mut segments, some_measure);
        }
        let placed = barriers::place(list, &segments, some_measure);
        Ok(barriers::insert(list, segments, placed))
    }

    /// Lists the accesses of gates, which are known after the list is cut: later entries may join an open gate.
    fn add_accesses_of_gates(&self, pipeline: &Pipeline, segments: &mut [BareSegment]) {
        for (command, accesses) in segments.iter_mut().flat_map(|segment| &mut segment.commands) {
            if let Command::Gate(gate) = command {
                let gate = &self.gates[*gate];
                *accesses = gate.accesses(pipeline, self.counts(gate.list));
            }
        }
    }

    /// Ends each part of a repeat with a note of its condition for the host.
    fn add_notes(&self, pipeline: &Pipeline, segments: &mut [BareSegment]) {
        for segment in segments {
            if let Some(part) = segment.part {
                let accesses = vec![
                    (pipeline.swaps.family(part.condition), Access::TransferRead),
                    (self.noted(), Access::TransferWrite),
                ];
                segment.commands.push((Command::Note(part), accesses));
            }
        }
    }

    /// Advances the clock at the end of the list, in the last segment if that runs in every pass.
    fn add_clock(&self, list: List, segments: &mut Vec<BareSegment>, some_measure: bool) {
        let advance = (
            Command::AdvanceClock,
            vec![(self.clock(list), Access::ShaderWrite)],
        );
        match segments.last_mut() {
            Some(last) if last.every == 1 && last.part.is_none() && !some_measure => {
                last.commands.push(advance)
            }
            _ => segments.push(BareSegment {
                every: 1,
                commands: vec![advance],
                ..BareSegment::default()
            }),
        }
    }
}

/// Returns true if an entry belongs to the frame stages that measure, which also run in frames that are not drawn.
fn is_measure(pipeline: &Pipeline, list: List, entry: &Invocation) -> bool {
    list == List::Frame && pipeline.stages[entry.stage].purpose == Purpose::Measure
}
