//! The material point method on a device, validation layer on: its building blocks against their twins, what its
//! transfers keep.

mod colliders;
mod fountain;
mod library;
mod materials;
mod transfer;

use std::path::{Path, PathBuf};

use sastrugi::gpu::Gpu;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec::{self, Document};
use serde_json::Value;

use super::common;
use super::reference;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).into()
}

/// Starts a pipeline whose shaders are in tests/data/mpm or those of the program.
fn simulation(gpu: &Gpu, file: &Value) -> Simulation {
    let mut file = file.clone();
    common::take_shaders(&root().join("tests/data/mpm"), &mut file);
    let document = Document::parse("mpm.json", &file.to_string(), &root().join("pipelines")).unwrap();
    let (pipeline, _) = spec::from_document("mpm", &document, &Default::default())
        .unwrap_or_else(|problems| panic!("{problems}"));
    let options = Options {
        checked: true,
        races: false,
        ..Options::default()
    };
    Simulation::new(gpu, pipeline, &Default::default(), options).unwrap_or_else(|error| panic!("{error}"))
}

fn write(sim: &mut Simulation, field: &str, values: &[f32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    sim.write(field, &bytes).unwrap();
}

fn whole(sim: &mut Simulation, field: &str) -> Vec<u32> {
    common::words(&sim.read(field).unwrap())
}

fn floats(sim: &mut Simulation, field: &str) -> Vec<f32> {
    whole(sim, field).into_iter().map(f32::from_bits).collect()
}

fn vectors(sim: &mut Simulation, field: &str) -> Vec<[f32; 3]> {
    let values = floats(sim, field);
    values.chunks_exact(3).map(|v| [v[0], v[1], v[2]]).collect()
}

/// Numbers in [-1, 1) that look like nothing in particular.
fn scattered(count: usize, purpose: u32) -> Vec<f32> {
    let draw = |i: u32| reference::random::random4(i, 0, purpose, 5)[0];
    (0..count as u32).map(|i| 2.0 * draw(i) - 1.0).collect()
}
