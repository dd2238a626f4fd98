//! Workgroups in a shuffled order: each runs once, and what depends on their order shows.

use super::*;

fn shuffled(seed: u32) -> Options {
    Options {
        shuffle: Some(seed),
        ..Options::PLAIN
    }
}

/// The words of a field after one step.
fn after_a_step(gpu: &Gpu, file: &Value, kernel: &str, options: Options, field: &str) -> Vec<u32> {
    let mut simulation = simulation(gpu, file, kernel, options);
    simulation.step(false).unwrap();
    simulation.finish().unwrap();
    common::words(&simulation.read(field).unwrap())
}

#[test]
fn shuffling_runs_each_workgroup_once() {
    let Some(gpu) = common::gpu() else { return };
    // One, two, powers of four and their neighbours, and more than fit along x.
    for groups in [1u32, 2, 3, 4, 5, 15, 16, 17, 64, 65, 1000, 70_001] {
        let file = json!({
            "run": {"dt": 1},
            "buffers": {"b": {"type": "uint", "length": groups}},
            "step": [{"stage": "s", "groups": groups, "tuning": {"workgroup": [2, 1, 1]},
                      "reads": ["b"], "writes": ["b"]}]
        });
        let kernel = "void stage(uvec3 group, uint local) { if (local == 1u) add_b(group.x, group.x + 1u); }";
        for seed in [0, 1, 0xffff_ffff] {
            let found = after_a_step(&gpu, &file, kernel, shuffled(seed), "b");
            let wanted: Vec<u32> = (1..=groups).collect();
            assert!(found == wanted, "{groups} groups, seed {seed}");
        }
    }
}

#[test]
fn shuffling_visits_each_cell_once() {
    let Some(gpu) = common::gpu() else { return };
    for (section, size, index) in [
        (
            "grids",
            json!({"cells": [65, 9, 40], "cell_size": 1, "channels": {"n": "uint"}}),
            "ivec3",
        ),
        (
            "grids",
            json!({"pixels": [65, 9], "channels": {"n": "uint"}}),
            "ivec2",
        ),
        (
            "particles",
            json!({"count": 1000, "attributes": {"n": "uint"}}),
            "uint",
        ),
    ] {
        let file = in_place(section, "r", size, &["r.n"]);
        let kernel = format!("void stage({index} i) {{ set_r_n(i, r_n(i) + 1u); }}");
        let found = after_a_step(&gpu, &file, &kernel, shuffled(7), "r.n");
        assert!(!found.is_empty() && found.iter().all(|n| *n == 1), "{section}");
    }
}

#[test]
fn shuffling_changes_only_order_dependent_results() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "buffers": {"count": {"type": "uint", "length": 1}, "b": {"type": "uint", "length": 10_000}},
        "step": [{"stage": "s", "over": "b", "tuning": {"workgroup": [32, 1, 1]},
                  "reads": ["count"], "writes": ["count", "b"]}]
    });
    // No two elements write the same place, so this is no race; but where each writes depends on the order.
    let numbered = "#pragma reach b anywhere\nvoid stage(uint i) { set_b(add_count(0u, 1u) % b_length, i); }";
    let summed = "void stage(uint i) { add_count(0u, i); set_b(i, i * i); }";
    let same = |kernel: &str, seeds: [u32; 2]| {
        let [one, other] = seeds.map(|seed| after_a_step(&gpu, &file, kernel, shuffled(seed), "b"));
        one == other
    };
    assert!(!same(numbered, [1, 2]));
    assert!(same(summed, [1, 2]));
    let checked = Options {
        shuffle: Some(3),
        ..CHECKED
    };
    let plain = after_a_step(&gpu, &file, summed, Options::PLAIN, "b");
    assert!(after_a_step(&gpu, &file, summed, checked, "b") == plain);
    assert_eq!(fault(&gpu, &file, numbered, checked), None);
}

#[test]
fn race_reports_are_independent_of_order() {
    let Some(gpu) = common::gpu() else { return };
    let buffer = in_place("buffers", "b", json!({"type": "float", "length": 5000}), &["b"]);
    let kernel =
        "#pragma reach b anywhere\nvoid stage(uint i) { set_b(i, b((i * 7919u + 13u) % b_length)); }";
    let named = |shuffle: Option<u32>| {
        let options = Options { shuffle, ..CHECKED };
        fault(&gpu, &buffer, kernel, options).unwrap().0
    };
    let first = named(None);
    for seed in 0..4 {
        assert_eq!(named(Some(seed)), first);
    }
}
