//! Repeats with `while`, and what goes with them: swaps, copies, counted turns.

use std::path::Path;

use sastrugi::gpu::{Gpu, OpenOptions};
use sastrugi::inline_shaders::InlineShaders;
use sastrugi::ir::Pipeline;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec::{self, Document};
use serde_json::Value;

use super::common::{self, TestGpu};

mod clock;
mod copies;
mod endings;
mod groups;
mod nested;
mod parts;
mod swaps;
mod turns;
mod unfinished;

/// A device that skips no commands under a condition.
pub(super) fn without_conditions() -> Option<TestGpu> {
    let options = OpenOptions {
        without_conditions: true,
        ..OpenOptions::default()
    };
    let gpu = common::gpu_with(options)?;
    assert!(!gpu.is_conditional());
    Some(gpu)
}

/// A pipeline of a file and the bodies of its kernels, by the names of their stages.
pub(super) fn pipeline(file: &Value, kernels: &[(&str, &str)]) -> Pipeline {
    let document = Document::parse("loops.json", &file.to_string(), Path::new("")).unwrap();
    let mut texts = InlineShaders::default();
    for (name, body) in kernels {
        let text = format!("#version 460\n#include \"stage.glsl\"\n{body}\n");
        texts.insert(&format!("{name}.comp"), text.into_bytes()).unwrap();
    }
    let resolved = spec::from_document("loops", &document, &texts);
    resolved.unwrap_or_else(|problems| panic!("{problems}")).0
}

pub(super) fn simulation(gpu: &Gpu, pipeline: Pipeline, options: Options) -> Simulation {
    Simulation::new(gpu, pipeline, &Default::default(), options).unwrap_or_else(|error| panic!("{error}"))
}

/// The ways to run that must not differ in a bit.
pub(super) fn all_options() -> [Options; 3] {
    let plain = Options::default();
    [
        plain,
        Options {
            checked: true,
            races: false,
            ..plain
        },
        Options {
            full_barriers: true,
            ..plain
        },
    ]
}

fn uints(sim: &mut Simulation, field: &str) -> Vec<u32> {
    common::words(&sim.read(field).unwrap())
}

fn floats(sim: &mut Simulation, field: &str) -> Vec<f32> {
    uints(sim, field).into_iter().map(f32::from_bits).collect()
}

/// The values of a field of floats.
pub(super) fn doubles(sim: &mut Simulation, field: &str) -> Vec<f64> {
    floats(sim, field).into_iter().map(f64::from).collect()
}
