//! Particles in cells on a sparse grid, on a device, validation layer on and every access checked: what transfers keep,
//! how gas and dust move, and that the blocks are there in time.

mod forces;
mod gas;
mod paging;
mod pipelines;
mod transfer;

use std::path::Path;

use sastrugi::gpu::Gpu;
use sastrugi::run::Simulation;
use sastrugi::spec::Document;
use serde_json::{Value, json};

use super::common::{self, simulation::*};
use super::reference;

const CELLS: usize = 24;
/// Whole numbers of it are exact, and so are their products with steps.
const DX: f32 = 0.0625;
const UNITS: u32 = 262_144;
const QUANTA: f32 = 16.0;

fn simulation(gpu: &Gpu, file: &Value) -> Simulation {
    simulation_with_modules(gpu, file, "pic")
}

/// Numbers in [-1, 1) that look like nothing in particular.
fn scattered(count: usize, purpose: u32) -> Vec<f32> {
    let draw = |i: u32| reference::random::random4(i, 0, purpose, 5)[0];
    (0..count as u32).map(|i| 2.0 * draw(i) - 1.0).collect()
}

/// Particles to start with.
#[derive(Clone)]
struct Start {
    places: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    heats: Vec<f32>,
    /// Columns of the affine velocity of all.
    affine: [[f32; 3]; 3],
}

impl Start {
    /// At rest and cold.
    fn still(places: Vec<[f32; 3]>) -> Start {
        let count = places.len();
        Start {
            places,
            velocities: vec![[0.0; 3]; count],
            heats: vec![0.0; count],
            affine: [[0.0; 3]; 3],
        }
    }

    /// Velocities a + b (x - middle of the grid), and that affine velocity; `b` in columns.
    fn moving(mut self, a: [f32; 3], b: [[f32; 3]; 3]) -> Start {
        let middle = 0.5 * CELLS as f32 * DX;
        let at = |x: &[f32; 3]| -> [f32; 3] {
            std::array::from_fn(|row| a[row] + (0..3).map(|k| b[k][row] * (x[k] - middle)).sum::<f32>())
        };
        self.velocities = self.places.iter().map(at).collect();
        self.affine = b;
        self
    }

    fn hot(mut self, heat: impl Fn([f32; 3]) -> f32) -> Start {
        self.heats = self.places.iter().map(|x| heat(*x)).collect();
        self
    }
}

/// `side` particles along each axis about the middle of the grid, 8 a cell, moved by up to `jitter` of half their
/// distance. Without jitter every cell looks the same.
fn cube(side: usize, jitter: f32) -> Vec<[f32; 3]> {
    let noise = scattered(3 * side.pow(3), 11);
    let middle = 0.5 * CELLS as f32 * DX;
    (0..side.pow(3))
        .map(|i| {
            let at = [i % side, i / side % side, i / side / side];
            std::array::from_fn(|axis| {
                let from = at[axis] as f32 + 0.5 - 0.5 * side as f32 + 0.5 * jitter * noise[3 * i + axis];
                middle + 0.5 * DX * from
            })
        })
        .collect()
}

/// The stages of pic_explosion.json, without pictures, files, gravity, drag and solids, on a small grid, with particles
/// as given.
fn gas(start: &Start) -> Value {
    let mut file = Document::read(&root().join("pipelines/pic_explosion.json"))
        .unwrap()
        .value();
    for key in ["frame", "outputs", "use"] {
        file.as_object_mut().unwrap().remove(key);
    }
    // Tests know particles by their indices.
    let steps = file["step"].as_array_mut().unwrap();
    steps.retain(|entry| entry != "sort_matter");
    file["run"] = json!({"dt": "1/1024", "frames": 1, "seed": 1});
    let parameters = &mut file["parameters"];
    parameters["gravity"] = json!([0, 0, 0]);
    parameters["debris"] = json!({"particles_per_cell": 4000, "stopping": 1e30});
    parameters["gas"] = json!({"sound": 0, "cooling": 1e30});
    parameters["transfer"] = json!({"units": UNITS, "quanta": QUANTA, "limit": 12, "flip": 0, "apic": 0});
    let grid = &mut file["grids"]["nodes"];
    grid["cells"] = json!([CELLS, CELLS, CELLS]);
    grid["cell_size"] = json!(DX);
    grid["sparse"] = json!({"block": [8, 8, 8], "keep": 1});
    let count = start.places.len();
    let matter = &mut file["particles"]["matter"];
    matter.as_object_mut().unwrap().remove("from");
    matter["count"] = json!(count);
    file["buffers"]["places"] = json!({"type": "vec3", "values": start.places});
    file["buffers"]["speeds"] = json!({"type": "vec3", "values": start.velocities});
    file["buffers"]["heats"] = json!({"type": "float", "values": start.heats});
    file["buffers"]["colliders"] = json!({"type": "vec4", "length": 3, "background": 0});
    let turn = start.affine.as_flattened();
    let place = json!({
        "stage": "place", "over": "matter", "reads": ["places", "speeds", "heats"],
        "writes": ["matter.position", "matter.velocity", "matter.heat", "matter.release",
                   "matter.affine"],
        "arguments": {"turn": format!("mat3({turn:?})"), "release": 0},
    });
    file["init"] = json!([place, "request_nodes", {"update_grid": "nodes"}]);
    file
}

/// The stage of that name: as `stages` defines it, alone or first in a group, or in a list.
fn stage<'a>(file: &'a mut Value, list: &str, name: &str) -> &'a mut Value {
    let defined = &file["stages"][name];
    let path = match (defined.is_object(), defined.is_array()) {
        (true, _) => format!("/stages/{name}"),
        (_, true) => format!("/stages/{name}/0"),
        _ => {
            let entries = file[list].as_array().unwrap();
            let place = entries.iter().position(|entry| entry["stage"] == name);
            let place = place.unwrap_or_else(|| panic!("no stage {name} in {list}"));
            format!("/{list}/{place}")
        }
    };
    file.pointer_mut(&path).unwrap()
}
