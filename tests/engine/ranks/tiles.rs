//! Kernels that process tiles of a grid, on ranks: each runs those of its part.

use sastrugi::run::Spoil;
use serde_json::json;

use super::controls::assert_changed;
use super::*;

/// Relaxes `a` in tiles, whose sums steer the next step.
fn tiles(cells: &[u64], relax: &str) -> Pipeline {
    let file = json!({
        "run": {"dt": 1, "steps_per_frame": 2},
        "parameters": {"deep": 4},
        "grids": {"box": {"cells": cells, "cell_size": 1, "channels": {
            "a": {"type": "float", "border": "repeat", "values": "100 * sin(3 * i)"},
            "b": {"type": "float", "border": "repeat"}}}},
        "buffers": {
            "sums": {"type": "vec2", "background": 0,
                "length": "ceil(box.nx / 16) * ceil(box.ny / 4) * ceil(box.nz / deep)"},
            "total": {"type": "vec2", "background": 0}},
        "step": [
            {"stage": "relax", "over": "box", "constants": {"DEEP": "deep"}, "reads": ["box.a"], "writes": ["box.b", "sums"]},
            {"stage": "add", "groups": 1, "reads": ["sums"], "writes": ["total"], "tuning": {"workgroup": [1, 1, 1]}},
            {"stage": "keep", "over": "box", "reads": ["box.b", "total", "sums"], "writes": ["box.a"]}
        ]
    });
    let add = "void stage(uvec3 group, uint local) {
        vec2 sum = vec2(0.0);
        for (uint i = 0u; i < sums_length; i++) sum = vec2(0.99 * sum.x + sums(i).x, max(sum.y, sums(i).y));
        set_total(0u, sum); }";
    let keep = "void stage(ivec3 i) {
        set_box_a(i, box_b(i) + 1e-4 * total(0u).x + 1e-3 * total(0u).y - 1e-3 * sums(uint(i.x) % sums_length).x); }";
    pipeline(&file, &[("relax", relax), ("add", add), ("keep", keep)])
}

/// The kernel of `relax`, which states and makes accesses so many cells from its tile.
fn relax(stated: u32, away: u32) -> String {
    format!(
        "#pragma reach box_a {stated}\n#pragma reach box_b 0\n#pragma reach sums 0
#pragma workgroup 16 4\n#pragma tile 16 4 DEEP\n#include \"stage.glsl\"
layout(constant_id = 0) const int DEEP = 4;
shared vec2 parts[64];
void stage(uvec3 group, uint local) {{
    ivec3 first = ivec3(group) * ivec3(16, 4, DEEP) + ivec3(local % 16u, local / 16u, 0);
    vec2 mine = vec2(0.0);
    for (ivec3 i = first; i.z < min(first.z + DEEP, box_cells.z) && i.x < box_cells.x && i.y < box_cells.y; i.z++) {{
        float near = 0.0;
        for (int axis = 0; axis < 3; axis++) {{
            ivec3 step = ivec3(0);
            step[axis] = {away};
            near += box_a((i + step) % box_cells) - box_a((i - step + box_cells) % box_cells);
        }}
        float next = 0.9 * box_a(i) + 0.05 * near;
        set_box_b(i, next);
        mine += vec2(next, abs(next) + float(i.z));
    }}
    parts[local] = mine;
    barrier();
    if (local == 0u) {{
        vec2 sum = vec2(0.0);
        for (int k = 0; k < 64; k++) sum += parts[k];
        set_sums(stage_number(group), sum);
    }}
}}"
    )
}

/// A kernel whose tiles write two planes farther, round the ends of the grid.
fn shift() -> String {
    relax(1, 1)
        .replace("#pragma reach box_b 0", "#pragma reach box_b 2")
        .replace(
            "set_box_b(i, next)",
            "set_box_b((i + ivec3(0, 0, 2)) % box_cells, next)",
        )
}

/// Parts that end at tiles, and parts that do not.
const BOX: &[u64] = &[40, 16, 11];
const CUTS: &[[usize; 3]] = &[[1, 1, 2], [1, 1, 3], [1, 3, 1], [2, 1, 1], [2, 2, 2]];

