//! Asking for blocks about flagged cells: the helpers of shaders/lib/request.glsl.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

const CELLS: [u64; 3] = [44, 30, 21];
const REACH: u32 = 5;

/// Blocks with a cell at most `reach` cells from a hot one along each axis: the definition, cell by cell.
fn wanted(grid: &SparseGrid, hot: &[[u32; 3]], reach: u32) -> BTreeSet<u32> {
    let near = |cell: [u32; 3]| {
        hot.iter()
            .any(|hot| (0..3).all(|axis| cell[axis].abs_diff(hot[axis]) <= reach))
    };
    let cells = cells(CELLS).map(|(_, cell)| cell).filter(|cell| near(*cell));
    cells.map(|cell| grid.layout.block_of(cell)).collect()
}

fn active(simulation: &mut Simulation) -> BTreeSet<u32> {
    let words = read_words(simulation, "g_active");
    (0..32 * words.len() as u32)
        .filter(|block| words[*block as usize / 32] >> (block % 32) & 1 == 1)
        .collect()
}

#[test]
fn blocks_around_flagged_cells_stay_active() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": CELLS, "cell_size": 1, "sparse": {"block": [8, 4, 4], "keep": 0},
                        "channels": {"heat": {"type": "float", "background": 0}}}},
        "init": [{"stage": "ask_all", "over": "g.blocks", "requests": ["g"]}, {"update_grid": "g"}],
        "step": [
            {"stage": "keep_hot", "over": "g", "reads": ["g.heat"], "requests": ["g"], "arguments": {"reach": REACH}},
            {"update_grid": "g"}
        ]
    });
    // A corner, an edge of blocks, the middle of one, the last cell.
    let hot = [[0, 0, 0], [15, 12, 8], [30, 21, 14], [43, 29, 20]];
    let mut sim = simulation(&gpu, &file, CHECKED);
    let mut heat = vec![0f32; CELLS.iter().product::<u64>() as usize];
    for (place, cell) in cells(CELLS) {
        heat[place] = f32::from(u8::from(hot.contains(&cell)));
    }
    let bytes: Vec<u8> = heat.iter().flat_map(|heat| heat.to_le_bytes()).collect();
    sim.write("g.heat", &bytes).unwrap();
    let all = active(&mut sim).len();
    for _ in 0..3 {
        sim.step(false).unwrap();
    }
    assert_no_fault(&mut sim);
    let found = active(&mut sim);
    assert_eq!(found, wanted(sparse_grid(&sim), &hot, REACH));
    assert!(found.len() < all / 2, "{} of {all}", found.len());
    // Controls: a cell less of reach, a hot cell less.
    assert_ne!(found, wanted(sparse_grid(&sim), &hot, REACH - 1));
    assert_ne!(found, wanted(sparse_grid(&sim), &hot[1..], REACH));
}
