//! Sparse grids on ranks: each runs the cells of its part, and all have the same blocks.

use serde_json::{Value, json};

use sastrugi::run::Spoil;

use super::controls::assert_changed;
use super::*;

/// A sparse grid whose active blocks move, and a dense one with the same cells. Stages read two cells away, in place, across
/// both grids, and a sum of the sparse one.
fn file(paging: &str, latency: u32) -> Value {
    json!({
        "run": {"dt": 0.1, "steps_per_frame": 2, "frames": 4},
        "grids": {
            "g": {
                "cells": [40, 36, 18], "cell_size": 1,
                "sparse": {"block": [8, 8, 4], "paging": paging, "latency": latency, "keep": 0, "budget": 3e7},
                "channels": {
                    "a": {"type": "float", "background": 0.5}, "b": "float", "l": {"type": "vec3", "count": 2},
                    "n": {"type": "uint8", "background": 7}, "h": {"type": "half", "background": 0.25}
                }
            },
            "d": {"cells": [40, 36, 18], "cell_size": 1, "channels": {"c": "float"}}
        },
        "buffers": {"total": "float"},
        "init": [{"stage": "ask", "over": "g.blocks", "requests": ["g"]}, {"update_grid": "g"}],
        "step": [
            {"every": 2, "stages": [
                {"stage": "ask", "over": "g.blocks", "requests": ["g"]}, {"update_grid": "g"}]},
            {"stage": "pour", "over": "g", "reads": ["g.a", "g.l", "g.n", "g.h", "total"], "writes": ["g.b"]},
            {"stage": "sweep", "over": "g", "reads": ["g.b"], "writes": ["g.b"]},
            {"stage": "back", "over": "g", "reads": ["g.b", "d.c"], "writes": ["g.a", "g.l", "g.n"]},
            {"set": "total", "to": "sum(g.a)"},
            {"stage": "cross", "over": "d", "reads": ["g.a", "d.c"], "writes": ["d.c"]},
            {"stage": "return", "over": "g", "reads": ["d.c"], "writes": ["g.h"]}
        ]
    })
}

const KERNELS: [(&str, &str); 6] = [
    (
        "ask",
        "void stage(ivec3 block) { if ((int(clock.step) / 2 + block.y + 2 * block.z + block.x) % 4 < 2) request_g_block(block); }",
    ),
    (
        "pour",
        "#pragma reach g_a 2\n#pragma reach g_l 1\n#pragma reach g_n 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
         float sum = 0.0;
         for (int z = -2; z <= 2; z++) for (int y = -2; y <= 2; y++) for (int x = -2; x <= 2; x++)
             sum += g_a(i + ivec3(x, y, z)) * (1.0 + 0.01 * float(x + 2 * y + 3 * z));
         sum += dot(g_l(i + ivec3(1, -1, 0), 1), vec3(1.0, 0.5, 0.25)) + float(g_n(i + ivec3(-1, 1, 1))) + g_h(i);
         set_g_b(i, sin(sum + 1e-3 * total(0u)) + (g_is_active(i + ivec3(0, 2, 0)) ? 0.1 : 0.0)); }",
    ),
    (
        "sweep",
        "#pragma reach g_b 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
         if (((i.x + i.y + i.z) & 1) == 0) set_g_b(i, 0.5 * g_b(i) + 0.25 * (g_b(i - ivec3(0, 1, 0)) + g_b(i + ivec3(1, 0, 0)))
             - 0.1 * (g_b(i + ivec3(0, 0, 1)) + g_b(i + ivec3(0, 1, 0)))); }",
    ),
    (
        "back",
        "#pragma reach d_c 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
         float b = g_b(i) + 0.1 * d_c(max(i - 1, ivec3(0)));
         set_g_a(i, cos(2.0 * b)); set_g_l(i, 0, vec3(b, b * b, 1.0 - b)); set_g_l(i, 1, vec3(b + 0.1, -b, 0.5));
         set_g_n(i, uint8_t(int(100.0 + 90.0 * sin(5.0 * b)))); }",
    ),
    (
        "cross",
        "#pragma reach g_a 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
         set_d_c(i, 0.5 * d_c(i) + g_a(i - ivec3(1, 0, 0)) - g_a(i + ivec3(0, 1, 1))); }",
    ),
    (
        "return",
        "#pragma reach d_c 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
         set_g_h(i, d_c(i) - d_c(min(i + 1, d_cells - 1))); }",
    ),
];

fn sparse(paging: &str, latency: u32) -> Pipeline {
    pipeline(&file(paging, latency), &KERNELS)
}

#[test]
fn sparse_grids_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 2, 1], [2, 1, 1], [1, 1, 2], [2, 2, 1], [1, 3, 1]];
    assert_equal(&gpu, &sparse("auto", 0), &cuts, &Setting::steps(6));
}

#[test]
fn every_paging_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    for (paging, latency) in [("table", 1), ("dense", 2)] {
        assert_equal(&gpu, &sparse(paging, latency), &[[2, 2, 1]], &Setting::steps(6));
    }
}

#[test]
fn checked_sparse_grids_have_no_fault_on_ranks() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting {
        options: CHECKED,
        ..Setting::steps(2)
    };
    assert_equal(&gpu, &sparse("auto", 0), &[[1, 2, 1]], &setting);
}

#[test]
fn stages_over_cells_run_on_parts_that_end_between_sub_blocks() {
    let mut cut = sparse("auto", 0);
    cut.cut(&CutRequest::default(), 0, 2).unwrap();
    let shares = cut.cut.as_ref().unwrap();
    assert_eq!(shares.partition.parts, [1, 1, 2]);
    assert_eq!(shares.partition.planes[2], [0, 8, 18]);
    for name in ["pour", "sweep", "back", "cross", "return"] {
        let id = cut.stages.iter().position(|stage| stage.name == name).unwrap();
        assert!(matches!(shares.shares[id], Share::Part { grow: [0, 0, 0] }), "{name}");
    }
}

#[test]
fn control_dropped_exchange_of_a_sparse_grid_changes_the_hash() {
    assert_changed(&sparse("auto", 0), Spoil::Drop, [1, 2, 1]);
}

#[test]
fn control_halo_of_a_sparse_grid_one_cell_short_changes_the_hash() {
    assert_changed(&sparse("auto", 0), Spoil::Shallow, [1, 2, 1]);
}

#[test]
fn control_missing_corner_of_a_sparse_grid_changes_the_hash() {
    assert_changed(&sparse("auto", 0), Spoil::NoCorners, [2, 2, 1]);
}
