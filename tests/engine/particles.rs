//! Particle sets that grow and shrink, on a device with the validation layer on, against a model on the CPU.

mod emission;
mod jet;
mod model;
mod removal;
mod sources;

use std::path::PathBuf;

use sastrugi::gpu::Gpu;
use sastrugi::ir::Pipeline;
use sastrugi::particles::live;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec::Document;
use serde_json::Value;

use super::common::{self, simulation::*};
use super::reference;

fn directory() -> PathBuf {
    root().join("tests/data/particles")
}

/// A pipeline of tests/data/particles as JSON.
fn file(name: &str) -> Value {
    Document::read(&directory().join(name)).unwrap().value()
}

fn pipeline(file: &Value) -> Pipeline {
    pipeline_in(&directory(), file)
}

fn simulation(gpu: &Gpu, file: &Value, options: Options) -> Simulation {
    common::simulation::simulation(gpu, pipeline(file), options)
}

/// Numbers of live particles and of refused births, from an intact buffer.
fn population(simulation: &mut Simulation) -> (u32, u32) {
    let words = read_words(simulation, "sparks_live");
    let (count, refused) = (words[live::COUNT], words[live::REFUSED]);
    assert_eq!(words, live::words(count, refused, 0), "the group counts");
    (count, refused)
}
