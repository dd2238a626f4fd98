//! Particle sets that grow and shrink, on a device with the validation layer on, against a model on the CPU.

mod emission;
mod model;
mod removal;
mod sources;

use std::path::{Path, PathBuf};

use sastrugi::gpu::Gpu;
use sastrugi::ir::Pipeline;
use sastrugi::particles::live;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec::{self, Document};
use serde_json::Value;

use super::common;
use super::reference;

const CHECKED: Options = Options {
    checked: true,
    races: false,
    ..Options::PLAIN
};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/particles")
}

/// A pipeline of tests/data/particles as JSON.
fn file(name: &str) -> Value {
    Document::read(&directory().join(name)).unwrap().value()
}

fn pipeline(file: &Value) -> Pipeline {
    let document = Document::parse("particles.json", &file.to_string(), &directory()).unwrap();
    let resolved = spec::from_document("particles", &document, &Default::default());
    resolved.unwrap_or_else(|problems| panic!("{problems}")).0
}

fn simulation(gpu: &Gpu, file: &Value, options: Options) -> Simulation {
    Simulation::new(gpu, pipeline(file), &Default::default(), options)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn read(simulation: &mut Simulation, field: &str) -> Vec<u32> {
    common::words(&simulation.read(field).unwrap())
}

/// How many particles live, how many births were refused; the buffer is whole.
fn population(simulation: &mut Simulation) -> (u32, u32) {
    let words = read(simulation, "sparks_live");
    let (count, refused) = (words[live::COUNT], words[live::REFUSED]);
    assert_eq!(words, live::words(count, refused, 0), "the group counts");
    (count, refused)
}

#[track_caller]
fn assert_no_fault(simulation: &Simulation) {
    let fault = simulation.fault().unwrap();
    assert!(fault.is_none(), "{}", fault.unwrap());
}
