//! Each stage by itself on the device against its CPU twin, from the same state.

use sastrugi::gpu::Gpu;

use super::super::reference::*;
use super::Row;
use super::checks::{largest, largest_difference, mismatches};
use super::cover::rule;
use super::scene::{Scene, State, hills, layers};

const EPSILON: f64 = f32::EPSILON as f64;
const ROUNDED: &str =
    "4 ε: the same operations in the same order; equal if division and square root are correctly rounded";
const COUNTS: &str = "counts are exact";
const EXACT_SUM: &str =
    "4 ε: the sum of 64-bit floats, rounded; sums on the device carry their rounding errors along";
const SINES: &str =
    "32 ε: besides rounding, sin and cos may have an error of 2^-11, on a circular motion of 0.07 m per step";

/// Largest difference over all fields, each relative to its largest value; infinite where whole numbers
/// differ.
pub fn difference(a: &State, b: &State) -> f64 {
    let flat = |vectors: &[[f32; 3]]| vectors.as_flattened().to_vec();
    let floats = |s: &State| {
        [
            s.air.u.clone(),
            s.air.v.clone(),
            s.air.w.clone(),
            s.air.u_star.clone(),
            s.air.v_star.clone(),
            s.air.w_star.clone(),
            s.air.pressure.clone(),
            s.air.solution.clone(),
            flat(&s.flakes.position),
            flat(&s.flakes.velocity),
            s.flakes.phase.clone(),
            s.flakes.v_max.clone(),
            s.wind.to_vec(),
            vec![s.total_pressure],
        ]
    };
    let counts = |s: &State| {
        [
            s.air.solid.clone(),
            s.air.faces.clone(),
            s.air.open.clone(),
            s.ground.snow.clone(),
            s.ground.snow_next.clone(),
            s.ground.fresh.clone(),
            s.counters.to_vec(),
            s.boundary_faces.to_vec(),
            vec![s.fluid_cells],
            s.air.blocks.clone(),
            s.flakes.id.clone(),
            s.flakes.block.clone(),
        ]
    };
    if counts(a)
        .iter()
        .zip(&counts(b))
        .any(|(a, b)| mismatches(a, b) > 0)
    {
        return f64::INFINITY;
    }
    let relative =
        |(a, b): (&Vec<f32>, &Vec<f32>)| largest_difference(a, b) / largest(b).max(f64::MIN_POSITIVE);
    floats(a).iter().zip(&floats(b)).map(relative).fold(0.0, f64::max)
}

struct Comparison {
    scene: Scene,
    state: State,
    rows: Vec<Row>,
    prefix: &'static str,
}

impl Comparison {
    /// Runs a stage on the device, and its twin on what the device had before.
    fn stage(&mut self, name: &str, bound: f64, why: &'static str, twin: impl FnOnce(&mut State)) {
        self.compare(name, bound, why, |scene| scene.alone(name), twin);
    }

    /// Runs something on the device, and its twin on what the device had before.
    fn compare(
        &mut self,
        name: &str,
        bound: f64,
        why: &'static str,
        run: impl FnOnce(&mut Scene),
        twin: impl FnOnce(&mut State),
    ) {
        let mut expected = self.state.clone();
        twin(&mut expected);
        run(&mut self.scene);
        self.state = self.scene.state();
        let what = format!("{}{name}: largest difference in any field", self.prefix);
        self.rows
            .push(Row::new(what, difference(&self.state, &expected), bound, why));
    }

    fn rounded(&mut self, name: &str, twin: impl FnOnce(&mut State)) {
        self.stage(name, 4.0 * EPSILON, ROUNDED, twin);
    }
}

pub fn stages(gpu: &Gpu) -> Vec<Row> {
    let mut rows = compare(Scene::new(gpu, hills()), "");
    rows.extend(stages_in_layers(gpu));
    rows.extend(first_wind(gpu));
    rows.extend(first_flakes(gpu));
    rows
}

/// The stages of `step` in air that is not active everywhere, alone.
pub fn stages_in_layers(gpu: &Gpu) -> Vec<Row> {
    compare(Scene::new(gpu, layers()), "air in layers, ")
}

