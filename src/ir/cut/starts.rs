//! Steps at which ranks start between two sorts of particles without ghosts.

use super::super::pipeline::Pipeline;
use super::CutSet;

impl Pipeline {
    /// The sets without ghosts that have been sorted, and are not sorted anew in the step after so many: ranks have divided them as
    /// the keys of the last sort say.
    pub fn sets_between_sorts(&self, steps: u64) -> impl Iterator<Item = &CutSet> {
        let sets = self.cut.as_deref().into_iter().flat_map(|cut| &cut.sets);
        sets.filter(move |set| {
            let stages = self.step.iter().map(|entry| &self.stages[entry.stage]);
            let mut sorts = stages.filter(|stage| stage.ends_sort == Some(set.set()));
            let is_next = sorts.any(|stage| {
                let (first, every) = (u64::from(stage.first), u64::from(stage.every));
                steps <= first || (steps - first).is_multiple_of(every)
            });
            set.ghosts.is_none() && !is_next
        })
    }
}
