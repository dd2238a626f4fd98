use super::*;
use crate::grid::BindRun;

fn layout(cells: [u64; 3]) -> Layout {
    Layout::choose(cells, &[4], 4096, Some([8, 8, 8])).unwrap()
}

fn policy() -> Policy {
    Policy {
        keep: 1,
        persistent: false,
        budget_blocks: 32,
        when_full: WhenFull::Stop,
        granule: 1,
        chunk_bytes: 16 * 4096,
    }
}

/// A row of 64 blocks.
fn manager(policy: Policy, mode: Addressing) -> PageManager {
    PageManager::new(&layout([512, 8, 8]), policy, mode)
}

fn bits(blocks: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut words = vec![0; 2];
    for block in blocks {
        words[block as usize / 32] |= 1 << (block % 32);
    }
    words
}

fn bind(first_granule: u32, count: u32, memory: Option<(u32, u32)>) -> BindRun {
    BindRun {
        first_granule,
        count,
        memory,
    }
}

#[test]
fn blocks_stay_active_for_keep_updates() {
    for keep in 0..4 {
        let mut m = manager(Policy { keep, ..policy() }, Addressing::Table);
        assert_eq!(m.update(&bits([3, 40])).unwrap().activated, [(3, 0), (40, 1)]);
        for _ in 0..keep {
            let changes = m.update(&bits([3])).unwrap();
            assert_eq!((changes.changed, m.active()), (false, [3, 40].as_slice()));
        }
        assert_eq!(m.update(&bits([3])).unwrap().deactivated, [40], "keep {keep}");
        assert_eq!(m.active(), [3]);
    }
}

#[test]
fn request_restarts_the_keep_count() {
    let mut m = manager(policy(), Addressing::Table);
    for requests in [vec![5], vec![], vec![5], vec![]] {
        m.update(&bits(requests)).unwrap();
        assert_eq!(m.active(), [5]);
    }
    assert_eq!(m.update(&[]).unwrap().deactivated, [5]);
}

#[test]
fn persistent_blocks_are_never_freed() {
    let mut m = manager(
        Policy {
            persistent: true,
            keep: 0,
            ..policy()
        },
        Addressing::Direct,
    );
    m.update(&bits([7])).unwrap();
    for _ in 0..5 {
        assert_eq!(m.update(&[]).unwrap(), Changes::default());
    }
    assert_eq!(m.active(), [7]);
}

#[test]
fn adjacent_blocks_bind_in_one_run_and_returning_blocks_need_no_bind() {
    let mut m = manager(Policy { keep: 0, ..policy() }, Addressing::Direct);
    let changes = m.update(&bits((4..10).chain([20]))).unwrap();
    assert_eq!(
        changes.binds,
        [bind(4, 6, Some((0, 0))), bind(20, 1, Some((0, 6)))]
    );
    assert_eq!(changes.new_chunks, [0]);
    // 4 granules may be idle: the one of block 20 stays bound, and is found so.
    assert!(m.update(&bits(4..10)).unwrap().binds.is_empty());
    let changes = m.update(&bits((4..10).chain([20]))).unwrap();
    assert_eq!((changes.activated, changes.binds), (vec![(20, 20)], vec![]));
}

#[test]
fn excess_idle_granules_are_unbound_together() {
    let mut m = manager(Policy { keep: 0, ..policy() }, Addressing::Direct);
    m.update(&bits(0..8)).unwrap();
    m.update(&[]).unwrap();
    let changes = m.update(&[]).unwrap();
    // 8 are idle, 4 allowed: 2 stay.
    assert_eq!(changes.binds, [bind(0, 6, None)]);
    assert_eq!(m.resident_bytes(), 2 * 4096);
}

