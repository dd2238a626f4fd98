//! The pipelines of docs/examples.md against closed forms and published values, each with a control that fails.

mod gray_scott;
mod ising;
mod nbody;
mod shallow_water;
mod sph;

use sastrugi::gpu::Gpu;
use sastrugi::run::{Options, Simulation};
use serde_json::{Value, json};

use super::common::{self, simulation::*};
use super::physics;

/// A shipped pipeline with these changes, as a JSON merge patch, and without pictures and files.
fn shipped(gpu: &Gpu, name: &str, mut changes: Value, options: Options) -> Simulation {
    changes["extends"] = json!(format!("pipelines/{name}.json"));
    changes["frame"] = json!([]);
    changes["outputs"] = Value::Null;
    changes["use"]["draw"] = Value::Null;
    changes["grids"]["view"] = Value::Null;
    simulation(gpu, pipeline_in(root(), &changes), options)
}

fn write_vectors(simulation: &mut Simulation, field: &str, vectors: &[[f64; 3]]) {
    let numbers: Vec<f32> = vectors.iter().flatten().map(|x| *x as f32).collect();
    write_floats(simulation, field, &numbers);
}

fn vectors(simulation: &mut Simulation, field: &str) -> Vec<[f64; 3]> {
    let values = read_vectors(simulation, field);
    values.into_iter().map(|v| v.map(f64::from)).collect()
}
