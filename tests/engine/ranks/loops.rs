//! Reductions and repeats that end on the device, on ranks.

use serde_json::json;

use super::*;

/// Smooths until the sum of changes is small, at most `most` times; the number of turns depends on all cells.
pub(super) fn relaxation(cells: [u64; 3], most: u32) -> Pipeline {
    let limit = 40 * cells.iter().product::<u64>();
    let buffer = |kind: &str| json!({"type": kind, "length": 1, "background": 0});
    let file = json!({
        "run": {"dt": 1},
        "grids": {"box": {"cells": cells, "cell_size": 1, "channels": {
            "a": {"type": "float", "border": "clamp", "values": "1000 * sin(3 * i)"},
            "b": {"type": "float", "border": "clamp"}}}},
        "buffers": {"change": buffer("float"), "least": buffer("float"), "going": buffer("uint"), "turns": buffer("uint"),
            "limit": {"type": "float", "length": 1, "background": limit}},
        "step": [
            {"stage": "begin", "over": 1, "writes": ["going"]},
            {"repeat": "turn", "over": most, "while": "going", "stages": [
                {"stage": "relax", "over": "box", "reads": ["box.a"], "writes": ["box.b"],
                 "reduces": {"change": "sum", "least": "min"}},
                {"stage": "keep", "over": "box", "reads": ["box.b"], "writes": ["box.a"]},
                {"stage": "judge", "over": 1, "reads": ["change", "limit", "turns"], "writes": ["going", "turns"]}
            ]},
            {"stage": "lower", "over": 1, "reads": ["limit", "least"], "writes": ["limit"]}
        ]
    });
    let bodies = [
        ("begin", "void stage(uint i) { set_going(0u, 1u); }"),
        (
            "relax",
            "#pragma reach box_a 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
             float sum = box_a(i + ivec3(1, 0, 0)) + box_a(i - ivec3(1, 0, 0)) + box_a(i + ivec3(0, 1, 0))
                 + box_a(i - ivec3(0, 1, 0)) + box_a(i + ivec3(0, 0, 1)) + box_a(i - ivec3(0, 0, 1));
             float next = 0.5 * box_a(i) + sum / 12.0;
             sum_change(abs(next - box_a(i))); min_least(next);
             set_box_b(i, next); }",
        ),
        ("keep", "void stage(ivec3 i) { set_box_a(i, box_b(i)); }"),
        (
            "judge",
            "void stage(uint i) { set_turns(0u, turns(0u) + 1u); set_going(0u, change(0u) > limit(0u) ? 1u : 0u); }",
        ),
        (
            "lower",
            "void stage(uint i) { set_limit(0u, 0.5 * limit(0u) + 0.0001 * abs(least(0u))); }",
        ),
    ];
    pipeline(&file, &bodies)
}

#[test]
fn repeats_end_in_the_same_turn_on_all_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let mut cuts = common::sweep(2, 9);
    // Few values are gathered; of many, parts are reduced.
    for (cells, most) in [([10, 6, 8], 3), ([10, 6, 8], 40), ([40, 20, 12], 40)] {
        let pipeline = relaxation(cells, most);
        let notices = pipeline.clone().cut(&CutRequest::default(), 0, 2).unwrap();
        assert!(notices.is_empty(), "{notices:?}");
        for parts in [[1, 1, 2], [2, 1, 1], [1, 2, 2]] {
            if !cuts.skips() {
                assert_equal(&gpu, &pipeline, &[parts], &Setting::steps(3));
            }
        }
    }
}

/// Steps that add the mirror image of a field to it while `odd` is not 0, which no step changes. Ranks gather the field for it.
fn mirrored() -> Pipeline {
    let number = json!({"type": "float", "border": "clamp", "values": "sin(3 * i)"});
    let file = json!({
        "run": {"dt": 1},
        "grids": {"box": {"cells": [10, 6, 8], "cell_size": 1, "channels": {"a": number, "b": number}}},
        "buffers": {"odd": {"type": "uint", "length": 1, "background": 0}},
        "step": [
            {"stage": "relax", "over": "box", "reads": ["box.a"], "writes": ["box.b"]},
            {"repeat": "once", "over": 1, "while": "odd", "on_max_iterations": "continue", "stages": [
                {"stage": "mirror", "over": "box", "reads": ["box.b"], "writes": ["box.a"]}
            ]},
            {"stage": "keep", "over": "box", "reads": ["box.a", "box.b"], "writes": ["box.a"]}
        ]
    });
    let bodies = [
        (
            "relax",
            "#pragma reach box_a 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
             set_box_b(i, 0.5 * box_a(i) + 0.25 * box_a(i + ivec3(0, 0, 1)) + 0.25 * box_a(i - ivec3(0, 1, 0))); }",
        ),
        (
            "mirror",
            "#pragma whole\n#pragma reach box_b anywhere\n#include \"stage.glsl\"\nvoid stage(ivec3 i) { set_box_a(i, box_b(ivec3(9, 5, 7) - i)); }",
        ),
        ("keep", "void stage(ivec3 i) { set_box_a(i, 0.5 * box_a(i) + 0.5 * box_b(i)); }"),
    ];
    pipeline(&file, &bodies)
}

#[test]
fn repeats_whose_condition_stays_zero_exchange_nothing() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = mirrored();
    // The field, and the number of exchanges in four steps; `odd` is set before one of them, or never.
    let run = |simulation: &mut Simulation, odd: Option<u64>| {
        for step in 0..4 {
            if odd == Some(step) {
                simulation.write("odd", &1u32.to_le_bytes()).unwrap();
            }
            simulation.step(false).unwrap();
        }
        let exchanges = simulation.exchanges();
        (simulation.read("box.a").unwrap(), exchanges)
    };
    let mut found = Vec::new();
    for odd in [None, Some(0), Some(2)] {
        let mut alone = start(&gpu, pipeline.clone(), Options::PLAIN, Arc::new(NoProbe), None);
        let expected = run(&mut alone, odd).0;
        let all = on_ranks(
            &[&gpu],
            &pipeline,
            [1, 1, 2],
            &Setting::steps(4),
            |_, mut simulation| run(&mut simulation, odd),
        );
        assert!(all[0].0 == expected, "{odd:?}");
        found.push(all[0].1);
    }
    let [never, always, late] = found[..] else {
        panic!("{found:?}")
    };
    assert!(never < late && late < always, "{found:?}");
}
