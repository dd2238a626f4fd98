//! Lattices on a device, validation layer on: axes, sides of cells, where values lie, borders, and what channels start
//! from; each against its twin.

mod arrays;
mod borders;
mod boxes;
mod joined;
mod levels;
mod locations;
mod mixed;
mod periodic;
mod planes;
mod starts;
mod twin;

use std::path::Path;

use sastrugi::gpu::Gpu;
use sastrugi::ir::Pipeline;
use sastrugi::run::fault::Fault;
use sastrugi::run::{Options, RunError, Simulation};
use sastrugi::spec::{self, Document};
use serde_json::{Value, json};

use super::common::{self, simulation::*};
use super::docs::markdown::{blocks, page};
use twin::Field;

/// Sizes of 3-D grids: one cell, a thin one, and an odd one that is larger than a workgroup. Kernels are compiled for each.
const SIZES: [[u64; 3]; 3] = [[1, 1, 1], [3, 1, 2], [65, 9, 5]];

/// A pipeline whose kernels are the texts beside it.
fn resolve(file: &Value, bodies: &[(&str, &str)]) -> Result<Pipeline, String> {
    common::simulation::resolve(Path::new(""), file, &kernels(bodies))
        .map_err(|problems| problems.to_string())
}

fn try_simulation(
    gpu: &Gpu,
    file: &Value,
    kernels: &[(&str, &str)],
    options: Options,
) -> Result<Simulation, RunError> {
    let pipeline = resolve(file, kernels).unwrap_or_else(|problems| panic!("{problems}"));
    Simulation::new(gpu, pipeline, &Default::default(), options)
}

fn simulation(gpu: &Gpu, file: &Value, kernels: &[(&str, &str)], options: Options) -> Simulation {
    try_simulation(gpu, file, kernels, options).unwrap_or_else(|error| panic!("{error}"))
}

/// The first fault of all steps so far.
fn fault(simulation: &mut Simulation) -> Option<Fault> {
    simulation.finish().unwrap();
    simulation.fault().unwrap()
}

/// Floats that look random, none of them 0.
fn random(count: usize, seed: u32) -> Vec<f32> {
    let mix = |i: u32| {
        let mut h = i.wrapping_add(seed.wrapping_mul(0x9e37_79b9));
        h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
        h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
        (h >> 8) as f32 / 16_777_216.0 + 0.25
    };
    (0..count as u32).map(mix).collect()
}

/// Fills a field with numbers that look random, and gives its twin.
fn fill_random(simulation: &mut Simulation, name: &str, size: [u64; 3], components: usize) -> Field {
    let count = size.iter().product::<u64>() as usize;
    let values = random(count * components, 3);
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    simulation.write(name, &bytes).unwrap();
    Field {
        size,
        components,
        values,
        ends: [false; 3],
    }
}

#[track_caller]
fn assert_same(found: &[f32], wanted: &[f32], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert!(
            found.to_bits() == wanted.to_bits(),
            "{what}: element {i} is {found}, not {wanted}"
        );
    }
}

/// Within a few roundings.
fn are_close(found: &[f32], wanted: &[f32]) -> bool {
    let close = |(found, wanted): (&f32, &f32)| (found - wanted).abs() <= 4e-6 * wanted.abs().max(1.0);
    found.len() == wanted.len() && found.iter().zip(wanted).all(close)
}

#[test]
fn control_comparisons_detect_differences() {
    let equal = || assert_same(&[1.0, 2.0], &[1.0, 2.0], "control");
    equal();
    assert!(std::panic::catch_unwind(|| assert_same(&[1.0, 2.0], &[1.0, 2.000_000_2], "control")).is_err());
    assert!(std::panic::catch_unwind(|| assert_same(&[0.0], &[-0.0], "control")).is_err());
    assert!(are_close(&[1.0, 2.0], &[1.0, 2.000_001]));
    assert!(!are_close(&[1.0, 2.0], &[1.0, 2.000_1]));
    assert!(!are_close(&[f32::NAN], &[1.0]) && !are_close(&[1.0], &[1.0, 1.0]));
}

/// The pipeline and the kernel of `docs/spec.md`, as they stand there.
#[test]
fn page_example_advects_smoke() {
    let Some(gpu) = common::gpu() else { return };
    let blocks = blocks(&page("spec.md"));
    let kernel = blocks.iter().position(|block| block.language == "glsl").unwrap();
    let text = &blocks[kernel - 1].text;
    let document = Document::parse("page.json", text, Path::new("")).unwrap();
    let mut file = document.value();
    file["run"] = json!({"dt": 1});
    let settle = "void stage(ivec3 i) { set_air_smoke(i, air_next(i)); }";
    let kernels = [("carry.comp", &*blocks[kernel].text), ("settle.comp", settle)];
    let mut sim = simulation(&gpu, &file, &kernels, CHECKED);
    let size = [32, 24, 16];
    let before = Field {
        size,
        components: 1,
        values: read_floats(&mut sim, "air.smoke"),
        ends: [false; 3],
    };
    sim.step(false).unwrap();
    assert_no_fault(&mut sim);
    // The wind blows along x, a cell a step; nothing flows in.
    let mut wanted = Vec::new();
    for z in 0..16 {
        for y in 0..24 {
            wanted.extend((0..32).map(|x| before.read([x - 1, y, z], twin::Border::Background(0.0))[0]));
        }
    }
    let found = read_floats(&mut sim, "air.smoke");
    assert!(are_close(&found, &wanted));
    assert!(!are_close(&found, &before.values), "control: it has moved");
}
