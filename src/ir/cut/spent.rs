//! Ghosts that lose their neighbours: a stage that reads particles of other cells is right for those ghosts alone around
//! which a rank has all particles.
//!
//! Each such stage spends as many planes of ghosts as it reads cells away. A sort in each step brings new ones. So a rank
//! has more ghosts than those that may enter its part, and each stage runs over the planes that are left.

use super::super::ids::{ResourceId, StageId};
use super::super::pipeline::Pipeline;
use super::super::stage::{Completed, Stage};

impl Pipeline {
    /// The planes of ghosts that the stages over a set of a step have spent when each of them has run, with their sum last;
    /// `None` if nothing sorts the set in every step, or a stage runs at several times of a step.
    fn spent_by_stages(&self, set: ResourceId) -> Option<(Vec<(StageId, u64)>, u64)> {
        let runs_over = |stage: &Stage| stage.shares.or(stage.domain.resource) == Some(set);
        let steps = self.step.iter().filter(|entry| entry.call.is_none());
        let over: Vec<StageId> = steps
            .map(|entry| entry.stage)
            .filter(|id| runs_over(&self.stages[*id]))
            .collect();
        let is_sort = |id: &StageId| self.stages[*id].completes == Some(Completed::Sort(set));
        let last = over.iter().rposition(is_sort)?;
        let sort = &self.stages[over[last]];
        if sort.every != 1 || !sort.conditions.is_empty() || self.resources[set].live().is_some() {
            return None;
        }
        let mut spent = 0;
        let mut after: Vec<(StageId, u64)> = Vec::new();
        let (before, behind) = over.split_at(last + 1);
        for id in behind.iter().chain(before) {
            spent += u64::from(self.stages[*id].neighbours.unwrap_or(0));
            if after.iter().any(|(known, of)| known == id && *of != spent) {
                return None;
            }
            after.push((*id, spent));
        }
        Some((after, spent))
    }

    /// The planes of ghosts that the stages of a step spend.
    pub(super) fn spent_planes(&self, set: ResourceId) -> u64 {
        self.spent_by_stages(set).map_or(0, |(_, all)| all)
    }

    /// Returns true if ranks have ghosts enough for the stages of a step that read particles of other cells.
    pub(super) fn may_read_neighbours(&self, set: ResourceId) -> bool {
        self.spent_by_stages(set).is_some()
    }

    /// The planes of ghosts that are spent when each stage over a set has run in a step.
    pub fn spent_after(&self, set: ResourceId) -> Vec<(StageId, u64)> {
        self.spent_by_stages(set)
            .map_or_else(Vec::new, |(after, _)| after)
    }
}