#[test]
fn idle_memory_is_reused_before_allocation() {
    let mut m = manager(
        Policy {
            keep: 0,
            budget_blocks: 64,
            ..policy()
        },
        Addressing::Direct,
    );
    m.update(&bits(0..16)).unwrap();
    // The blocks retired by this update may still be in use, so the new ones need a second chunk.
    let changes = m.update(&bits(8..24)).unwrap();
    assert_eq!(
        (changes.new_chunks, changes.binds),
        (vec![1], vec![bind(16, 8, Some((1, 0)))])
    );
    let changes = m.update(&bits(8..40)).unwrap();
    assert_eq!(
        changes.binds,
        [
            bind(0, 8, None),
            bind(24, 8, Some((0, 0))),
            bind(32, 8, Some((1, 8)))
        ]
    );
    assert!(changes.new_chunks.is_empty());
}

#[test]
fn empty_chunks_but_one_are_freed() {
    for mode in [Addressing::Direct, Addressing::Table] {
        let mut m = manager(
            Policy {
                keep: 0,
                budget_blocks: 64,
                chunk_bytes: 4 * 4096,
                ..policy()
            },
            mode,
        );
        assert_eq!(m.update(&bits(0..32)).unwrap().new_chunks.len(), 8);
        m.update(&bits([0])).unwrap();
        assert_eq!(m.allocated_bytes(), 32 * 4096);
        let freed = m.update(&bits([0])).unwrap().freed_chunks;
        assert!(freed.len() >= 5, "{freed:?}");
        assert_eq!(m.allocated_bytes(), (32 - 4 * freed.len() as u64) * 4096);
    }
}

#[test]
fn over_budget_update_fails_without_change() {
    let mut m = manager(
        Policy {
            keep: 0,
            budget_blocks: 8,
            ..policy()
        },
        Addressing::Direct,
    );
    m.update(&bits(0..6)).unwrap();
    let before = m.state();
    // Memory of the two that leave is not free yet.
    let full = m.update(&bits(2..9)).unwrap_err();
    assert_eq!(
        full,
        Full {
            wanted: 7,
            budget: 8,
            active: 6
        }
    );
    assert!(
        full.to_string()
            .contains("7 blocks are wanted and 6 active, with a budget of 8")
    );
    assert_eq!(m.state(), before);
    m.update(&bits(2..8)).unwrap();
    m.update(&bits(2..9)).unwrap();
    assert_eq!(m.active(), (2..9).collect::<Vec<u32>>());
}

#[test]
fn over_budget_drops_idle_blocks_then_highest_requests() {
    let mut m = manager(
        Policy {
            keep: 9,
            budget_blocks: 6,
            when_full: WhenFull::Drop,
            ..policy()
        },
        Addressing::Table,
    );
    m.update(&bits([1, 2, 3, 4])).unwrap();
    m.update(&bits([1, 2, 3])).unwrap();
    m.update(&bits([1])).unwrap();
    // 2 are free; of those that wait, 4 waits longest, then 3 before 2.
    let changes = m.update(&bits([1, 10, 11, 12, 13])).unwrap();
    assert_eq!(
        changes
            .activated
            .iter()
            .map(|(block, _)| *block)
            .collect::<Vec<u32>>(),
        [10, 11]
    );
    assert_eq!((changes.deactivated, changes.unserved), (vec![3, 4], 2));
    let changes = m.update(&bits([1, 10, 11, 12, 13])).unwrap();
    assert_eq!(changes.unserved, 0);
    assert_eq!(m.active(), [1, 2, 10, 11, 12, 13]);
}

#[test]
fn requests_outside_the_domain_are_ignored() {
    let layout = layout([40, 40, 40]);
    assert!(layout.numbers() > layout.block_count());
    let mut m = PageManager::new(
        &layout,
        Policy {
            budget_blocks: 1000,
            ..policy()
        },
        Addressing::Table,
    );
    for _ in 0..2 {
        m.update(&vec![u32::MAX; 1000]).unwrap();
        assert_eq!(m.active_count(), layout.block_count());
    }
}

#[test]
fn granules_are_bound_as_a_whole() {
    let mut m = manager(
        Policy {
            granule: 4,
            keep: 0,
            ..policy()
        },
        Addressing::Direct,
    );
    let changes = m.update(&bits([5, 8])).unwrap();
    assert_eq!(changes.binds, [bind(1, 2, Some((0, 0)))]);
    assert_eq!(
        (changes.activated, m.resident_bytes()),
        (vec![(5, 5), (8, 8)], 8 * 4096)
    );
    let changes = m.update(&bits([6, 8])).unwrap();
    assert!(changes.binds.is_empty() && m.page(5).is_none());
}

