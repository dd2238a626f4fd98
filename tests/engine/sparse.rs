//! Sparse grids on a device, validation layer on: cells, blocks, updates, paging modes, budgets and faults.

mod addressing;
mod around;
mod budget;
mod faults;
mod near;
mod outputs;
mod paging;
mod probe;
mod rows;
mod snow;
mod updates;

use std::collections::BTreeMap;
use std::path::PathBuf;

use sastrugi::gpu::Gpu;
use sastrugi::ir::{Pipeline, SparseGrid};
use sastrugi::run::{Options, RunError, Simulation};
use sastrugi::spec::Document;
use serde_json::Value;

use super::common::{self, simulation::*};

fn directory() -> PathBuf {
    root().join("tests/data/sparse")
}

/// A pipeline of tests/data/sparse as JSON.
fn file(name: &str) -> Value {
    Document::read(&directory().join(name)).unwrap().value()
}

fn pipeline(file: &Value) -> Pipeline {
    pipeline_in(&directory(), file)
}

fn try_simulation(gpu: &Gpu, file: &Value, options: Options) -> Result<Simulation, RunError> {
    Simulation::new(gpu, pipeline(file), &Default::default(), options)
}

fn simulation(gpu: &Gpu, file: &Value, options: Options) -> Simulation {
    try_simulation(gpu, file, options).unwrap_or_else(|error| panic!("{error}"))
}

/// The sparse grid of a pipeline that has one.
fn sparse_grid(simulation: &Simulation) -> &SparseGrid {
    simulation.pipeline().sparse_grids().next().unwrap().1
}

fn active_blocks(simulation: &Simulation) -> u64 {
    simulation.pages()[0].active_blocks
}

/// The ways of paging that the device has.
fn pagings(gpu: &Gpu) -> Vec<&'static str> {
    let sparse = &gpu.report().sparse;
    let residency = sparse.binding && sparse.residency_buffer;
    let mut pagings = vec!["dense", "table"];
    pagings.extend(residency.then_some("sparse"));
    pagings
}

/// Cells of a domain with their place in a field, x fastest.
fn cells(size: [u64; 3]) -> impl Iterator<Item = (usize, [u32; 3])> {
    let [nx, ny, nz] = size.map(|n| n as u32);
    (0..nz)
        .flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
        .enumerate()
}

/// Exit code and output of a run of the program, without line breaks.
struct Ran {
    code: Option<i32>,
    text: String,
}

/// Runs a pipeline of tests/data/sparse with the program, validation layer on. Its frames by name; `None` where there
/// is no device.
fn program(name: &str, more: &[&str]) -> Option<(Ran, BTreeMap<String, Vec<u8>>)> {
    common::gpu()?;
    let out = tempfile::tempdir().unwrap();
    let output = common::start()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1")
        .args([
            "run",
            &format!("tests/data/sparse/{name}"),
            "--quiet",
            "--validation",
            "--out",
        ])
        .arg(out.path())
        .args(more)
        .output()
        .unwrap();
    let both = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    let files = std::fs::read_dir(out.path()).unwrap().map(Result::unwrap);
    let frames = files
        .map(|file| (file.file_name().into_string().unwrap(), file.path()))
        .filter(|(name, _)| name.ends_with(".npy"))
        .map(|(name, path)| (name, std::fs::read(path).unwrap()));
    let ran = Ran {
        code: output.status.code(),
        text: both.join(" ").split_whitespace().collect::<Vec<_>>().join(" "),
    };
    Some((ran, frames.collect()))
}
