//! Accesses near the own cell. Where all blocks around are active, they do not look for the block.

use serde_json::{Value, json};

use super::*;

const CELLS: [u64; 3] = [20, 11, 9];
const SIDE: u32 = 4;
const BACKGROUND: u32 = 1_000_003;

fn sums(border: &str, paging: &str) -> Value {
    json!({
        "run": {"dt": 1},
        "grids": {"g": {
            "cells": CELLS, "cell_size": 1,
            "sparse": {"paging": paging, "block": [SIDE, SIDE, SIDE], "keep": "always"},
            "channels": {"id": {"type": "uint", "background": BACKGROUND, "border": border}, "sum": "uint"}
        }},
        "init": [{"stage": "ask_all_but_last", "over": "g.blocks"}, {"update_grid": "g"}],
        "particles": {"points": {"count": CELLS.iter().product::<u64>(), "attributes": {"sum": "uint"}}},
        "step": [
            {"stage": "enumerate", "over": "g"},
            {"stage": "sum_around", "over": "g"},
            {"stage": "sum_near", "over": "points"}
        ]
    })
}

/// The index along an axis that a read at `i` finds.
fn inside(border: &str, i: i64, n: i64) -> Option<i64> {
    match border {
        "repeat" => Some(i.rem_euclid(n)),
        "clamp" => Some(i.clamp(0, n - 1)),
        _ => (0..n).contains(&i).then_some(i),
    }
}

/// Blocks that are the last ones along x are not active.
fn is_active(x: i64) -> bool {
    x / i64::from(SIDE) + 1 < CELLS[0] as i64 / i64::from(SIDE)
}

/// The result of sum_around.comp and sum_near.comp.
fn expected(border: &str, cell: [u32; 3]) -> u32 {
    let [nx, ny, nz] = CELLS.map(|n| n as i64);
    let id = |x: i64, y: i64, z: i64| {
        let [x, y, z] = [
            inside(border, x, nx)?,
            inside(border, y, ny)?,
            inside(border, z, nz)?,
        ];
        is_active(x).then_some(((z * ny + y) * nx + x) as u32)
    };
    let [x, y, z] = cell.map(i64::from);
    let around = (0..27).map(|k| {
        let value = id(x - 1 + k % 3, y - 1 + k / 3 % 3, z - 1 + k / 9).unwrap_or(BACKGROUND);
        (k as u32 + 1).wrapping_mul(value)
    });
    around.fold(0, u32::wrapping_add)
}

#[test]
fn neighbours_are_found_across_blocks_and_borders() {
    let Some(gpu) = common::gpu() else { return };
    for border in ["background", "clamp", "repeat"] {
        for paging in pagings(&gpu) {
            let mut sim = simulation(&gpu, &sums(border, paging), Options::PLAIN);
            sim.step(false).unwrap();
            let of_cells = read_words(&mut sim, "g.sum");
            let of_points = read_words(&mut sim, "points.sum");
            for (place, cell) in cells(CELLS) {
                let (sum, what) = (expected(border, cell), format!("{border}, {paging}: {cell:?}"));
                let stored = if is_active(i64::from(cell[0])) { sum } else { 0 };
                assert_eq!(of_cells[place], stored, "{what}");
                assert_eq!(of_points[place], sum, "a point, {what}");
            }
        }
    }
    // Control: the borders differ.
    let corner = ["background", "clamp", "repeat"].map(|border| expected(border, [0; 3]));
    assert!(corner[0] != corner[1] && corner[1] != corner[2] && corner[0] != corner[2]);
}

/// Each invocation may process several cells of a sub-block.
#[test]
fn cells_of_a_column_may_share_an_invocation() {
    let Some(gpu) = common::gpu() else { return };
    for cells_per_thread_z in [1, 2, 64] {
        let mut file = sums("background", "table");
        file["step"][1]["tuning"] = json!({"cells_per_thread_z": cells_per_thread_z});
        let mut sim = simulation(&gpu, &file, Options::PLAIN);
        sim.step(false).unwrap();
        let found = read_words(&mut sim, "g.sum");
        for (place, cell) in cells(CELLS).filter(|(_, cell)| is_active(i64::from(cell[0]))) {
            let sum = expected("background", cell);
            assert_eq!(found[place], sum, "{cells_per_thread_z}: {cell:?}");
        }
    }
}
