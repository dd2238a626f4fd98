//! Simulations of small pipelines, and what their fields hold.

use std::path::Path;

use sastrugi::gpu::Gpu;
use sastrugi::inline_shaders::InlineShaders;
use sastrugi::ir::Pipeline;
use sastrugi::problem::Problems;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec::{self, Document};
use serde_json::Value;

use super::{floats, take_shaders, words};

/// Every access is checked. Races are not: their checks make kernels slow to compile.
pub const CHECKED: Options = Options {
    checked: true,
    races: false,
    ..Options::PLAIN
};

/// The directory of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Kernels with these bodies, by file name. A body may include the interface itself.
pub fn kernels(bodies: &[(&str, &str)]) -> InlineShaders {
    let mut texts = InlineShaders::default();
    for (name, body) in bodies {
        let include = if body.contains("\"stage.glsl\"") {
            ""
        } else {
            "#include \"stage.glsl\""
        };
        let text = format!("#version 460\n{include}\n{body}\n");
        texts.insert(name, text.into_bytes()).unwrap();
    }
    texts
}

/// The pipeline of a file in a directory.
pub fn resolve(directory: &Path, file: &Value, texts: &InlineShaders) -> Result<Pipeline, Problems> {
    let document = Document::parse("test.json", &file.to_string(), directory).unwrap();
    spec::from_document("test", &document, texts).map(|(pipeline, _)| pipeline)
}

/// The same, of a file without mistakes.
#[track_caller]
pub fn pipeline_in(directory: &Path, file: &Value) -> Pipeline {
    resolve(directory, file, &InlineShaders::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

/// A pipeline without mistakes, and the bodies of its kernels, by stage.
#[track_caller]
pub fn pipeline(file: &Value, bodies: &[(&str, &str)]) -> Pipeline {
    let files: Vec<String> = bodies.iter().map(|(stage, _)| format!("{stage}.comp")).collect();
    let bodies: Vec<(&str, &str)> = (files.iter().zip(bodies))
        .map(|(file, (_, body))| (file.as_str(), *body))
        .collect();
    resolve(Path::new(""), file, &kernels(&bodies)).unwrap_or_else(|problems| panic!("{problems}"))
}

#[track_caller]
pub fn simulation(gpu: &Gpu, pipeline: Pipeline, options: Options) -> Simulation {
    Simulation::new(gpu, pipeline, &Default::default(), options).unwrap_or_else(|error| panic!("{error}"))
}

/// A checked simulation of a file that uses shipped modules, and shaders of a folder of tests/data.
#[track_caller]
pub fn simulation_with_modules(gpu: &Gpu, file: &Value, folder: &str) -> Simulation {
    let mut file = file.clone();
    take_shaders(&root().join("tests/data").join(folder), &mut file);
    simulation(gpu, pipeline_in(&root().join("pipelines"), &file), CHECKED)
}

#[track_caller]
pub fn assert_no_fault(simulation: &mut Simulation) {
    simulation.finish().unwrap();
    let fault = simulation.fault().unwrap();
    assert!(fault.is_none(), "{}", fault.unwrap());
}

/// Runs steps, none of which may have a fault.
#[track_caller]
pub fn advance(simulation: &mut Simulation, steps: usize) {
    (0..steps).for_each(|_| simulation.step(false).unwrap());
    assert_no_fault(simulation);
}

pub fn read_words(simulation: &mut Simulation, field: &str) -> Vec<u32> {
    words(&simulation.read(field).unwrap())
}

pub fn read_floats(simulation: &mut Simulation, field: &str) -> Vec<f32> {
    floats(&simulation.read(field).unwrap())
}

/// The values of a field of floats.
pub fn read_doubles(simulation: &mut Simulation, field: &str) -> Vec<f64> {
    read_floats(simulation, field)
        .into_iter()
        .map(f64::from)
        .collect()
}

pub fn read_vectors(simulation: &mut Simulation, field: &str) -> Vec<[f32; 3]> {
    read_floats(simulation, field).as_chunks().0.to_vec()
}

pub fn write_floats(simulation: &mut Simulation, field: &str, values: &[f32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    simulation.write(field, &bytes).unwrap();
}
