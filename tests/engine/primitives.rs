//! Scan, compaction and radix sort on a device against their CPU twins, at sizes on both sides of every boundary.

mod indices;
mod numbers;
mod scan;
mod sort;

use sastrugi::gpu::Gpu;
use sastrugi::run::Simulation;
use serde_json::Value;

use super::common::{self, simulation::*};
use super::reference;

/// Sizes on both sides of subgroups, workgroups and tiles, and a large one.
const SIZES: [u32; 9] = [1, 31, 33, 1023, 1025, 4096, 4097, 65_537, 1_000_000];

fn simulation(gpu: &Gpu, file: &Value) -> Simulation {
    common::simulation::simulation(gpu, pipeline(file, &[]), CHECKED)
}

/// Numbers that look random: the finalizer of MurmurHash3 over their index.
fn random(count: u32, seed: u32) -> Vec<u32> {
    let mix = |i: u32| {
        let mut h = i.wrapping_add(seed.wrapping_mul(0x9e37_79b9));
        h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
        h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
        h ^ h >> 16
    };
    (0..count).map(mix).collect()
}

#[track_caller]
fn assert_same(found: &[u32], expected: &[u32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    if let Some(i) = (0..found.len()).find(|i| found[*i] != expected[*i]) {
        panic!("{what}: element {i} is {}, not {}", found[i], expected[i]);
    }
}