#[test]
fn tiles_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let mut cuts = common::sweep(2, 8);
    for (reach, steps, parts) in [(1, 4, CUTS), (3, 3, &CUTS[1..4])] {
        for parts in parts {
            if !cuts.skips() {
                assert_equal(
                    &gpu,
                    &tiles(BOX, &relax(reach, reach)),
                    &[*parts],
                    &Setting::steps(steps),
                );
            }
        }
    }
}

#[test]
fn tiles_that_write_round_the_ends_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    // The last tile has one plane.
    let pipeline = tiles(&[16, 4, 33], &shift());
    assert_equal(&gpu, &pipeline, &[[1, 1, 2], [1, 1, 3]], &Setting::steps(3));
}

#[test]
fn tiles_in_a_plane_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    assert_equal(
        &gpu,
        &tiles(&[40, 16, 1], &relax(1, 1)),
        &[[2, 1, 1], [1, 2, 1], [1, 3, 1]],
        &Setting::steps(3),
    );
}

#[test]
fn grids_that_only_tiles_run_over_are_cut() {
    let mut pipeline = tiles(BOX, &relax(1, 1));
    pipeline.step.truncate(1);
    pipeline.cut(&CutRequest::default(), 0, 2).unwrap();
    let cut = pipeline.cut.as_ref().unwrap();
    assert!(matches!(cut.shares[0], Share::Part { .. }), "{:?}", cut.shares[0]);
}

#[test]
fn checked_tiles_have_no_fault_on_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(2)
    };
    assert_equal(&gpu, &tiles(BOX, &relax(1, 1)), &[[1, 2, 2]], &setting);
}

#[test]
fn stages_of_tiles_run_in_parts_unless_a_rank_had_none() {
    for (parts, is_cut) in [([1, 1, 3], true), ([2, 3, 1], true), ([1, 1, 4], false)] {
        let mut pipeline = tiles(BOX, &relax(1, 1));
        let request = CutRequest {
            parts: Some(parts),
            whole: Whole::None,
        };
        let notices = pipeline.cut(&request, 0, parts.iter().product()).unwrap();
        assert!(notices.is_empty(), "{notices:?}");
        let shares = &pipeline.cut.as_ref().unwrap().shares;
        assert_eq!(matches!(shares[0], Share::Part { .. }), is_cut, "{parts:?}");
    }
}

/// The first fault of two steps in checked mode without ranks.
fn fault(kernel: &str) -> Option<String> {
    let gpu = common::gpu()?;
    let mut simulation = start(&gpu, tiles(BOX, kernel), CHECKED, Arc::new(NoProbe), None);
    simulation.step(false).unwrap();
    simulation.finish().unwrap();
    simulation.fault().unwrap().map(|fault| fault.to_string())
}

#[test]
fn checked_runs_find_accesses_beyond_the_reach_of_a_tile() {
    if common::gpu().is_none() {
        return;
    }
    let found = fault(&relax(1, 2)).unwrap();
    assert!(found.contains("box.a") && found.contains("1 cell"), "{found}");
    let other = relax(1, 1).replace(
        "set_sums(stage_number(group)",
        "set_sums(stage_number(group) ^ 1u",
    );
    let found = fault(&other).unwrap();
    assert!(found.contains("sums"), "{found}");
    assert_eq!(fault(&relax(1, 1)), None);
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_dropped_exchanges_of_tiles_change_the_hash() {
    assert_changed(&tiles(BOX, &relax(1, 1)), Spoil::Drop, [1, 1, 2]);
}

#[test]
#[ignore = "long: a control of the test of all cuts"]
fn control_halos_of_tiles_one_cell_short_change_the_hash() {
    assert_changed(&tiles(BOX, &relax(1, 1)), Spoil::Shallow, [1, 2, 1]);
    assert_changed(&tiles(BOX, &relax(1, 2)), Spoil::None, [1, 2, 1]);
}
