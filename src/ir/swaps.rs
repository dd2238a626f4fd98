//! Swaps: the memory of each field at each time.
//!
//! A swap exchanges the memory of two fields without a copy. The memory of a field follows from all earlier swaps: from the
//! swaps of the list so far, and from those of earlier steps, which are equal in every step.

use std::collections::BTreeMap;

use super::ids::FieldId;
use super::list::List;

/// The swaps of a pipeline, in the order of its lists.
#[derive(Debug, Clone, Default)]
pub struct Swaps {
    pub init: Vec<[FieldId; 2]>,
    pub step: Vec<[FieldId; 2]>,
    /// After each swap of the list: the fields that have the memory of another field, with that field.
    init_maps: Vec<Map>,
    step_maps: Vec<Map>,
    /// The map after each whole step, until every field has its first memory again.
    cycle: Vec<Map>,
    /// For each field, the lowest of the fields that swaps connect with it.
    families: Map,
}

type Map = BTreeMap<FieldId, FieldId>;

fn of(map: &Map, field: FieldId) -> FieldId {
    map.get(&field).copied().unwrap_or(field)
}

/// The map after each swap of a list that starts with every name in its own memory.
fn maps(swaps: &[[FieldId; 2]]) -> Vec<Map> {
    let mut maps = vec![Map::new()];
    for [a, b] in swaps {
        let mut map = maps.last().cloned().unwrap_or_default();
        let (of_a, of_b) = (of(&map, *a), of(&map, *b));
        for (name, memory) in [(*a, of_b), (*b, of_a)] {
            map.insert(name, memory);
        }
        map.retain(|name, memory| name != memory);
        maps.push(map);
    }
    maps
}

impl Swaps {
    /// Largest number of steps to search for the end of the cycle.
    const MAX_ITERATIONS: usize = 4096;

    pub fn new(init: Vec<[FieldId; 2]>, step: Vec<[FieldId; 2]>) -> Swaps {
        let (init_maps, step_maps) = (maps(&init), maps(&step));
        let step_map = step_maps.last().cloned().unwrap_or_default();
        let mut cycle = vec![Map::new()];
        while cycle.len() < Swaps::MAX_ITERATIONS {
            let last = cycle.last().cloned().unwrap_or_default();
            let names = last.keys().chain(step_map.keys());
            let mut next: Map = names
                .map(|name| (*name, of(&last, of(&step_map, *name))))
                .collect();
            next.retain(|name, memory| name != memory);
            if next.is_empty() {
                break;
            }
            cycle.push(next);
        }
        let mut families = Map::new();
        for [a, b] in init.iter().chain(&step) {
            let (a, b) = (of(&families, *a), of(&families, *b));
            let (first, second) = (a.min(b), a.max(b));
            families.entry(first).or_insert(first);
            families.insert(second, first);
            for family in families.values_mut().filter(|family| **family == second) {
                *family = first;
            }
        }
        Swaps {
            init,
            step,
            init_maps,
            step_maps,
            cycle,
            families,
        }
    }

    /// Steps after which every field has its first memory again.
    pub fn order(&self) -> u32 {
        self.cycle.len().max(1) as u32
    }

    /// The field that represents all fields whose memory a field may have; the field itself if it is never swapped.
    pub fn family(&self, field: FieldId) -> FieldId {
        of(&self.families, field)
    }

    /// Returns true if two fields may have the same memory.
    pub fn share(&self, a: FieldId, b: FieldId) -> bool {
        self.family(a) == self.family(b)
    }

    /// The field whose original memory a field has after `steps` steps and `swaps` swaps of a list.
    pub fn memory(&self, list: List, swaps: usize, field: FieldId, steps: u64) -> FieldId {
        if !self.families.contains_key(&field) {
            return field;
        }
        let after = |maps: &[Map], swaps: usize, field| maps.get(swaps).map_or(field, |map| of(map, field));
        if list == List::Init {
            return after(&self.init_maps, swaps, field);
        }
        let at_start = match list {
            List::Step => after(&self.step_maps, swaps, field),
            _ => field,
        };
        let step = (steps % u64::from(self.order())) as usize;
        let before = after(&self.cycle, step, at_start);
        after(&self.init_maps, self.init.len(), before)
    }

    /// Returns true if these swaps in order leave every field with its memory.
    pub fn cancel(swaps: &[[FieldId; 2]]) -> bool {
        maps(swaps).last().is_none_or(Map::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn swapped_fields_alternate_memory_each_step() {
        let swaps = Swaps::new(Vec::new(), vec![[3, 5]]);
        assert_eq!(swaps.order(), 2);
        assert_eq!((swaps.family(5), swaps.family(3), swaps.family(4)), (3, 3, 4));
        for (steps, before, after) in [(0, 3, 5), (1, 5, 3), (2, 3, 5)] {
            assert_eq!(swaps.memory(List::Step, 0, 3, steps), before);
            assert_eq!(swaps.memory(List::Step, 1, 3, steps), after);
            assert_eq!(swaps.memory(List::Frame, 0, 3, steps), before);
        }
        assert!(Swaps::cancel(&[[1, 2], [1, 2]]) && !Swaps::cancel(&[[1, 2]]));
        // Every pair occurs twice, but the order matters.
        assert!(!Swaps::cancel(&[[1, 2], [2, 3], [1, 2], [2, 3]]));
    }

    proptest! {
        /// Compares with a host that exchanges the memory step by step.
        #[test]
        fn swap_bookkeeping_equals_moving_memory(
            init in proptest::collection::vec((0usize..5, 0usize..5), 0..5),
            step in proptest::collection::vec((0usize..5, 0usize..5), 0..6),
        ) {
            let pairs = |list: &[(usize, usize)]| -> Vec<[FieldId; 2]> {
                list.iter().filter(|(a, b)| a != b).map(|(a, b)| [*a, *b]).collect()
            };
            let (init, step) = (pairs(&init), pairs(&step));
            let swaps = Swaps::new(init.clone(), step.clone());
            let mut memory: Vec<usize> = (0..5).collect();
            for (done, [a, b]) in init.iter().enumerate() {
                (0..5).for_each(|name| assert_eq!(swaps.memory(List::Init, done, name, 0), memory[name]));
                memory.swap(*a, *b);
            }
            for steps in 0..15 {
                (0..5).for_each(|name| assert_eq!(swaps.memory(List::Frame, 0, name, steps), memory[name]));
                for (done, [a, b]) in step.iter().enumerate() {
                    (0..5).for_each(|name| assert_eq!(swaps.memory(List::Step, done, name, steps), memory[name]));
                    memory.swap(*a, *b);
                }
            }
            for [a, b] in init.iter().chain(&step) {
                prop_assert!(swaps.share(*a, *b));
            }
        }
    }
}
