//! Reductions on ranks: each reduces the tiles of its part, and the partial results are exchanged.

use sastrugi::run::Spoil;
use serde_json::json;

use super::controls::assert_changed;
use super::*;

/// Results that later stages use: sums of cells, faces and vectors, extrema, counts, and reductions of fields.
fn sums(cells: &[u64]) -> Pipeline {
    let buffer = |kind: &str| json!({"type": kind, "length": 1, "background": 0});
    let vector = if cells.len() == 3 { "vec3" } else { "vec2" };
    let file = json!({
        "run": {"dt": 1, "steps_per_frame": 2},
        "grids": {"box": {"cells": cells, "cell_size": 1, "channels": {
            "a": {"type": "float", "border": "clamp", "values": "100 * sin(3 * i)"},
            "b": {"type": "float", "border": "clamp"},
            "u": {"type": "float", "at": "face_x", "values": "sin(i)"}}}},
        "buffers": {"sum": buffer("float"), "least": buffer("float"), "high": buffer("uint"), "most": buffer("float"),
            "flux": buffer("float"), "spread": buffer(vector), "far": buffer("float"), "all": buffer("float")},
        "step": [
            {"stage": "relax", "over": "box", "reads": ["box.a", "most"], "writes": ["box.b"],
             "reduces": {"sum": "sum", "least": "min", "high": "count"}},
            {"stage": "blow", "over": "box.u", "reads": ["box.u", "box.b", "sum"], "writes": ["box.u"],
             "reduces": {"flux": "sum", "spread": "sum"}},
            {"set": "most", "to": "max(box.u)"},
            {"set": "all", "to": "sum(box.b)"},
            {"stage": "keep", "over": "box", "reads": ["box.b", "least", "high", "flux", "spread", "all"], "writes": ["box.a"]}
        ],
        "frame": [{"stage": "look", "over": "box", "reads": ["box.a"], "reduces": {"far": "sum"}}]
    });
    let (index, x, z) = if cells.len() == 3 {
        ("ivec3", "ivec3(1, 0, 0)", "vec3(u, 2.0 * u, -u * float(i.z))")
    } else {
        ("ivec2", "ivec2(1, 0)", "vec2(u, -u * float(i.y))")
    };
    let relax = format!(
        "#pragma reach box_a 1\n#include \"stage.glsl\"\nvoid stage({index} i) {{
         float next = 0.6 * box_a(i) + 0.2 * (box_a(i + {x}) + box_a(i - {x})) + 0.001 * most(0u);
         sum_sum(next * next); min_least(next); count_high(next > 10.0); set_box_b(i, next); }}"
    );
    let blow = format!(
        "#pragma reach box_b 1\n#include \"stage.glsl\"\nvoid stage({index} i) {{
         float u = 0.9 * box_u(i) + 0.01 * (box_b(i) - box_b(i - {x})) + 1e-6 * sum(0u);
         sum_flux(u); sum_spread({z}); set_box_u(i, u); }}"
    );
    let keep = format!(
        "void stage({index} i) {{ set_box_a(i, box_b(i) + 1e-3 * (least(0u) + float(high(0u) & 63u))
         + 1e-4 * (flux(0u) + spread(0u).x - spread(0u).y + all(0u))); }}"
    );
    let look = format!("void stage({index} i) {{ sum_far(abs(box_a(i))); }}");
    let bodies = [
        ("relax", relax.as_str()),
        ("blow", &blow),
        ("keep", &keep),
        ("look", &look),
    ];
    pipeline(&file, &bodies)
}

const BOX: &[u64] = &[70, 37, 9];

#[test]
fn reductions_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    // Parts that end at tiles, parts that do not, and more parts than tiles.
    let space: &[[usize; 3]] = &[
        [1, 1, 2],
        [1, 1, 5],
        [1, 2, 1],
        [2, 1, 1],
        [2, 2, 1],
        [1, 3, 2],
        [3, 1, 1],
        [1, 4, 1],
    ];
    let plane: &[_] = &[[1, 2, 1], [2, 2, 1], [5, 1, 1]];
    let mut cuts = common::sweep(2, 11);
    for (cells, parts) in [(BOX, space), (&[150, 90], plane)] {
        for parts in parts {
            if !cuts.skips() {
                assert_equal(&gpu, &sums(cells), &[*parts], &Setting::steps(4));
            }
        }
    }
}

#[test]
#[ignore = "long: kernels that check every access"]
fn checked_reductions_have_no_fault_on_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(2)
    };
    assert_equal(&gpu, &sums(BOX), &[[2, 1, 2]], &setting);
}

#[test]
fn reductions_run_in_parts_and_gather_only_partial_results() {
    for (parts, is_cut) in [
        ([1, 1, 2], true),
        ([2, 2, 1], true),
        ([1, 3, 2], true),
        ([1, 4, 1], false),
    ] {
        let mut pipeline = sums(BOX);
        let request = CutRequest {
            parts: Some(parts),
            whole: Whole::None,
        };
        let notices = pipeline.cut(&request, 0, parts.iter().product()).unwrap();
        assert_eq!(notices.is_empty(), is_cut, "{parts:?}: {notices:?}");
        let shares = &pipeline.cut.as_ref().unwrap().shares;
        let reduced = pipeline
            .stages
            .iter()
            .zip(shares)
            .filter(|(stage, _)| stage.name.starts_with("reduce"));
        let shares: Vec<bool> = reduced
            .map(|(_, share)| matches!(share, Share::Part { .. }))
            .collect();
        assert_eq!(shares, [is_cut; 8], "{parts:?}");
    }
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_dropped_partial_results_change_the_hash() {
    assert_changed(&sums(BOX), Spoil::Drop, [1, 1, 2]);
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_values_one_cell_short_of_a_tile_change_the_hash() {
    assert_changed(&sums(BOX), Spoil::Shallow, [3, 1, 1]);
}
