//! Particles that are taken away: the others keep their order, and every byte.

use sastrugi::gpu::OpenOptions;
use serde_json::json;

use super::model::{Model, differences, sparks};
use super::reference::compact::compact;
use super::*;

/// The sparks of tests/data/particles with a removal at some place of the step.
fn removing(capacity: u32, start: u32, births: u32, at: usize, every: u32) -> Value {
    let mut file = file("sparks.json");
    file["parameters"] = json!({"capacity": capacity, "start": start, "births": births});
    let removal = json!({"every": every, "stages": [{"remove": "sparks", "where": "sparks.dead"}]});
    file["step"].as_array_mut().unwrap().insert(at, removal);
    file
}

#[test]
fn removal_keeps_the_order_of_survivors() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(3, 6);
    for (capacity, start, births, every) in [
        (30_000, 7, 1000, 1),
        (5000, 4999, 90, 2),
        (400, 33, 64, 3),
        (1, 1, 1, 1),
    ] {
        let rings = if capacity == 400 { 1..4 } else { 2..3 };
        for ring in rings {
            if sweep.skips() {
                continue;
            }
            let mut file = removing(capacity, start, births, 1, every);
            file["particles"]["sparks"]["ring"] = json!(ring);
            let model = Model::of(&file, Some(every));
            let found = differences(&gpu, &file, CHECKED, model, 26, 3);
            assert!(
                found.is_empty(),
                "{capacity}, {every}, ring {ring}: {}",
                found.join("\n")
            );
        }
    }
}

#[test]
fn control_removal_model_detects_missing_removals() {
    let Some(gpu) = common::gpu() else { return };
    let file = removing(5000, 7, 90, 1, 1);
    for wrong in [None, Some(2)] {
        let found = differences(&gpu, &file, CHECKED, Model::of(&file, wrong), 8, 1);
        assert!(!found.is_empty(), "{wrong:?}");
    }
}

/// Removal as the first entry of a step moves the rings on itself: what it removes was marked in the step before.
#[test]
fn leading_removal_moves_attributes_between_copies() {
    let Some(gpu) = common::gpu() else { return };
    for ring in [1, 2] {
        let mut file = removing(3000, 100, 50, 0, 1);
        file["particles"]["sparks"]["ring"] = json!(ring);
        let direct = pipeline(&file)
            .stages
            .iter()
            .any(|stage| stage.name == "move_sparks_place");
        assert_eq!(
            direct,
            ring == 2,
            "with two copies nothing goes through the scratch buffer"
        );
        let mut simulation = simulation(&gpu, &file, CHECKED);
        let mut model = Model::of(&file, None);
        for step in 1..=14 {
            simulation.step(false).unwrap();
            model.sparks.retain(|[_, _, dead, ..]| *dead == 0);
            model.step();
            assert_eq!(sparks(&mut simulation), model.sparks, "ring {ring}, step {step}");
        }
        assert_no_fault(&mut simulation);
    }
}

#[test]
fn full_barriers_and_unchecked_runs_give_equal_bytes() {
    let single = OpenOptions {
        single_queue: true,
        ..OpenOptions::default()
    };
    let Some(gpu) = common::gpu_with(single) else {
        return;
    };
    let full = Options {
        full_barriers: true,
        ..CHECKED
    };
    for options in [full, Options::default()] {
        let file = removing(900, 33, 64, 1, 1);
        let found = differences(&gpu, &file, options, Model::of(&file, Some(1)), 15, 5);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

#[test]
fn removal_handles_all_none_and_awkward_counts() {
    let Some(gpu) = common::gpu() else { return };
    type Keep = fn(u32) -> bool;
    let keeps: [(&str, Keep); 5] = [
        ("none", |_| false),
        ("all", |_| true),
        ("first", |i| i == 0),
        ("odd", |i| i % 2 == 1),
        ("scattered", |i| i.wrapping_mul(2654435761) >> 30 == 1),
    ];
    const CAPACITY: u32 = 20_000;
    let file = json!({
        "run": {"dt": 1},
        "particles": {"p": {
            "capacity": CAPACITY,
            "attributes": {"dead": {"type": "uint", "background": 0}, "four": {"type": "uvec4", "background": 0}}
        }},
        "step": [{"remove": "p", "where": "p.dead"}]
    });
    let mut simulation = simulation(&gpu, &file, CHECKED);
    let bytes = |words: Vec<u32>| -> Vec<u8> { words.into_iter().flat_map(u32::to_le_bytes).collect() };
    for count in [0, 1, 31, 33, 1023, 1025, 4096, 4097, CAPACITY] {
        for (name, keep) in keeps {
            let words = |of: &dyn Fn(u32) -> Vec<u32>| bytes((0..CAPACITY).flat_map(of).collect());
            let dead = words(&|i| vec![u32::from(!keep(i)) * 7]);
            let four = words(&|i| vec![i, !i, 3 * i, 5]);
            let live = bytes(live::words(count, 0, 0).to_vec());
            for (field, bytes) in [("p.dead", &dead), ("p.four", &four), ("p_live", &live)] {
                simulation.write(field, bytes).unwrap();
            }
            simulation.step(false).unwrap();
            let expected = compact(&(0..count).map(keep).collect::<Vec<_>>());
            let live = read_words(&mut simulation, "p_live")[live::COUNT];
            assert_eq!(live as usize, expected.len(), "{name} of {count}");
            let four = read_words(&mut simulation, "p.four");
            for (j, i) in expected.iter().enumerate() {
                let found = &four[4 * j..4 * j + 4];
                assert_eq!(found, [*i, !*i, 3 * *i, 5], "{name} of {count}, place {j}");
            }
        }
    }
    assert_no_fault(&mut simulation);
}
