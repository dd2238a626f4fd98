//! The pressure solver on a device, validation layer on: its matrix, its solutions, how many iterations they take, and its
//! regions, each against a twin in 64-bit floats.

mod cut_cells;
mod operator;
mod pairs;
mod projection;
mod regions;
mod solutions;
mod sparse;
mod twin;

use std::path::Path;

use sastrugi::gpu::Gpu;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec;
use serde_json::{Value, json};

use super::common::{self, simulation::*};
use twin::{Mask, Side};

/// Contents of the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fill {
    Fluid,
    Air,
    Solid,
    /// Fluid below a wavy surface.
    Pool,
    /// A random 30 % of solid.
    Rubble,
    /// Fluid, air and solid at random, with pockets and single cells.
    Foam,
}

/// A case of the solver: a grid of two or three axes, its sides and what fills it.
#[derive(Debug, Clone)]
struct Case {
    cells: Vec<u64>,
    low: [Side; 3],
    high: [Side; 3],
    fill: Fill,
    /// Parameters of the solver.
    parameters: Value,
    options: Options,
}

impl Case {
    fn new(cells: &[u64], fill: Fill) -> Case {
        Case {
            cells: cells.to_vec(),
            low: [Side::Closed; 3],
            high: [Side::Closed; 3],
            fill,
            parameters: json!({}),
            options: Options::PLAIN,
        }
    }

    fn sides(self, low: [Side; 3], high: [Side; 3]) -> Case {
        Case { low, high, ..self }
    }

    /// With every access checked: the kernels take ten times as long to compile, for every size.
    fn checked(self) -> Case {
        Case {
            options: CHECKED,
            ..self
        }
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Case {
        self.parameters[key] = value.into();
        self
    }

    /// A simulation whose steps are `step`, on a grid `air` with random `b`.
    fn simulation(&self, gpu: &Gpu, step: Value, kernels: &[(&str, &str)]) -> Simulation {
        self.simulation_of(gpu, &self.file(step), kernels)
    }

    fn file(&self, step: Value) -> Value {
        let mut parameters = self.parameters.clone();
        parameters["sides"] =
            json!({"low": self.low.map(|side| side as u32), "high": self.high.map(|side| side as u32)});
        let mut init = vec![
            json!({"stage": "fill_cells", "over": "air", "writes": ["air.cell_type"],
                   "arguments": {"fill": format!("int({})", self.fill as u32)}}),
            json!({"stage": "noise", "over": "air", "writes": ["air.b"]}),
        ];
        init.push(json!("solver.mask"));
        json!({
            "run": {"dt": 1, "frames": 1, "seed": 3},
            "use": {"solver": {"module": "modules/pressure_solver.json", "roles": {"grid": "air"},
                "parameters": parameters}},
            "grids": {"air": {"cells": self.cells, "cell_size": 1, "levels": "all", "channels": {
                "b": {"type": "float", "background": 0}, "p": {"type": "float", "background": 0},
                "cell_type": "uint"}}},
            "init": init, "step": step
        })
    }

    fn simulation_of(&self, gpu: &Gpu, file: &Value, bodies: &[(&str, &str)]) -> Simulation {
        let axes = self.cells.len();
        let cell = if axes == 2 { "ivec3(index, 0)" } else { "index" };
        let common = format!(
            "#define INDEX ivec{axes}\n#define CELL {cell}\n\
             #include \"lib/random.glsl\"\n#include \"pressure/lattice.glsl\"\n"
        );
        let own = [("fill_cells.comp", FILL_CELLS), ("noise.comp", NOISE)];
        let bodies: Vec<(&str, String)> = (own.iter().chain(bodies))
            .map(|(name, body)| (*name, format!("{common}{body}")))
            .collect();
        let bodies: Vec<(&str, &str)> = bodies.iter().map(|(name, body)| (*name, body.as_str())).collect();
        let pipeline =
            resolve(Path::new(""), file, &kernels(&bodies)).unwrap_or_else(|problems| panic!("{problems}"));
        simulation(gpu, pipeline, self.options)
    }

    /// The mask, from the cells that the device has filled.
    fn mask(&self, simulation: &mut Simulation) -> Mask {
        let mut size = [1; 3];
        size[..self.cells.len()].copy_from_slice(&self.cells);
        Mask {
            size: size.map(|n| n as usize),
            types: read_words(simulation, "air.cell_type"),
            low: self.low,
            high: self.high,
        }
    }
}

const FILL_CELLS: &str = "
void stage(INDEX index) {
    ivec3 c = CELL, size = space_size(air_cells);
    float chance = random4(uint(c.x + size.x * (c.y + size.y * c.z)), 0u, 1u, clock.seed).x;
    uint type = uint(min(arg.fill, 2));
    if (arg.fill == 3) type = float(c.y) > 0.5 * float(size.y) + 1.5 * sin(1.3 * float(c.x) + 0.7 * float(c.z)) ? 1u : 0u;
    if (arg.fill == 4) type = chance < 0.3 ? 2u : 0u;
    if (arg.fill == 5) type = chance < 0.4 ? 2u : chance < 0.5 ? 1u : 0u;
    set_air_cell_type(index, type);
}";

const NOISE: &str = "
void stage(INDEX index) {
    ivec3 c = CELL, size = space_size(air_cells);
    set_air_b(index, random4(uint(c.x + size.x * (c.y + size.y * c.z)), 0u, 2u, clock.seed).x - 0.4);
}";

/// The root of the mean square.
fn norm(values: &[f64]) -> f64 {
    (values.iter().map(|v| v * v).sum::<f64>() / values.len().max(1) as f64).sqrt()
}
