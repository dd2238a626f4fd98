//! Every cell has a place of its own, and shaders know the same numbers as the host.

use serde_json::{Map, Value, json};

use super::*;

/// A grid with these channels besides two of its own, all of which is asked for at the start.
fn grid(cells: [u64; 3], block: Option<[u32; 3]>, more: &[&str], paging: &str) -> Value {
    let mut channels = Map::new();
    // Between others, so that what comes before a channel counts.
    for (i, element) in more.iter().enumerate() {
        if i == 1 {
            channels.insert("id".into(), json!({"type": "uint", "background": 0}));
        }
        channels.insert(format!("more{i}"), json!({"type": element, "background": 3}));
    }
    channels.insert("id".into(), json!({"type": "uint", "background": 0}));
    channels.insert("visits".into(), json!({"type": "uint", "background": 9}));
    let mut pages = json!({"paging": paging, "latency": 0, "keep": "always"});
    if let Some(block) = block {
        pages["block"] = json!(block);
    }
    json!({
        "run": {"dt": 1},
        "grids": {"g": {
            "cells": cells, "cell_size": 0.75, "origin": [-3, 0.5, 1e6],
            "sparse": pages, "channels": channels
        }},
        "buffers": {
            // More than there are sub-blocks of a single cell.
            "counts": {"type": "uint", "length": cells.iter().product::<u64>(), "background": 0},
            "mirror": {"type": "float", "length": 16}
        },
        "init": [
            {"stage": "ask_all", "over": "g.blocks", "requests": ["g"]},
            {"update_grid": "g"}
        ],
        "step": [
            {"stage": "number", "over": "g", "writes": ["g.id", "g.visits", "counts"]},
            {"stage": "mirror", "over": 1, "reads": ["g.id"], "writes": ["mirror"]}
        ]
    })
}

/// Errors in the numbers of a grid whose cells were all numbered once.
fn wrong(size: [u64; 3], sub_cells: [u64; 3], ids: &[u32], visits: &[u32], counts: &[u32]) -> Vec<String> {
    let mut wrong = Vec::new();
    let subs: [u64; 3] = std::array::from_fn(|axis| size[axis].div_ceil(sub_cells[axis]));
    let mut expected = vec![0u32; counts.len()];
    for (place, cell) in cells(size) {
        if ids[place] != place as u32 + 1 {
            wrong.push(format!("cell {cell:?} holds the number {}", ids[place]));
        }
        if visits[place] != 10 {
            wrong.push(format!("cell {cell:?} counts {} visits", visits[place]));
        }
        let sub: [u64; 3] = std::array::from_fn(|axis| u64::from(cell[axis]) / sub_cells[axis]);
        expected[((sub[2] * subs[1] + sub[1]) * subs[0] + sub[0]) as usize] += 1;
    }
    if expected != counts {
        wrong.push("sub-blocks count other cells than they have".into());
    }
    let all: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    if all != size.iter().product::<u64>() {
        wrong.push(format!("{all} cells are counted"));
    }
    wrong
}

type Case = ([u64; 3], Option<[u32; 3]>, &'static [&'static str]);

/// Cells, block and further channels; a cell takes 8 to 48 bytes.
const CASES: [Case; 7] = [
    ([64, 64, 64], None, &[]),
    ([70, 41, 33], None, &["float"]),
    ([100, 7, 3], None, &["vec3", "vec4", "uint"]),
    ([1, 1, 200], None, &["vec2"]),
    ([70, 41, 33], Some([8, 8, 8]), &["vec3", "float"]),
    ([37, 50, 21], Some([16, 4, 2]), &["vec4", "vec4"]),
    ([19, 23, 29], Some([2, 2, 2]), &[]),
];

