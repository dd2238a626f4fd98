//! Random access: cells anywhere, there or not, against a model on the host.

use serde_json::{Value, json};

use super::*;

const PROBES: u32 = 4096;
const STEPS: u32 = 12;
/// One in so many probes asks for its block.
const ASK: u32 = 5;
const CELLS: [u64; 3] = [90, 50, 35];

fn probing(paging: &str, latency: u32) -> Value {
    json!({
        "run": {"dt": 1},
        "grids": {"g": {
            "cells": CELLS, "cell_size": 1,
            "sparse": {"paging": paging, "latency": latency, "keep": "always", "block": [16, 8, 4]},
            "channels": {"other": "vec2", "id": {"type": "uint", "background": 0}, "visits": "uint"}
        }},
        "buffers": {
            "found": {"type": "uint", "length": PROBES},
            "counts": {"type": "uint", "length": CELLS.iter().product::<u64>(), "background": 0}
        },
        "step": [
            {"update_grid": "g"},
            {"stage": "number", "over": "g", "writes": ["g.id", "g.visits", "counts"]},
            {"stage": "probe", "over": PROBES, "reads": ["g.id"], "writes": ["found"], "requests": ["g"],
                "constants": {"ASK": ASK}}
        ]
    })
}

/// The hash of probe.comp.
fn hash(v: u32) -> u32 {
    let v = v.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let v = ((v >> ((v >> 28) + 4)) ^ v).wrapping_mul(277_803_737);
    v >> 22 ^ v
}

fn probe(step: u32, i: u32) -> [i64; 3] {
    let largest = CELLS.into_iter().max().unwrap() as u32;
    std::array::from_fn(|axis| {
        let random = hash(3 * (i + PROBES * step) + axis as u32) % (2 * largest);
        i64::from(random) - i64::from(largest / 2)
    })
}

/// Its place in the grid, and its block.
fn inside(cell: [i64; 3]) -> Option<(u32, [i64; 3])> {
    let within = (0..3).all(|axis| (0..CELLS[axis] as i64).contains(&cell[axis]));
    let [nx, ny, _] = CELLS.map(|n| n as i64);
    let place = (cell[2] * ny + cell[1]) * nx + cell[0];
    within.then_some((place as u32, [cell[0] >> 4, cell[1] >> 3, cell[2] >> 2]))
}

#[derive(Default)]
struct Model {
    active: std::collections::BTreeSet<[i64; 3]>,
    /// Requests of each step.
    asked: Vec<Vec<[i64; 3]>>,
}

impl Model {
    /// What a step finds; the update stands before the probes, so that requests come a step later at the earliest.
    fn step(&mut self, latency: u32) -> Vec<u32> {
        let step = self.asked.len() as u32;
        if let Some(due) = step.checked_sub(latency + 1) {
            self.active.extend(&self.asked[due as usize]);
        }
        let probes: Vec<Option<(u32, [i64; 3])>> = (0..PROBES).map(|i| inside(probe(step, i))).collect();
        let asked = probes
            .iter()
            .step_by(ASK as usize)
            .flatten()
            .map(|(_, block)| *block);
        self.asked.push(asked.collect());
        let found = |(i, probe): (usize, &Option<(u32, [i64; 3])>)| match probe {
            None => 0x2000_0000,
            Some((place, block)) if self.active.contains(block) => 0x8000_0000 | (place + 1),
            Some(_) => 0x4000_0000 + i as u32,
        };
        probes.iter().enumerate().map(found).collect()
    }
}

#[test]
fn random_cell_lookups_match_the_model() {
    let Some(gpu) = common::gpu() else { return };
    for (paging, latency) in pagings(&gpu).into_iter().zip([0, 1, 2]) {
        let mut sim = simulation(&gpu, &probing(paging, latency), CHECKED);
        let mut model = Model::default();
        let mut kinds = [0; 3];
        let mut before = Vec::new();
        for step in 0..STEPS {
            sim.step(false).unwrap();
            let found = read_words(&mut sim, "found");
            let expected = model.step(latency);
            let off = (0..PROBES as usize).find(|i| found[*i] != expected[*i]);
            if let Some(i) = off {
                let cell = probe(step, i as u32);
                panic!(
                    "{paging}, step {step}: {cell:?} is {:x}, not {:x}",
                    found[i], expected[i]
                );
            }
            for value in &found {
                kinds[(value >> 29).trailing_zeros() as usize] += 1;
            }
            // Control: other cells are found in every step.
            assert_ne!(found, before);
            before = found;
        }
        assert_no_fault(&mut sim);
        assert_eq!(active_blocks(&sim), model.active.len() as u64);
        let [outside, missed, hit] = kinds;
        assert!(outside > 1000 && missed > 500 && hit > 100, "{paging}: {kinds:?}");
    }
}
