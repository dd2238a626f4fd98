//! Blocks that come and go: when, for how long, and with what in them.

use serde_json::{Value, json};

use super::*;

/// Blocks of the grid: as many as a word has bits, at most.
const BLOCKS: [u32; 3] = [4, 3, 2];
const ALL: u32 = (1 << (BLOCKS[0] * BLOCKS[1] * BLOCKS[2])) - 1;
/// Not a multiple of the block.
const CELLS: [u64; 3] = [31, 23, 15];
const BACKGROUND: u32 = 100;

/// A grid of which step s asks for the blocks in word s, and whose cells count the steps that they are there.
fn scheduled(asks: &[u32], pages: Value, every: u32) -> Value {
    let mut pages = pages;
    pages["block"] = json!([8, 8, 8]);
    json!({
        "run": {"dt": 1},
        "grids": {
            "g": {
                "cells": CELLS, "cell_size": 1, "sparse": pages,
                "channels": {"other": "vec3", "age": {"type": "uint", "background": BACKGROUND}}
            },
            "all": {"cells": CELLS, "cell_size": 1, "channels": {"visits": {"type": "uint", "background": 0}}}
        },
        "buffers": {"asks": {"type": "uint", "values": asks}},
        "step": [
            {"stage": "ask_as_told", "over": "g.blocks", "reads": ["asks"], "requests": ["g"]},
            {"every": every, "stages": [{"update_grid": "g"}]},
            {"stage": "age", "over": "g", "reads": ["g.age"], "writes": ["g.age", "all.visits"]}
        ]
    })
}

/// Bit of a cell's block in the words of requests.
fn bit(cell: [u32; 3]) -> u32 {
    let [x, y, z] = cell.map(|side| side / 8);
    (z * BLOCKS[1] + y) * BLOCKS[0] + x
}

/// A model of blocks that is independent of the page manager.
struct Model {
    latency: usize,
    keep: usize,
    persistent: bool,
    /// Requests of every update so far.
    collected: Vec<u32>,
    active: u32,
    /// Values of the cells in each block.
    ages: [u32; 32],
}

impl Model {
    fn new(latency: usize, keep: usize, persistent: bool) -> Model {
        Model {
            latency,
            keep,
            persistent,
            collected: Vec::new(),
            active: 0,
            ages: [BACKGROUND; 32],
        }
    }

    fn update(&mut self, requests: u32) {
        self.collected.push(requests);
        let due = self.collected.len().saturating_sub(self.latency);
        let since = if self.persistent {
            0
        } else {
            due.saturating_sub(self.keep + 1)
        };
        let active = self.collected[since..due].iter().fold(0, |all, word| all | word);
        for block in 0..32 {
            if (active & !self.active) >> block & 1 == 1 {
                self.ages[block] = BACKGROUND;
            }
        }
        self.active = active;
    }

    fn step(&mut self) {
        for block in 0..32 {
            self.ages[block] += self.active >> block & 1;
        }
    }

    fn age(&self, cell: [u32; 3]) -> u32 {
        match self.active >> bit(cell) & 1 {
            1 => self.ages[bit(cell) as usize],
            _ => BACKGROUND,
        }
    }
}

/// Steps in which device and model differ, the first with its reason.
fn differences(gpu: &Gpu, asks: &[u32], pages: Value, every: u32, mut model: Model) -> Vec<String> {
    let mut sim = simulation(gpu, &scheduled(asks, pages, every), CHECKED);
    let mut found = Vec::new();
    let mut gathered = 0;
    for (step, word) in asks.iter().enumerate() {
        sim.step(false).unwrap();
        gathered |= word;
        if (step as u32).is_multiple_of(every) {
            model.update(gathered);
            gathered = 0;
        }
        model.step();
        let (there, modelled) = (active_blocks(&sim), u64::from(model.active.count_ones()));
        if there != modelled {
            found.push(format!("step {step}: {there} blocks are active, not {modelled}"));
        }
        // Reading waits for the device; steps that follow each other at once are to be seen too.
        if step % 3 != 2 {
            continue;
        }
        let ages = read_words(&mut sim, "g.age");
        let off = cells(CELLS).find(|(place, cell)| ages[*place] != model.age(*cell));
        if let Some((place, cell)) = off {
            let age = model.age(cell);
            found.push(format!(
                "step {step}: cell {cell:?} is {}, not {age}",
                ages[place]
            ));
        }
    }
    sim.finish().unwrap();
    assert_no_fault(&mut sim);
    found
}

