//! Ranks whose devices wait for each other, without the host.

use std::time::{Duration, Instant};

use super::common::TestGpu;
use super::loops::relaxation;
use super::stencils::stencils;
use super::*;

/// Devices wait for each other for messages up to this length.
struct Signals(u64);

impl Probe for Signals {
    fn signals_up_to(&self) -> Option<u64> {
        Some(self.0)
    }
}

fn setting(steps: u64, limit: u64) -> Setting {
    Setting {
        probe: Arc::new(Signals(limit)),
        ..Setting::steps(steps)
    }
}

/// A device for each rank: on one queue, a rank would wait for what is queued behind it.
fn devices(count: usize) -> Option<Vec<TestGpu>> {
    (0..count).map(|_| common::gpu()).collect()
}

/// The hash on ranks with a device each, and the number of exchanges in which these waited for each other.
fn hash_with_signals(
    pipeline: &Pipeline,
    parts: [usize; 3],
    setting: &Setting,
) -> Option<(blake3::Hash, u64)> {
    let gpus = devices(parts.iter().product())?;
    let gpus: Vec<&Gpu> = gpus.iter().map(|gpu| &**gpu).collect();
    let results = on_ranks(&gpus, pipeline, parts, setting, |_, mut simulation| {
        (
            hash_after(&mut simulation, setting.steps),
            simulation.signals_sent(),
        )
    });
    assert!(results.iter().all(|(_, signals)| *signals == results[0].1));
    Some(results[0])
}

fn hash_of_one(pipeline: &Pipeline, steps: u64) -> Option<blake3::Hash> {
    Some(hash_alone(&*common::gpu()?, pipeline, &Setting::steps(steps)))
}

#[test]
fn devices_that_wait_for_each_other_have_the_bits_of_one_rank() {
    for (pipeline, parts) in [
        (stencils(&[9, 8, 7], "repeat"), [1, 1, 2]),
        (stencils(&[9, 8, 7], "repeat"), [1, 2, 2]),
        (relaxation([40, 20, 12], 40), [1, 1, 2]),
    ] {
        let Some(alone) = hash_of_one(&pipeline, 5) else {
            return;
        };
        let Some((hash, signals)) = hash_with_signals(&pipeline, parts, &setting(5, u64::MAX)) else {
            return;
        };
        assert_eq!(hash, alone, "{parts:?}");
        assert!(signals > 10, "{signals}");
    }
}

#[test]
fn longer_messages_pass_by_the_host() {
    let pipeline = stencils(&[9, 8, 7], "repeat");
    let Some(alone) = hash_of_one(&pipeline, 3) else {
        return;
    };
    let all = hash_with_signals(&pipeline, [1, 1, 2], &setting(3, u64::MAX))
        .unwrap()
        .1;
    let mixed = hash_with_signals(&pipeline, [1, 1, 2], &setting(3, 1000)).unwrap();
    assert!(mixed.1 > 0 && mixed.1 < all, "{} of {all}", mixed.1);
    assert_eq!(mixed.0, alone);
    assert_eq!(
        hash_with_signals(&pipeline, [1, 1, 2], &setting(3, 0)).unwrap(),
        (alone, 0)
    );
}

/// Water is sorted every third step: then ranks exchange ghosts, whose number changes.
#[test]
fn ghosts_arrive_while_devices_wait_for_each_other() {
    let pipeline = particles::water(&[]);
    let Some(alone) = hash_of_one(&pipeline, 24) else {
        return;
    };
    for parts in [[1, 1, 2], [1, 1, 3]] {
        let (hash, signals) = hash_with_signals(&pipeline, parts, &setting(24, u64::MAX)).unwrap();
        assert_eq!(hash, alone, "{parts:?}");
        // Halos of nodes in each step, and ghosts after each sort.
        assert!(signals >= 24 + 8, "{signals}");
        let (hash, by_host) = hash_with_signals(&pipeline, parts, &setting(24, 30_000)).unwrap();
        assert_eq!(hash, alone, "{parts:?}");
        assert!(by_host < signals, "{by_host} of {signals}");
    }
}

/// At first no water is near the other part, and later there are more ghosts than memory was made for.
#[test]
#[ignore = "long: water falls into another part"]
fn memory_for_ghosts_grows_while_devices_wait_for_each_other() {
    let pipeline = particles::water(&[
        "grids.nodes.cells=[20, 12, 32]",
        "column.lattice=[20, 12, 12]",
        "column.spacing=0.015",
        "column.low=[0.09, 0.09, 0.66]",
    ]);
    let steps = 75;
    let Some(alone) = hash_of_one(&pipeline, steps) else {
        return;
    };
    let (hash, signals) = hash_with_signals(&pipeline, [1, 1, 2], &setting(steps, u64::MAX)).unwrap();
    assert_eq!(hash, alone);
    assert!(signals >= steps, "{signals}");
}

#[test]
fn control_part_one_cell_short_changes_the_hash() {
    let pipeline = stencils(&[9, 8, 7], "repeat");
    let Some(alone) = hash_of_one(&pipeline, 4) else {
        return;
    };
    let spoil = |share: &mut Share| {
        if let Share::Part { grow } = share {
            *grow = grow.map(|cells| cells.saturating_sub(1));
        }
    };
    let setting = Setting {
        spoil,
        ..setting(4, u64::MAX)
    };
    let Some((hash, signals)) = hash_with_signals(&pipeline, [1, 2, 1], &setting) else {
        return;
    };
    assert_ne!(hash, alone);
    assert!(signals > 0);
}

/// The other rank would wait for a signal that never comes.
#[test]
fn failure_of_a_rank_ends_the_wait_of_a_device() {
    let Some(gpus) = devices(2) else { return };
    let gpus: Vec<&Gpu> = gpus.iter().map(|gpu| &**gpu).collect();
    let pipeline = stencils(&[9, 8, 7], "repeat");
    let began = Instant::now();
    let results = on_ranks(
        &gpus,
        &pipeline,
        [1, 1, 2],
        &setting(0, u64::MAX),
        |ranks, mut simulation| {
            if ranks.rank() == 1 {
                simulation.step(false).unwrap();
                ranks.fail("the disk is full");
                return None;
            }
            let mut steps = || {
                (0..100).try_for_each(|_| simulation.step(false))?;
                simulation.finish()
            };
            Some(steps().unwrap_err().to_string())
        },
    );
    assert_eq!(
        results,
        [Some("rank 1 failed: the disk is full".to_string()), None]
    );
    assert!(began.elapsed() < Duration::from_secs(60));
}
