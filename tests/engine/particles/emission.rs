//! Particles that are born, up to the capacity.

use sastrugi::gpu::OpenOptions;
use serde_json::json;

use super::model::{Model, differences};
use super::*;

fn sparks(capacity: u32, start: u32, births: u32) -> Value {
    let mut file = file("sparks.json");
    file["parameters"] = json!({"capacity": capacity, "start": start, "births": births});
    file
}

#[test]
fn newborn_particles_follow_live_ones() {
    let Some(gpu) = common::gpu() else { return };
    for ring in [1, 2, 3] {
        for (capacity, start, births) in [
            (5000, 7, 90),
            (5000, 0, 1),
            (1, 0, 1),
            (100, 100, 3),
            (700, 33, 64),
        ] {
            let mut file = sparks(capacity, start, births);
            file["particles"]["sparks"]["ring"] = json!(ring);
            let found = differences(&gpu, &file, CHECKED, Model::of(&file, None), 13, 2);
            assert!(
                found.is_empty(),
                "{capacity}, {start}, {births}, ring {ring}: {}",
                found.join("\n")
            );
        }
    }
}

#[test]
fn control_emission_model_detects_differences() {
    let Some(gpu) = common::gpu() else { return };
    let file = sparks(700, 33, 64);
    let other = |change: fn(&mut Model)| {
        let mut model = Model::of(&file, None);
        change(&mut model);
        differences(&gpu, &file, CHECKED, model, 6, 1)
    };
    assert_eq!(other(|model| model.births += 1).len(), 6);
    assert_eq!(other(|model| model.sparks[32][0] ^= 1).len(), 6);
    assert_eq!(other(|model| model.capacity -= 1).len(), 1, "once it is full");
    assert!(other(|_| ()).is_empty());
}

#[test]
fn periodic_constant_emission_before_a_moving_stage_works() {
    let Some(gpu) = common::gpu() else { return };
    let mut file = sparks(2000, 5, 0);
    // Emission first and every third step: it writes in place what the stage after it moves on.
    file["step"][2]["emits"]["sparks"] = json!("40 + 2");
    file["step"][2]["every"] = json!(3);
    let spawn = file["step"][2].take();
    file["step"] = json!([spawn, file["step"][0]]);
    for ring in [1, 2, 3] {
        file["particles"]["sparks"]["ring"] = json!(ring);
        let mut simulation = simulation(&gpu, &file, CHECKED);
        for step in 1..=11u32 {
            simulation.step(false).unwrap();
            let names = read_words(&mut simulation, "sparks.name");
            let ages = read_words(&mut simulation, "sparks.age");
            let (count, _) = population(&mut simulation);
            assert_eq!(count, 5 + 42 * step.div_ceil(3), "ring {ring}, step {step}");
            for i in 0..count {
                let (name, age) = match i.checked_sub(5) {
                    None => (1_000_000 + i, step),
                    Some(k) => {
                        let born = 3 * (k / 42);
                        ((born + 1) * 10_000 + k % 42, step - born)
                    }
                };
                let found = (names[i as usize], ages[i as usize]);
                assert_eq!(found, (name, age), "ring {ring}, step {step}, spark {i}");
            }
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
    let file = sparks(900, 33, 64);
    let full = Options {
        full_barriers: true,
        ..CHECKED
    };
    for options in [full, Options::default()] {
        let found = differences(&gpu, &file, options, Model::of(&file, None), 9, 3);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

#[test]
fn index_beyond_live_particles_is_a_fault() {
    let Some(gpu) = common::gpu() else { return };
    let mut file = sparks(100, 10, 0);
    file["step"] =
        json!([{"stage": "beyond", "over": "sparks", "reads": ["sparks.name"], "writes": ["sparks.age"]}]);
    let mut simulation = simulation(&gpu, &file, CHECKED);
    simulation.step(false).unwrap();
    simulation.finish().unwrap();
    let fault = simulation.fault().unwrap().expect("a fault").to_string();
    assert!(
        fault.contains("stage `beyond` read `sparks.name` at index 10, beyond the live particles"),
        "{fault}"
    );
}
