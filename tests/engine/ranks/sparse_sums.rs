//! Reductions over sparse grids on ranks: each reduces the runs of cells that begin in its part.

use sastrugi::run::Spoil;
use serde_json::json;

use super::controls::assert_changed;
use super::*;

/// A kernel that requests three of four blocks, other ones every second step.
const ASK: &str = "void stage(ivec3 block) {
             if ((int(clock.step) / 2 + block.y + 2 * block.z + block.x) % 4 < 3) request_g_block(block); }";

/// A sparse grid whose active blocks move, with reductions of its channels and of values of its cells, also in a repeat that
/// ends when a sum says so. Later stages use all results.
fn reduced(block: [u64; 3]) -> Pipeline {
    let buffer = |kind: &str| json!({"type": kind, "length": 1, "background": 0});
    let file = json!({
        "run": {"dt": 0.1, "steps_per_frame": 2},
        "grids": {"g": {
            "cells": [70, 44, 30], "cell_size": 1,
            "sparse": {"block": block, "latency": 0, "keep": 0, "budget": 6e7},
            "channels": {"a": {"type": "float", "background": 0.5}, "b": "float", "v": "vec2", "n": "int"}}},
        "buffers": {
            "total": buffer("float"), "least": buffer("vec2"), "some": buffer("uint"), "whole": buffer("int"),
            "dq": buffer("float"), "most": buffer("float"), "many": buffer("uint"), "spread": buffer("vec3"),
            "change": buffer("float"), "going": buffer("uint"), "turns": buffer("uint"), "far": buffer("float")},
        "init": [{"stage": "ask", "over": "g.blocks", "requests": ["g"]}, {"update_grid": "g"}],
        "step": [
            {"every": 2, "stages": [
                {"stage": "ask", "over": "g.blocks", "requests": ["g"]}, {"update_grid": "g"}]},
            {"stage": "stir", "over": "g",
             "reads": ["g.a", "g.n", "total", "least", "some", "whole", "dq", "most", "many", "spread", "turns"],
             "writes": ["g.b"]},
            {"stage": "settle", "over": "g", "reads": ["g.b"], "writes": ["g.a", "g.v", "g.n"],
             "reduces": {"dq": "sum", "most": "max", "many": "count", "spread": "sum"}},
            {"set": "total", "to": "sum(g.a)"},
            {"set": "least", "to": "min(g.v)"},
            {"set": "some", "to": "count(g.n)"},
            {"set": "whole", "to": "sum(g.n)"},
            {"stage": "begin", "over": 1, "writes": ["going"]},
            {"repeat": "turn", "over": 5, "while": "going", "on_max_iterations": "continue", "stages": [
                {"stage": "relax", "over": "g", "reads": ["g.a"], "writes": ["g.b"], "reduces": {"change": "sum"}},
                {"stage": "keep", "over": "g", "reads": ["g.b"], "writes": ["g.a"]},
                {"stage": "judge", "over": 1, "reads": ["change", "turns"], "writes": ["going", "turns"]}
            ]}
        ],
        "frame": [{"stage": "look", "over": "g", "reads": ["g.a"], "reduces": {"far": "sum"}}]
    });
    let bodies = [
        ("ask", ASK),
        (
            "stir",
            "#pragma reach g_a 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
             float sum = g_a(i) + 0.3 * g_a(max(i - 1, ivec3(0))) - 0.2 * g_a(min(i + 1, g_cells - 1)) + 0.01 * float(g_n(i));
             sum += 1e-4 * (total(0u) + least(0u).x - least(0u).y + float(some(0u) & 63u) + float(whole(0u) & 63));
             sum += 1e-4 * (dq(0u) + most(0u) + float(many(0u) & 63u) + spread(0u).x - spread(0u).z + float(turns(0u)));
             set_g_b(i, sin(3.0 * sum + float(i.x + 3 * i.y + 7 * i.z))); }",
        ),
        (
            "settle",
            "#pragma reach g_b 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
             float b = g_b(i) + 0.1 * g_b(max(i - 1, ivec3(0)));
             set_g_a(i, 100.0 * b); set_g_v(i, vec2(b, -b * b)); set_g_n(i, int(3.0 * b));
             sum_dq(b * b); max_most(b); count_many(b > 0.4); sum_spread(b * vec3(1.0, 2.0, float(i.z))); }",
        ),
        ("begin", "void stage(uint i) { set_going(0u, 1u); }"),
        (
            "relax",
            "#pragma reach g_a 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
             float next = 0.5 * g_a(i) + 0.25 * (g_a(max(i - 1, ivec3(0))) + g_a(min(i + 1, g_cells - 1)));
             sum_change(abs(next - g_a(i))); set_g_b(i, next); }",
        ),
        ("keep", "void stage(ivec3 i) { set_g_a(i, g_b(i)); }"),
        (
            "judge",
            "void stage(uint i) { set_turns(0u, turns(0u) + 1u); set_going(0u, change(0u) > 150000.0 ? 1u : 0u); }",
        ),
        ("look", "void stage(ivec3 i) { sum_far(abs(g_a(i))); }"),
    ];
    pipeline(&file, &bodies)
}

/// Blocks of one run, of two, and some that are larger than thin parts.
const BLOCKS: [[u64; 3]; 3] = [[16, 8, 8], [32, 16, 16], [8, 8, 4]];

#[test]
fn reductions_of_sparse_grids_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [
        [1, 2, 1],
        [2, 1, 1],
        [1, 1, 2],
        [1, 2, 2],
        [2, 2, 1],
        [1, 3, 1],
        [1, 4, 1],
    ];
    let mut sweep = common::sweep(3, BLOCKS.len() * cuts.len());
    for block in BLOCKS {
        for parts in cuts {
            if !sweep.skips() {
                assert_equal(&gpu, &reduced(block), &[parts], &Setting::steps(5));
            }
        }
    }
}

