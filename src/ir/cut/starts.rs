//! Steps after which ranks can start.

use super::super::ids::ResourceId;
use super::super::pipeline::Pipeline;
use super::CutSet;

impl Pipeline {
    /// A set without ghosts that is between two sorts after so many steps. Ranks cannot start there: where its particles are, only
    /// the ranks of the last sort know.
    pub fn unsorted_at(&self, steps: u64) -> Option<ResourceId> {
        let cut = self.cut.as_deref()?;
        let is_next = |set: ResourceId| {
            let stages = self.step.iter().map(|entry| &self.stages[entry.stage]);
            let mut sorts = stages.filter(|stage| stage.ends_sort == Some(set));
            sorts.any(|stage| steps % u64::from(stage.every) == u64::from(stage.first))
        };
        let mut sets = cut.sets.iter().filter(|set| set.ghosts.is_none());
        sets.find(|set| !is_next(set.set())).map(CutSet::set)
    }
}
