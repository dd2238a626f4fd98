//! Steps at which ranks start between two sorts of particles without ghosts.

use super::super::Completed;
use super::super::pipeline::Pipeline;
use super::CutSet;

impl CutSet {
    /// The first particle of each row after the last sort, and the end. Keys that number a block are those of this sort; a
    /// particle with another key counts with the row of the one before it. `None` if keys are not in order.
    pub fn first_of_rows(&self, keys: &[u32]) -> Option<Vec<u64>> {
        first_of_rows(keys, self.row, self.rows)
    }
}

fn first_of_rows(keys: &[u32], row: u64, rows: u64) -> Option<Vec<u64>> {
    let keys_by_index = keys
        .iter()
        .enumerate()
        .map(|(i, key)| (i as u64, u64::from(*key)));
    let blocks: Vec<(u64, u64)> = keys_by_index.filter(|(_, key)| *key < row * rows).collect();
    let count = keys.len() as u64;
    let first_of = |number: u64| match blocks.partition_point(|(_, key)| *key < number * row) {
        0 => 0,
        at => blocks.get(at).map_or(count, |(first, _)| *first),
    };
    let is_sorted = blocks.is_sorted_by_key(|(_, key)| *key);
    is_sorted.then(|| (0..rows).map(first_of).chain([count]).collect())
}

impl Pipeline {
    /// The sets without ghosts that have been sorted, and are not sorted anew in the step after so many: ranks have divided them as
    /// the keys of the last sort say.
    pub fn sets_between_sorts(&self, steps: u64) -> impl Iterator<Item = &CutSet> {
        let sets = self.cut.as_deref().into_iter().flat_map(|cut| &cut.sets);
        sets.filter(move |set| set.ghosts.is_none() && self.is_between_sorts(set, steps))
    }

    /// Returns true if a set is not sorted in the step after so many.
    pub fn is_between_sorts(&self, set: &CutSet, steps: u64) -> bool {
        let stages = self.step.iter().map(|entry| &self.stages[entry.stage]);
        let mut sorts = stages.filter(|stage| stage.completes == Some(Completed::Sort(set.set())));
        !sorts.any(|stage| {
            let (first, every) = (u64::from(stage.first), u64::from(stage.every));
            steps <= first || (steps - first).is_multiple_of(every)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::first_of_rows;

    #[test]
    fn rows_begin_at_their_first_key() {
        let none = u32::MAX;
        let first = |keys: &[u32]| first_of_rows(keys, 2, 3);
        assert_eq!(first(&[0, 1, 2, 2, 5]), Some(vec![0, 2, 4, 5]));
        // Keys without a block count with the row before, at the start with the first row.
        assert_eq!(first(&[none, 1, none, 2, none, 5, none]), Some(vec![0, 3, 5, 7]));
        // Rows without particles; no particle with a block; no particle.
        assert_eq!(first(&[4, 4]), Some(vec![0, 0, 0, 2]));
        assert_eq!(first(&[1, 1]), Some(vec![0, 2, 2, 2]));
        assert_eq!(first(&[none, none]), Some(vec![0, 0, 0, 2]));
        assert_eq!(first(&[]), Some(vec![0, 0, 0, 0]));
        assert_eq!(first(&[0, 3, 1]), None);
    }
}