#[test]
#[ignore = "long: kernels that check every access"]
fn checked_reductions_of_sparse_grids_have_no_fault_on_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(2)
    };
    assert_equal(&gpu, &reduced([32, 16, 16]), &[[1, 2, 1]], &setting);
}

/// No channel is gathered, and stages with values of cells run on parts, which grow to the ends of the runs.
#[test]
fn reductions_of_sparse_grids_run_on_parts() {
    for (parts, grow) in [
        ([1, 1, 2], [0, 0, 0]),
        ([1, 2, 1], [0, 8, 0]),
        ([1, 4, 1], [0, 11, 0]),
    ] {
        let mut pipeline = reduced([32, 16, 16]);
        let request = CutRequest {
            parts: Some(parts),
            whole: Whole::None,
        };
        let notices = pipeline.cut(&request, 0, parts.iter().product()).unwrap();
        assert!(notices.is_empty(), "{notices:?}");
        let shares = &pipeline.cut.as_ref().unwrap().shares;
        for (stage, share) in pipeline.stages.iter().zip(shares) {
            if stage.name == "settle" {
                assert_eq!(*share, Share::Part { grow }, "{parts:?}");
            }
            if stage.name.starts_with("reduce") {
                assert_eq!(*share, Share::Part { grow: [0; 3] }, "{}", stage.name);
            }
        }
    }
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_dropped_partial_results_of_sparse_grids_change_the_hash() {
    assert_changed(&reduced([16, 8, 8]), Spoil::Drop, [1, 2, 1]);
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_values_that_lack_the_ends_of_runs_change_the_hash() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = reduced([32, 16, 16]);
    let spoil = |share: &mut Share| {
        if let Share::Part { grow } = share {
            *grow = grow.map(|cells| cells.saturating_sub(1));
        }
    };
    let setting = Setting::steps(3);
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let short = Setting { spoil, ..setting };
    assert_ne!(hash_on(&gpu, &pipeline, [1, 4, 1], &short), alone);
}

/// Sums and extrema over the sub-blocks of a sparse grid, with cells next to each of them.
fn tallied(reach: u32) -> Pipeline {
    let file = json!({
        "run": {"dt": 0.1, "steps_per_frame": 2},
        "grids": {"g": {
            "cells": [70, 44, 30], "cell_size": 1,
            "sparse": {"block": [2, 2, 16], "latency": 0, "keep": 0, "budget": 2e8},
            "channels": {"a": {"type": "float", "background": 0.5}, "b": "float"}}},
        "buffers": {"wet": "float", "peak": "float"},
        "init": [{"stage": "ask", "over": "g.blocks", "requests": ["g"]}, {"update_grid": "g"}],
        "step": [
            {"every": 2, "stages": [
                {"stage": "ask", "over": "g.blocks", "requests": ["g"]}, {"update_grid": "g"}]},
            {"stage": "stir", "over": "g", "reads": ["g.a", "wet", "peak"], "writes": ["g.b"]},
            {"stage": "keep", "over": "g", "reads": ["g.b"], "writes": ["g.a"]},
            {"stage": "tally", "over": "g.sub_blocks", "reads": ["g.a"], "reduces": {"wet": "sum", "peak": "max"}}
        ]
    });
    let tally = format!(
        "#pragma reach g_a {reach}\n#include \"stage.glsl\"\nvoid stage(uint i, ivec3 first) {{
         ivec3 end = min(first + g_sub_cells + 1, g_cells);
         for (int z = max(first.z - 1, 0); z < end.z; z++)
             for (int y = first.y; y < end.y; y++)
                 for (int x = first.x; x < end.x; x++) {{ float a = g_a(ivec3(x, y, z)); sum_wet(a); max_peak(a); }} }}"
    );
    let bodies = [
        ("ask", ASK),
        (
            "stir",
            "#pragma reach g_a 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
             float sum = g_a(i) - 0.2 * g_a(min(i + 1, g_cells - 1)) + 1e-4 * wet(0u) + 0.1 * peak(0u);
             set_g_b(i, sin(3.0 * sum + float(i.x + 3 * i.y + 7 * i.z))); }",
        ),
        ("keep", "void stage(ivec3 i) { set_g_a(i, g_b(i)); }"),
        ("tally", &tally),
    ];
    pipeline(&file, &bodies)
}

#[test]
#[ignore = "long: many blocks on two to four ranks"]
fn reductions_of_sub_blocks_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 2, 1], [2, 1, 1], [1, 1, 2], [2, 2, 1]];
    assert_equal(&gpu, &tallied(1), &cuts, &Setting::steps(5));
    assert_changed(&tallied(1), Spoil::Drop, [1, 2, 1]);
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(2)
    };
    assert_equal(&gpu, &tallied(1), &[[1, 2, 1]], &setting);
}

/// Checked runs report cells that are farther from the sub-block than the kernel states.
#[test]
fn cells_beyond_the_reach_of_a_sub_block_are_reported() {
    let Some(gpu) = common::gpu() else { return };
    for (reach, is_wrong) in [(0, true), (1, false)] {
        let mut simulation = start(&gpu, tallied(reach), CHECKED, Arc::new(NoProbe), None);
        let step = simulation.step(false);
        let fault = simulation.finish().and_then(|()| simulation.fault());
        let is_reported = step.is_err() || fault.map_or(true, |fault| fault.is_some());
        assert_eq!(is_reported, is_wrong, "{reach}");
    }
}
