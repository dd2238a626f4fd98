//! The material point method on a device, validation layer on: its building blocks against their twins, what its
//! transfers keep.

mod colliders;
mod fountain;
mod library;
mod materials;
mod peaks;
mod release;
mod steps;
mod transfer;

use sastrugi::gpu::Gpu;
use sastrugi::run::Simulation;
use sastrugi::spec::Document;
use serde_json::Value;

use super::common::{self, simulation::*};
use super::reference;

/// Starts a pipeline whose shaders are in tests/data/mpm or those of the program.
fn simulation(gpu: &Gpu, file: &Value) -> Simulation {
    simulation_with_modules(gpu, file, "mpm")
}

/// Numbers in [-1, 1) that look like nothing in particular.
fn scattered(count: usize, purpose: u32) -> Vec<f32> {
    let draw = |i: u32| reference::random::random4(i, 0, purpose, 5)[0];
    (0..count as u32).map(|i| 2.0 * draw(i) - 1.0).collect()
}