#[test]
fn a_state_that_contradicts_itself_is_an_error() {
    let restore = |state: &PagesState| {
        PageManager::restore(&layout([512, 8, 8]), policy(), Addressing::Direct, state).map(|(m, _)| m)
    };
    let mut m = manager(policy(), Addressing::Direct);
    m.update(&bits([1, 2, 40])).unwrap();
    m.update(&bits([1, 2])).unwrap();
    m.update(&bits([1])).unwrap();
    let good = m.state();
    assert_eq!(restore(&good).unwrap().state(), good);
    let text = serde_json::to_string(&good).unwrap();
    assert_eq!(serde_json::from_str::<PagesState>(&text).unwrap(), good);
    let bad = |change: fn(&mut PagesState)| {
        let mut state = good.clone();
        change(&mut state);
        restore(&state).unwrap_err()
    };
    assert!(bad(|s| s.active[0].block = 64).contains("not in the domain"));
    assert!(bad(|s| s.active.swap(0, 1)).contains("out of order"));
    assert!(bad(|s| s.active[0].unrequested_since = Some(4)).contains("cannot wait"));
    assert!(bad(|s| s.granules.truncate(0)).contains("no memory"));
    assert!(bad(|s| s.granules[1].slot = 0).contains("does not exist or is taken"));
    assert!(bad(|s| s.granules[1].slot = 16).contains("does not exist or is taken"));
    assert!(bad(|s| s.granules[1].chunk = 1).contains("does not exist or is taken"));
    assert!(bad(|s| s.granules[1].retired = Some(1)).contains("neither idle nor in use"));
    assert!(bad(|s| s.granules[2].granule = 64).contains("not in the domain"));
    assert!(bad(|s| s.chunks.push(0)).contains("twice or exceeds"));
    assert!(bad(|s| s.chunks.push(2)).contains("twice or exceeds"));
}

/// For each active block of a grid of 5 x 3 x 3 blocks after one request, the missing blocks around it by the manager, and by
/// a search among cells.
fn missing(requested: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let layout = layout([40, 24, 17]);
    let mut manager = PageManager::new(
        &layout,
        Policy {
            budget_blocks: 64,
            ..policy()
        },
        Addressing::Direct,
    );
    let mut words = vec![0; layout.numbers().div_ceil(32) as usize];
    requested.iter().for_each(|block| set(&mut words, *block, true));
    manager.update(&words).unwrap();
    let is_active = |cell: [i64; 3]| {
        let inside: [u32; 3] =
            std::array::from_fn(|axis| cell[axis].clamp(0, layout.cells[axis] as i64 - 1) as u32);
        requested.contains(&layout.block_of(inside))
    };
    let around = [-8, 0, 8];
    let by_search = manager.active().iter().map(|block| {
        let corner = layout.corner(*block).map(i64::from);
        let cells = around
            .iter()
            .flat_map(|z| around.iter().flat_map(move |y| around.map(|x| [x, *y, *z])));
        let is_missing = |away: [i64; 3]| !is_active(std::array::from_fn(|axis| corner[axis] + away[axis]));
        cells
            .enumerate()
            .fold(0, |bits, (at, away)| bits | u32::from(is_missing(away)) << at)
    });
    (manager.missing(), by_search.collect())
}

#[test]
fn missing_blocks_around_active_ones_are_found() {
    let layout = layout([40, 24, 17]);
    let blocks: Vec<u32> = (0..layout.numbers() as u32)
        .filter(|number| layout.contains(*number))
        .collect();
    for left_out in [None].into_iter().chain(blocks.iter().map(Some)) {
        let requested: Vec<u32> = blocks
            .iter()
            .copied()
            .filter(|block| Some(block) != left_out)
            .collect();
        let (missing, by_search) = missing(&requested);
        assert_eq!(missing, by_search, "without {left_out:?}");
        assert_eq!(left_out.is_none(), missing.iter().all(|around| *around == 0));
    }
}