fn compare(mut scene: Scene, prefix: &'static str) -> Vec<Row> {
    scene.steps(9);
    let winds: Vec<[f32; 3]> = scene.vectors("winds");
    let float = |name: &str| scene.parameter(name) as f32;
    let (unit, period) = (float("snow_unit"), float("wind.period"));
    let (gravity, cap) = (float("flakes.gravity"), float("flakes.circle_cap"));
    let units = scene.parameter("flakes.units") as u32;
    let rule = rule(&scene);
    let omegas = scene.numbers("wind.omegas");
    let sort_block = scene.numbers("flakes.sort_block");
    let sort_block = std::array::from_fn(|axis| sort_block[axis] as usize);
    let drift = scene.parameter("flakes.drift") as usize;
    let state = scene.state();
    let mut c = Comparison {
        scene,
        state,
        rows: Vec::new(),
        prefix,
    };

    c.rounded("drift_wind", |s| {
        s.wind = drift_wind::drift_wind(&winds, period, &s.clock)
    });
    c.rounded("build_obstacles", |s| {
        build_obstacles::build_obstacles(&mut s.air, &s.ground, unit)
    });
    // Some cells as a new block has them.
    let fresh = |(i, bits): (usize, &u32)| if i % 7 == 0 { faces::FRESH } else { *bits };
    let bits: Vec<u32> = c.state.air.faces.iter().enumerate().map(fresh).collect();
    c.scene.write_halves("air.faces", bits);
    let columns = c.state.air.solid.len();
    c.scene.sim.write("columns.stale", &vec![1; columns]).unwrap();
    c.state = c.scene.state();
    c.rounded("build_faces", |s| build_faces::build_faces(&mut s.air, s.wind));
    let run = |scene: &mut Scene| {
        scene.alone("count_faces");
        scene.reduce_alone("boundary_faces");
        scene.reduce_alone("fluid_cells");
    };
    c.compare("count_faces", 0.0, COUNTS, run, |s| {
        (s.boundary_faces, s.fluid_cells) = count_faces::count_faces(&s.air)
    });
    let run = |scene: &mut Scene| scene.reduce_alone("total_pressure");
    c.compare("total_pressure", 4.0 * EPSILON, EXACT_SUM, run, |s| {
        let pressure = |cell| f64::from(s.air.pressure[s.air.index(cell)]);
        s.total_pressure = s.air.active_cells().into_iter().map(pressure).sum::<f64>() as f32;
    });
    c.rounded("center_pressure", |s| {
        let mean = s.total_pressure / s.fluid_cells.max(1) as f32;
        center_pressure::center_pressure(&mut s.air, mean);
    });
    c.rounded("advect", |s| {
        advect::advect(&mut s.air, s.wind, s.boundary_faces, s.clock.dt)
    });
    c.rounded("build_solution", |s| {
        build_solution::build_solution(&mut s.air, s.clock.dt, true);
    });
    c.rounded("sor", |s| {
        let b = s.air.solution.clone();
        let mut p = s.air.pressure.clone();
        for omega in &omegas {
            (0..2).for_each(|color| sor::sor(&s.air, &mut p, &b, *omega as f32, color));
        }
        s.air.pressure = p;
    });
    c.rounded("project", |s| project::project(&mut s.air, s.clock.dt));
    c.rounded("find_block", |s| {
        find_block::find_block(&mut s.flakes, &s.air, sort_block)
    });
    // Some flakes have strayed from their blocks.
    let blocks: Vec<u32> = c
        .state
        .flakes
        .block
        .iter()
        .enumerate()
        .map(|(i, block)| if i % 3 == 0 { (i % 100) as u32 } else { *block })
        .collect();
    c.scene.write_words("flakes.block", blocks);
    c.state = c.scene.state();
    c.stage("move_flakes", 32.0 * EPSILON, SINES, |s| {
        particle_update::particle_update(
            &mut s.flakes,
            &s.air,
            s.wind,
            (gravity, cap),
            (sort_block, drift),
            &s.clock,
        );
    });
    // Flakes of every fate: some below the ground, some beyond each side, one lost.
    let mut positions = c.state.flakes.position.clone();
    for (i, position) in positions.iter_mut().enumerate() {
        match i % 8 {
            0 => position[2] = -20.0,
            1 => position[0] += 250.0,
            2 => position[1] -= 250.0,
            3 => position[2] += 60.0,
            _ => {}
        }
    }
    positions[11] = [f32::NAN; 3];
    c.scene.write_vectors("flakes.position", &positions);
    c.state = c.scene.state();
    c.rounded("deposit", |s| {
        deposit::deposit(
            &mut s.flakes,
            &s.air,
            &mut s.ground,
            &mut s.counters,
            (unit, units),
            &s.clock,
        );
    });
    c.rounded("smooth_snow", |s| {
        smooth_snow::smooth_snow(&mut s.ground, &rule, &s.clock)
    });
    c.rounded("settle_snow", |s| settle_snow::settle_snow(&mut s.ground));
    c.rows
}

/// The initial wind.
fn first_wind(gpu: &Gpu) -> Vec<Row> {
    let device = Scene::new(gpu, hills()).state();
    let mut twin = device.clone();
    for field in [&mut twin.air.u_star, &mut twin.air.v_star, &mut twin.air.w_star] {
        field.fill(0.0);
    }
    start_wind::start_wind(&mut twin.air, device.wind, device.boundary_faces);
    vec![Row::new(
        "start_wind: largest difference in any field",
        difference(&device, &twin),
        4.0 * EPSILON,
        ROUNDED,
    )]
}

/// State after the init stages.
fn first_flakes(gpu: &Gpu) -> Vec<Row> {
    let mut scene = Scene::new(gpu, hills());
    let unit = scene.parameter("snow_unit") as f32;
    let mut state = scene.state();
    let count = state.flakes.position.len() as u32;
    let device = state.clone();
    state.flakes = init_flakes::init_flakes(count, &state.air, &state.ground, unit, false, state.clock.seed);
    vec![Row::new(
        "init_flakes: largest difference in any field",
        difference(&device, &state),
        4.0 * EPSILON,
        ROUNDED,
    )]
}