/// Words in which blocks come for a few steps, leave for a few, and come again.
fn words(count: u32) -> Vec<u32> {
    let word = |step: u32| {
        let wants = |block: &u32| (step + 3 * block) % (5 + block % 4) < 1 + block % 3;
        (0..32).filter(wants).fold(0, |word, block| word | 1 << block) & ALL
    };
    (0..count).map(word).collect()
}

#[test]
fn blocks_activate_and_free_on_time_without_stale_data() {
    let Some(gpu) = common::gpu() else { return };
    for paging in pagings(&gpu) {
        for (latency, keep, every) in [(0, 0, 1), (1, 0, 1), (2, 1, 1), (3, 3, 1), (1, 2, 2), (0, 5, 1)] {
            let pages = json!({"paging": paging, "latency": latency, "keep": keep});
            let model = Model::new(latency, keep, false);
            let found = differences(&gpu, &words(24), pages, every, model);
            assert!(
                found.is_empty(),
                "{paging}, latency {latency}, keep {keep}, every {every}:\n{}",
                found.join("\n")
            );
        }
    }
}

#[test]
fn control_block_model_detects_off_by_one_updates() {
    let Some(gpu) = common::gpu() else { return };
    for (latency, keep) in [(0, 1), (2, 1), (1, 0), (1, 2)] {
        let pages = json!({"latency": 1, "keep": 1});
        let found = differences(&gpu, &words(12), pages, 1, Model::new(latency, keep, false));
        assert!(found.len() > 3, "latency {latency}, keep {keep}: {found:?}");
    }
    // A model whose blocks keep their contents while they are away.
    let mut stale = Model::new(0, 0, false);
    stale.ages = [BACKGROUND + 1; 32];
    stale.active = ALL;
    let asks: Vec<u32> = vec![ALL; 3];
    let found = differences(&gpu, &asks, json!({"latency": 0, "keep": 0}), 1, stale);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn persistent_blocks_are_never_freed() {
    let Some(gpu) = common::gpu() else { return };
    let asks = [1, 0, 0, 0, 6, 0, 0, 8 | 1, 0, 0, 0, 0];
    for paging in pagings(&gpu) {
        let pages = json!({"paging": paging, "latency": 1, "keep": "always"});
        let found = differences(&gpu, &asks, pages, 1, Model::new(1, 0, true));
        assert!(found.is_empty(), "{paging}: {}", found.join("\n"));
    }
    let found = differences(
        &gpu,
        &asks,
        json!({"latency": 1, "keep": 0}),
        1,
        Model::new(1, 0, true),
    );
    assert!(!found.is_empty(), "control: without `always` they leave");
}

#[test]
fn host_writes_live_as_long_as_their_block() {
    let Some(gpu) = common::gpu() else { return };
    let asks = [3, 3, 1, 3, 3];
    for paging in pagings(&gpu) {
        let pages = json!({"paging": paging, "latency": 0, "keep": 0});
        let mut sim = simulation(&gpu, &scheduled(&asks, pages, 1), CHECKED);
        sim.step(false).unwrap();
        let written: Vec<u32> = cells(CELLS).map(|(place, _)| 1000 + place as u32).collect();
        let bytes: Vec<u8> = written.iter().flat_map(|value| value.to_le_bytes()).collect();
        sim.write("g.age", &bytes).unwrap();
        let mut steps = 0;
        // Block 1 is away in the third step.
        for (more, returned) in [(1, None), (1, None), (1, Some(1)), (1, Some(2))] {
            sim.step(false).unwrap();
            steps += more;
            let ages = read_words(&mut sim, "g.age");
            for (place, cell) in cells(CELLS) {
                let expected = match (bit(cell), returned) {
                    (0, _) => written[place] + steps,
                    (1, Some(since)) => BACKGROUND + since,
                    (1, None) if steps == 1 => written[place] + steps,
                    _ => BACKGROUND,
                };
                assert_eq!(
                    ages[place], expected,
                    "{paging}, {steps} steps later, cell {cell:?}"
                );
            }
        }
        assert_no_fault(&mut sim);
    }
}

/// Cells by how often they were visited.
fn visits(gpu: &Gpu, asks: &[u32], paging: &str) -> std::collections::BTreeMap<u32, usize> {
    let pages = json!({"paging": paging, "latency": 1, "keep": 0});
    let mut sim = simulation(gpu, &scheduled(asks, pages, 1), CHECKED);
    for _ in 0..=asks.len() {
        sim.step(false).unwrap();
    }
    let mut found = std::collections::BTreeMap::new();
    for count in read_words(&mut sim, "all.visits") {
        *found.entry(count).or_default() += 1;
    }
    assert_no_fault(&mut sim);
    found
}

#[test]
fn sliding_request_windows_visit_each_cell_once() {
    let Some(gpu) = common::gpu() else { return };
    let all = CELLS.iter().product::<u64>() as usize;
    for paging in pagings(&gpu) {
        for width in [1, 5, 9] {
            let mut asks: Vec<u32> = (0..24u32.div_ceil(width))
                .map(|window| (((1u64 << width) - 1) << (window * width)) as u32 & ALL)
                .collect();
            // After the last one nothing is asked for.
            asks.push(0);
            assert_eq!(
                visits(&gpu, &asks, paging),
                [(1, all)].into(),
                "{paging}, {width}"
            );
            // Control: a block that is left out, and one that is asked for twice.
            asks[0] &= !1;
            asks[1] |= 1 << 23;
            let cut = 8 * 8 * 8;
            let last = 7 * 7 * 7;
            let expected = [(0, cut), (1, all - cut - last), (2, last)].into();
            assert_eq!(visits(&gpu, &asks, paging), expected, "{paging}, {width}");
        }
    }
}

/// No stage writes them, so the fill of new blocks is all that does.
#[test]
fn channels_without_a_writer_hold_their_background() {
    let Some(gpu) = common::gpu() else { return };
    let asks = [0b11, 0, 0xfff000 & ALL, 1 << 7, ALL];
    let copy = "void stage(ivec3 cell) { set_all_share(cell, g_share(cell)); set_all_number(cell, g_number(cell)); }";
    for paging in pagings(&gpu) {
        let channels = |share: f32, number: u32| json!({"share": {"type": "float", "background": share}, "number": {"type": "uint", "background": number}});
        let file = json!({
            "run": {"dt": 1},
            "grids": {
                "g": {"cells": CELLS, "cell_size": 1, "channels": channels(2.5, 77),
                    "sparse": {"paging": paging, "latency": 0, "keep": 0, "block": [8, 8, 8]}},
                "all": {"cells": CELLS, "cell_size": 1, "channels": channels(0.0, 0)}
            },
            "buffers": {"asks": {"type": "uint", "values": asks}},
            "step": [
                {"stage": "ask_as_told", "over": "g.blocks", "reads": ["asks"], "requests": ["g"]},
                {"update_grid": "g"},
                {"stage": "copy", "over": "g", "reads": ["g.share", "g.number"], "writes": ["all.share", "all.number"]}
            ]
        });
        let pipeline = resolve(&directory(), &file, &kernels(&[("copy.comp", copy)]));
        let pipeline = pipeline.unwrap_or_else(|problems| panic!("{problems}"));
        let mut sim = common::simulation::simulation(&gpu, pipeline, CHECKED);
        let mut seen = 0;
        for word in asks {
            advance(&mut sim, 1);
            seen |= word;
            let shares = read_floats(&mut sim, "all.share");
            let numbers = read_words(&mut sim, "all.number");
            for (place, cell) in cells(CELLS) {
                let wanted = if seen >> bit(cell) & 1 == 1 {
                    (2.5, 77)
                } else {
                    (0.0, 0)
                };
                assert_eq!((shares[place], numbers[place]), wanted, "{paging}, cell {cell:?}");
            }
        }
    }
}
