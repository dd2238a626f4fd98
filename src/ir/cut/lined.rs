//! Stages between transforms that run on whole lines, as the transforms before and after them do: then the fields between them
//! need not travel.

use super::super::domain::Over;
use super::super::ids::{FieldId, StageId};
use super::super::pipeline::Pipeline;
use super::super::reach::Reach;
use super::{Cut, Division, Share, shares};

impl Cut {
    /// How ranks divide the elements of a stage that runs on parts.
    pub fn division_of_stage(&self, stage: StageId) -> Division {
        let lined = self.lined.get(stage).copied().flatten();
        lined.map_or(Division::Cells, Division::Lines)
    }
}

impl Pipeline {
    /// The axis along which each stage runs on whole lines, if it does.
    pub(super) fn stages_on_lines(&self, cut: &Cut) -> Vec<Option<usize>> {
        let mut lined: Vec<Option<usize>> = vec![None; self.stages.len()];
        let axes: Vec<usize> = (0..3).filter(|axis| cut.partition.parts[*axis] > 1).collect();
        let has_lines = |id: StageId| {
            let lines = self.stages[id].lines.as_deref();
            lines.is_some_and(|lines| cut.division_of(lines.axis) != Division::Cells)
        };
        if !self.step.iter().any(|entry| has_lines(entry.stage)) {
            return lined;
        }
        let mut open: Vec<StageId> = self.step.iter().map(|entry| entry.stage).collect();
        open.sort_unstable();
        open.dedup();
        open.retain(|id| axes.iter().any(|axis| self.may_run_on_lines(cut, *id, *axis)));
        loop {
            let decided = open.iter().position(|id| {
                let votes = self.votes(cut, &lined, &open, *id);
                let count = |division: Division| votes.iter().filter(|vote| **vote == division).count();
                let best = axes.iter().max_by_key(|axis| count(Division::Lines(**axis)));
                let best = best.filter(|axis| count(Division::Lines(**axis)) > count(Division::Cells));
                let best = best.filter(|axis| self.may_run_on_lines(cut, *id, **axis));
                if let Some(axis) = best {
                    lined[*id] = Some(*axis);
                }
                best.is_some()
            });
            match decided {
                Some(number) => open.remove(number),
                None => return lined,
            };
        }
    }

    /// Returns true if a stage may run on any elements: each accesses its own values alone.
    fn may_run_on_lines(&self, cut: &Cut, id: StageId, axis: usize) -> bool {
        let stage = &self.stages[id];
        let signature = &self.kernel_of(stage).signature;
        let grid = stage.domain.resource.and_then(|id| cut.grid(id));
        let Some(grid) = grid.filter(|grid| self.resources[grid.id].sparse().is_none()) else {
            return false;
        };
        let is_plain = cut.shares[id] == Share::Part { grow: [0; 3] }
            && stage.domain.over == Over::Elements
            && stage.domain.size == self.resources[grid.id].size
            && stage.tiles.is_none()
            && stage.lines.is_none()
            && signature.reduces.is_empty();
        let scaled = cut.partition.scaled(grid.scale);
        let turned = scaled.and_then(|scaled| scaled.turned(axis));
        // An invocation may process several cells along x.
        let has_rows = turned.is_some_and(|turned| shares::width(stage) == 1 || turned.parts[0] == 1);
        let mut locals = signature.fields.iter().zip(&stage.bindings);
        is_plain
            && has_rows
            && locals.all(|(local, field)| match cut.grid(self.fields[*field].resource) {
                None => !local.writes,
                Some(other) => {
                    local.reach.all == Reach::Cells(0)
                        && local.alternation.is_none()
                        && local.keeps.is_none()
                        && other.scale == grid.scale
                        && self.size_of(*field) == stage.domain.size
                }
            })
    }

    /// How the stages that write before it what a stage reads, and those that read next what it writes, divide these fields; of
    /// those in `open` it is not known yet.
    fn votes(&self, cut: &Cut, lined: &[Option<usize>], open: &[StageId], id: StageId) -> Vec<Division> {
        let family = |field: &FieldId| self.swaps.family(*field);
        let division = |other: StageId| {
            let lines = self.stages[other].lines.as_deref();
            match lined[other] {
                Some(axis) => Some(Division::Lines(axis)),
                None if open.contains(&other) => None,
                None => Some(lines.map_or(Division::Cells, |lines| cut.division_of(lines.axis))),
            }
        };
        let stage = &self.stages[id];
        let is_on_grid = |field: &&FieldId| cut.grid(self.fields[**field].resource).is_some();
        let read = stage.reads().iter().filter(is_on_grid);
        let read = read.filter_map(|field| division(self.writer_before(id, family(field))?));
        let written = stage.writes().iter().filter(is_on_grid);
        let written = written.filter_map(|field| division(self.reader_after(id, family(field))?));
        read.chain(written).collect()
    }
}
