//! From a list of invocations to its segments, with barriers between their commands.

mod bare;
mod barriers;
mod cut;

use super::{Command, List, Plan, Segment};
use crate::access::Access;
use crate::ir::{FieldId, Invocation, Pipeline};

use bare::{BareSegment, is_measure};

impl Plan {
    /// The segments of a list. A segment ends before the first write to one of the `external` fields, which others read.
    pub(super) fn list(
        &mut self,
        pipeline: &Pipeline,
        list: List,
        invocations: &[Invocation],
        external: &[FieldId],
    ) -> Vec<Segment> {
        let some_measure = invocations.iter().any(|entry| is_measure(pipeline, list, entry));
        let mut segments = cut::cut(self, pipeline, list, invocations, external);
        self.add_accesses_of_gates(pipeline, &mut segments);
        self.add_notes(pipeline, &mut segments);
        if list != List::Init {
            self.add_clock(list, &mut segments, some_measure);
        }
        let placed = barriers::place(list, &segments, some_measure);
        barriers::insert(list, segments, placed)
    }

    /// Lists the accesses of gates, which are known after the list is cut: later entries may join an open gate.
    fn add_accesses_of_gates(&self, pipeline: &Pipeline, segments: &mut [BareSegment]) {
        for (command, accesses) in segments.iter_mut().flat_map(|segment| &mut segment.commands) {
            if let Command::Gate(gate) = command {
                let gate = &self.gates[*gate];
                *accesses = gate.accesses(pipeline, &self.stage_groups, self.counts(gate.list));
            }
        }
    }

    /// Ends each part of a repeat with a note of its condition for the host.
    fn add_notes(&self, pipeline: &Pipeline, segments: &mut [BareSegment]) {
        for number in 0..segments.len() {
            let of = |segment: &BareSegment| segment.part.map(|part| part.note);
            let is_last = segments.get(number + 1).and_then(of) != of(&segments[number]);
            let segment = &mut segments[number];
            if let Some(part) = segment.part.filter(|_| is_last) {
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
            Some(last) if last.every == 1 && last.part.is_none() && last.call.is_none() && !some_measure => {
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
