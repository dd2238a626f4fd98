use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn run(chunk: u32, first: u32, count: u32) -> SlotRun {
    SlotRun { chunk, first, count }
}

#[test]
fn slot_runs_are_contiguous_and_prefer_the_lowest_chunk() {
    let mut pool = SlotPool::new(8, 20);
    assert_eq!(pool.take_run(5), Some(vec![run(0, 0, 5)]));
    assert_eq!(pool.take_run(2), Some(vec![run(0, 5, 2)]));
    // 1 slot is free: the rest comes from a new chunk, in the longest runs.
    assert_eq!(pool.take_run(4), Some(vec![run(1, 0, 4)]));
    assert_eq!(pool.take_grown(), [0, 1]);
    pool.give_back(run(0, 1, 3));
    assert_eq!(pool.take_run(2), Some(vec![run(0, 1, 2)]));
    assert_eq!(pool.take_run(3), Some(vec![run(1, 4, 3)]));
    // 3 slots left in pieces, 4 in the last chunk.
    assert_eq!(
        pool.take_run(6),
        Some(vec![run(2, 0, 4), run(0, 3, 1), run(0, 7, 1)])
    );
    assert_eq!((pool.free(), pool.allocated()), (1, 20));
    assert_eq!(pool.take_run(2), None);
    assert_eq!(pool.take_run(1), Some(vec![run(1, 7, 1)]));
    assert_eq!(pool.take_run(0), Some(vec![]));
}

#[test]
fn empty_chunks_but_one_spare_are_released() {
    let mut pool = SlotPool::new(4, 16);
    for _ in 0..4 {
        pool.take_run(4).unwrap();
    }
    assert_eq!(pool.take_grown(), [0, 1, 2, 3]);
    pool.give_back(run(2, 0, 4));
    assert!(pool.release_empty().is_empty());
    pool.give_back(run(3, 1, 3));
    pool.give_back(run(3, 0, 1));
    pool.give_back(run(0, 0, 4));
    assert_eq!(pool.release_empty(), [2, 3]);
    assert_eq!(pool.chunks().collect::<Vec<u32>>(), [0, 1]);
    assert_eq!(pool.take_run(5).unwrap(), [run(0, 0, 4), run(2, 0, 1)]);
    assert_eq!(pool.take_grown(), [2]);
}

proptest! {
    #[test]
    fn slots_are_never_lost_or_handed_out_twice(
        per_chunk in 1u32..9,
        limit in 0u64..40,
        steps in proptest::collection::vec((any::<bool>(), 0u32..12, any::<prop::sample::Index>()), 1..80),
    ) {
        let mut pool = SlotPool::new(per_chunk, limit);
        let mut chunks = BTreeSet::new();
        let mut used = BTreeSet::new();
        let mut held: Vec<SlotRun> = Vec::new();
        for (take, count, which) in steps {
            if take {
                let room = limit - used.len() as u64;
                let free_before = pool.free();
                let runs = pool.take_run(count);
                prop_assert_eq!(runs.is_some(), u64::from(count) <= room);
                let grown = pool.take_grown();
                prop_assert!(grown.is_empty() || u64::from(count) > free_before);
                for chunk in grown {
                    prop_assert!(chunks.insert(chunk));
                }
                let runs = runs.unwrap_or_default();
                prop_assert!(runs.is_empty() || runs.iter().map(|run| run.count).sum::<u32>() == count);
                for run in &runs {
                    prop_assert!(chunks.contains(&run.chunk) && run.first + run.count <= per_chunk);
                    for slot in run.first..run.first + run.count {
                        prop_assert!(used.insert((run.chunk, slot)));
                    }
                }
                held.extend(runs);
            } else if !held.is_empty() {
                let run = held.swap_remove(which.index(held.len()));
                for slot in run.first..run.first + run.count {
                    used.remove(&(run.chunk, slot));
                }
                pool.give_back(run);
                for chunk in pool.release_empty() {
                    prop_assert!(chunks.remove(&chunk) && used.iter().all(|(of, _)| *of != chunk));
                }
                let empty = chunks.iter().filter(|chunk| used.iter().all(|(of, _)| of != *chunk));
                prop_assert!(empty.count() <= 1);
            }
            prop_assert_eq!(pool.chunks().collect::<BTreeSet<u32>>(), chunks.clone());
            prop_assert_eq!(pool.allocated(), chunks.iter().map(|chunk| u64::from(pool.slots_of(*chunk))).sum::<u64>());
            prop_assert_eq!(pool.free(), pool.allocated() - used.len() as u64);
            prop_assert!(pool.allocated() <= limit);
        }
    }
}
