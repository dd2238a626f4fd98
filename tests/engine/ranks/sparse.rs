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
            {"stage": "ahead", "over": "g", "reads": ["g.a"], "requests": ["g"]},
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

const KERNELS: [(&str, &str); 7] = [
    (
        "ask",
        "void stage(ivec3 block) { if ((int(clock.step) / 2 + block.y + 2 * block.z + block.x) % 4 < 2) request_g_block(block); }",
    ),
    // Only blocks of the other part, if the grid is cut in y at a multiple of 8 below 18.
    (
        "ahead",
        "void stage(ivec3 i) { if (i.y < 16 && g_a(i) > 0.97) request_g(min(i + ivec3(9, 16, 5), g_cells - 1)); }",
    ),
    (
        "pour",
        "#pragma reach g_a 2\n#pragma reach g_l 1\n#pragma reach g_n 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
         #define AT(x, y, z) clamp(i + ivec3(x, y, z), ivec3(0), g_cells - 1)
         float sum = 0.0;
         for (int z = -2; z <= 2; z++) for (int y = -2; y <= 2; y++) for (int x = -2; x <= 2; x++)
             sum += g_a(AT(x, y, z)) * (1.0 + 0.01 * float(x + 2 * y + 3 * z));
         sum += dot(g_l(AT(1, -1, 0), 1), vec3(1.0, 0.5, 0.25)) + float(g_n(AT(-1, 1, 1))) + g_h(i);
         set_g_b(i, sin(sum + 1e-3 * total(0u)) + (g_is_active(AT(0, 2, 0)) ? 0.1 : 0.0)); }",
    ),
    (
        "sweep",
        "#pragma reach g_b 1\n#include \"stage.glsl\"\nvoid stage(ivec3 i) {
         ivec3 low = max(i - 1, ivec3(0)), high = min(i + 1, g_cells - 1);
         if (((i.x + i.y + i.z) & 1) == 0) set_g_b(i, 0.5 * g_b(i) + 0.25 * (g_b(ivec3(i.x, low.y, i.z)) + g_b(ivec3(high.x, i.yz)))
             - 0.1 * (g_b(ivec3(i.xy, high.z)) + g_b(ivec3(i.x, high.y, i.z)))); }",
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
         set_d_c(i, 0.5 * d_c(i) + g_a(max(i - 1, ivec3(0))) - g_a(min(i + ivec3(0, 1, 1), g_cells - 1))); }",
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

/// The grid with outputs of both grids.
pub(super) fn written(frames: u64) -> Pipeline {
    let mut file = file("auto", 0);
    file["run"]["frames"] = json!(frames);
    file["outputs"] = json!({
        "c": {"source": "d.c", "format": "npy"},
        "sums": {"values": {"total": "total[0]", "one": "d.c[3, 30, 4]"}}
    });
    pipeline(&file, &KERNELS)
}

#[test]
fn sparse_grids_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 2, 1], [2, 1, 1], [1, 1, 2], [2, 2, 1], [1, 3, 1]];
    assert_equal(&gpu, &sparse("auto", 0), &cuts, &Setting::steps(6));
}

#[test]
#[ignore = "long: each paging on two ranks"]
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
    let request = CutRequest {
        parts: Some([1, 1, 2]),
        whole: Whole::None,
    };
    cut.cut(&request, 0, 2).unwrap();
    let shares = cut.cut.as_ref().unwrap();
    assert_eq!(shares.partition.planes[2], [0, 8, 18]);
    let grown = |name: &str| {
        let id = cut.stages.iter().position(|stage| stage.name == name).unwrap();
        shares.shares[id].clone()
    };
    for name in ["ahead", "pour", "back", "cross", "return"] {
        assert_eq!(grown(name), Share::Part { grow: [0; 3] }, "{name}");
    }
    // It states no other reach for what it writes.
    assert_eq!(grown("sweep"), Share::Part { grow: [1; 3] });
}

/// Starts the pipeline alone from the state of two ranks after some steps.
fn hash_resumed(gpu: &Gpu, pipeline: &Pipeline, steps: u64, more: u64) -> blake3::Hash {
    let run = |ranks: Ranks| {
        let mut pipeline = pipeline.clone();
        let request = CutRequest {
            parts: Some([1, 2, 1]),
            whole: Whole::None,
        };
        pipeline.cut(&request, ranks.rank(), 2).unwrap();
        let is_root = ranks.is_root();
        let mut simulation = start(gpu, pipeline, Options::PLAIN, Arc::new(NoProbe), Some(ranks));
        (0..steps).for_each(|_| simulation.step(false).unwrap());
        let pending = simulation.capture(Extent::Everything).unwrap();
        let state = simulation.captured(pending).unwrap();
        simulation.finish().unwrap();
        is_root.then_some(state)
    };
    let state = thread::scope(|scope| {
        let threads: Vec<_> = (Ranks::threads(2).into_iter())
            .map(|ranks| scope.spawn(move || run(ranks)))
            .collect();
        let states = threads.into_iter().filter_map(|thread| thread.join().unwrap());
        states.last().unwrap()
    });
    let modules = shader::build(pipeline, device_class(gpu), &Default::default(), gpu.cache()).unwrap();
    let resumed = Simulation::resume(gpu, pipeline.clone(), modules, Options::PLAIN, &state);
    advanced(resumed.unwrap_or_else(|error| panic!("{error}")), more)
}

/// The state has the requests of all ranks that no update has processed.
#[test]
fn state_of_ranks_has_all_requests() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = sparse("auto", 1);
    let simulation = start(&gpu, pipeline.clone(), Options::PLAIN, Arc::new(NoProbe), None);
    let alone = advanced(simulation, 6);
    assert_eq!(hash_resumed(&gpu, &pipeline, 3, 3), alone);
}

/// Requests of cells matter, so that the tests above see whether ranks unite them: all are for the part of another rank.
#[test]
fn control_without_requests_of_cells_the_hash_differs() {
    let Some(gpu) = common::gpu() else { return };
    let mut kernels = KERNELS;
    kernels[1].1 = "void stage(ivec3 i) { if (g_a(i) > 2.0) request_g(i); }";
    let setting = Setting::steps(6);
    let without = pipeline(&file("auto", 0), &kernels);
    let alone = hash_alone(&gpu, &sparse("auto", 0), &setting);
    assert_ne!(hash_alone(&gpu, &without, &setting), alone);
}

#[test]
fn control_dropped_exchange_of_a_sparse_grid_changes_the_hash() {
    assert_changed(&sparse("auto", 0), Spoil::Drop, [1, 2, 1]);
}

#[test]
fn control_halo_of_a_sparse_grid_one_cell_short_changes_the_hash() {
    // No halo is one cell deeper than its stage needs.
    let sweep = KERNELS[3].1.replace("reach g_b 1\n", "reach g_b 1 0\n");
    let mut kernels = KERNELS;
    kernels[3].1 = &sweep;
    let exact = pipeline(&file("auto", 0), &kernels);
    assert_changed(&exact, Spoil::Shallow, [1, 2, 1]);
}

#[test]
fn control_missing_corner_of_a_sparse_grid_changes_the_hash() {
    assert_changed(&sparse("auto", 0), Spoil::NoCorners, [2, 2, 1]);
}
