//! Values that travel because two stages in succession divide a field in different ways.

use super::super::ids::{FieldId, StageId};
use super::super::owners::Owners;
use super::super::pipeline::Pipeline;
use super::{Cut, Division, Layout, Share};

impl Pipeline {
    /// How ranks divide the elements of a stage that runs on parts.
    pub fn division_of(&self, cut: &Cut, id: StageId) -> Division {
        let of_transform = self.stages[id].lines.as_deref();
        of_transform.map_or(cut.division_of_stage(id), |lines| cut.division_of(lines.axis))
    }

    /// The stage of `step` that writes a family of fields last before a stage; the list repeats.
    pub(super) fn writer_before(&self, id: StageId, family: FieldId) -> Option<StageId> {
        let is_of = |field: &FieldId| self.swaps.family(*field) == family;
        let writes = |other: &StageId| self.stages[*other].writes().iter().any(is_of);
        self.others(id, true).find(writes)
    }

    /// The stage of `step` that reads a family of fields first after a stage.
    pub(super) fn reader_after(&self, id: StageId, family: FieldId) -> Option<StageId> {
        let is_of = |field: &FieldId| self.swaps.family(*field) == family;
        let reads = |other: &StageId| self.stages[*other].reads().iter().any(is_of);
        self.others(id, false).find(reads)
    }

    /// The other stages of `step`, from a stage on.
    fn others(&self, id: StageId, backwards: bool) -> impl Iterator<Item = StageId> {
        let count = self.step.len();
        let at = self.step.iter().position(|entry| entry.stage == id).unwrap_or(0);
        let numbers = (1..count).map(move |away| if backwards { at + count - away } else { at + away });
        numbers.map(move |number| self.step[number % count].stage)
    }

    /// The bytes that ranks exchange before a stage of `step` because the stages before it left other lines or parts.
    pub(super) fn crossing(&self, cut: &Cut, id: StageId) -> u64 {
        let is_part = |id: StageId| matches!(cut.shares[id], Share::Part { .. });
        if !is_part(id) || self.stages[id].tiles.is_some() {
            return 0;
        }
        let own = self.division_of(cut, id);
        let needed: Vec<(FieldId, Layout)> = match self.stages[id].lines.as_deref() {
            Some(lines) => vec![(lines.ends[0].field, self.layout_of_lines(cut, lines, 0))],
            None => {
                // It may keep values of elements that it does not write.
                let stage = &self.stages[id];
                let mut fields: Vec<FieldId> = stage.reads().iter().chain(stage.writes()).copied().collect();
                fields.sort_unstable();
                fields.dedup();
                fields.retain(|field| cut.grid(self.fields[*field].resource).is_some());
                fields
                    .into_iter()
                    .map(|field| (field, self.layout_of(field)))
                    .collect()
            }
        };
        let bytes = needed.into_iter().map(|(field, layout)| {
            let writer = self.writer_before(id, self.swaps.family(field));
            let left = writer.filter(|writer| is_part(*writer));
            match left.map(|writer| self.division_of(cut, writer)) {
                Some(left) if left != own => sent(cut, &layout.divided(left), own),
                _ => 0,
            }
        });
        bytes.sum()
    }
}

/// The bytes that all ranks send so that a field is divided otherwise.
fn sent(cut: &Cut, layout: &Layout, division: Division) -> u64 {
    let ranks = cut.partition.ranks();
    let pairs = (0..ranks).flat_map(|from| (0..ranks).map(move |to| [from, to]));
    let pieces = pairs.flat_map(|ranks| layout.pieces(&cut.partition, ranks, division.own(), Owners::Own));
    pieces.map(|slots| slots.count() * u64::from(layout.bytes)).sum()
}