#[test]
fn sparse_cells_have_distinct_addresses() {
    let Some(gpu) = common::gpu() else { return };
    let mut chosen = common::sweep(3, CASES.len());
    for (number, (size, block, more)) in CASES.into_iter().enumerate() {
        if chosen.skips() {
            continue;
        }
        let pagings = pagings(&gpu);
        let paging = pagings[number % pagings.len()];
        let mut sim = simulation(&gpu, &grid(size, block, more, paging), CHECKED);
        sim.step(false).unwrap();
        let [ids, visits, counts] = ["g.id", "g.visits", "counts"].map(|field| read_words(&mut sim, field));
        assert_no_fault(&mut sim);
        let layout = &sparse_grid(&sim).layout;
        assert_eq!(active_blocks(&sim), layout.block_count());
        if let Some(block) = block {
            assert_eq!(layout.block_log2, block.map(u32::ilog2));
        }
        let sub_cells = layout.sub_log2.map(|log2| 1 << log2);
        let found = wrong(size, sub_cells, &ids, &visits, &counts);
        assert!(
            found.is_empty(),
            "{size:?} {paging}: {} wrong, {}",
            found.len(),
            found[0]
        );
        // Channels beside them were left alone.
        for (i, kind) in more.iter().enumerate() {
            let values = read_words(&mut sim, &format!("g.more{i}"));
            let three = if *kind == "uint" { 3 } else { 3f32.to_bits() };
            assert!(values.iter().all(|value| *value == three), "{size:?}: more{i}");
        }

        // Control: what judges them objects to two cells in one place and to a cell that is counted elsewhere.
        let (mut same, mut moved) = (ids.clone(), counts.clone());
        same[5] = same[4];
        assert_eq!(wrong(size, sub_cells, &same, &visits, &counts).len(), 1);
        moved[0] -= 1;
        moved[1] += 1;
        assert_eq!(wrong(size, sub_cells, &ids, &visits, &moved).len(), 1);
    }
}

#[test]
fn sparse_layout_constants_match_the_host() {
    let Some(gpu) = common::gpu() else { return };
    for (size, block, more) in CASES {
        let mut sim = simulation(&gpu, &grid(size, block, more, "auto"), CHECKED);
        sim.step(false).unwrap();
        let mirror: Vec<f32> = read_words(&mut sim, "mirror")
            .into_iter()
            .map(f32::from_bits)
            .collect();
        let (id, grid) = sim.pipeline().sparse_grids().next().unwrap();
        let (resource, layout) = (&sim.pipeline().resources[id], &grid.layout);
        let sides = [
            layout.cells,
            layout.block_log2.map(|log2| 1 << log2),
            layout.sub_log2.map(|log2| 1 << log2),
            layout.blocks.map(u64::from),
        ];
        let mut host: Vec<f32> = sides.into_iter().flatten().map(|side| side as f32).collect();
        let lattice = resource.lattice().unwrap();
        host.extend(lattice.origin.map(|metres| metres as f32));
        host.push(lattice.spacing[0] as f32);
        assert_eq!(mirror, host, "{size:?}");
        // Control: other cells have other numbers.
        assert_ne!(mirror[..3], [64.0, 63.0, 64.0]);
        assert_no_fault(&mut sim);
    }
}

#[test]
fn rows_of_two_sparse_cells_are_visited_once() {
    let Some(gpu) = common::gpu() else { return };
    // Widths: two cells, except where the cells in x or the side of a block are odd.
    let cases = [
        ([64, 16, 8], None, 2),
        ([70, 41, 33], Some([8, 8, 8]), 2),
        ([37, 50, 21], Some([16, 4, 2]), 1),
        ([12, 23, 29], Some([1, 8, 8]), 1),
    ];
    for (number, (size, block, width)) in cases.into_iter().enumerate() {
        let pagings = pagings(&gpu);
        for options in [CHECKED, Options::PLAIN] {
            let mut file = grid(size, block, &[], pagings[number % pagings.len()]);
            file["step"] = json!([
                {"stage": "number_wide", "over": "g", "reads": ["g.visits"], "writes": ["g.id", "g.visits"]}
            ]);
            let mut sim = simulation(&gpu, &file, options);
            sim.step(false).unwrap();
            let [ids, visits] = ["g.id", "g.visits"].map(|field| read_words(&mut sim, field));
            assert!(ids.iter().zip(1..).all(|(id, number)| *id == number), "{size:?}");
            assert!(
                visits.iter().all(|visits| *visits == 9 + width),
                "{size:?}: {}",
                visits[0]
            );
        }
    }
}
