//! Lattice Boltzmann flows on a device: one copy of the populations against two, mass, and rest.

use sastrugi::gpu::Gpu;
use sastrugi::ir::Pipeline;
use sastrugi::run::{Options, Simulation};
use serde_json::json;

use super::common::{self, simulation::*};
use super::reference::stream_collide::{BODY, FLUID, Fluid, Lattice, SOLID};

/// A cell is 0.1 m and a step 0.01 s.
const PACE: f64 = 0.1;

/// Settings of a test.
struct Case {
    module: &'static str,
    populations: usize,
    size: [i64; 3],
    collision: u32,
    gravity: [f64; 3],
    viscosity: f64,
    /// Percentage of wall cells.
    walls: u32,
    /// The largest component of the velocity, m/s.
    speed: f64,
    options: Options,
}

const CASE: Case = Case {
    module: "lbm",
    populations: 19,
    size: [7, 5, 6],
    collision: 1,
    gravity: [0.0; 3],
    viscosity: 0.02,
    walls: 30,
    speed: 0.3,
    options: Options::PLAIN,
};

fn in_plane(case: &Case) -> bool {
    case.populations == 9
}

/// A box in which random cells are walls, half of them in motion, and the rest a random flow.
fn simulation(gpu: &Gpu, case: &Case) -> Simulation {
    common::simulation::simulation(gpu, pipeline_of(case), case.options)
}

/// The pipeline of a module with a number of populations.
pub(super) fn walls(module: &'static str, populations: usize, size: [i64; 3]) -> Pipeline {
    pipeline_of(&Case {
        module,
        populations,
        size,
        ..CASE
    })
}

fn pipeline_of(case: &Case) -> Pipeline {
    let axes = if in_plane(case) { 2 } else { 3 };
    let file = json!({
        "run": {"dt": 0.01, "frames": 1, "seed": 3},
        "parameters": {"walls": f64::from(case.walls) / 100.0, "speed": case.speed},
        "use": {"flow": {"module": format!("modules/{}.json", case.module), "roles": {"grid": "box"},
            "parameters": {"viscosity": case.viscosity, "collision": case.collision, "gravity": case.gravity,
                "populations": case.populations}}},
        "grids": {"box": {"cells": case.size[..axes], "cell_size": 0.1, "channels": {
            "kind": "uint", "cell_type": "uint8", "rho": "float", "u": format!("vec{axes}")}}},
        "init": [
            {"stage": "scatter", "over": "box", "writes": ["box.cell_type", "box.kind", "box.rho", "box.u"],
             "arguments": ["walls", "speed"]},
            "flow.init"
        ],
        "step": ["flow.step"], "frame": ["flow.forces"]
    });
    let scatter = "#include \"lib/random.glsl\"
#include \"pressure/lattice.glsl\"
#define grid_cells box_cells
vec2 as_u(vec3 u, ivec2 cells) { return u.xy; }
vec3 as_u(vec3 u, ivec3 cells) { return u; }
STAGE_IN_SPACE {
    uint i = uint((cell.z * 131 + cell.y) * 1031 + cell.x);
    vec4 r = random4(i, 0u, 1u, clock.seed), s = random4(i, 1u, 1u, clock.seed);
    uint kind = s.x < 0.5 * arg.walls ? 2u : s.x < arg.walls ? 3u : 0u;
    set_box_cell_type(AT(cell), kind);
    set_box_kind(AT(cell), kind);
    set_box_rho(AT(cell), 1.0 + 0.2 * arg.speed * (r.w - 0.5));
    set_box_u(AT(cell), as_u(arg.speed * (2.0 * r.xyz - 1.0), box_cells));
}";
    pipeline(&file, &[("scatter", scatter)])
}

/// One step, after which the force is measured.
fn step(simulation: &mut Simulation) {
    simulation.step(false).unwrap();
    simulation.frame(true).unwrap();
    simulation.finish().unwrap();
    let fault = simulation.fault().unwrap();
    assert!(fault.is_none(), "{}", fault.unwrap());
}

/// Velocities in cells a step.
fn velocities(simulation: &mut Simulation, case: &Case) -> Vec<[f64; 3]> {
    let axes = if in_plane(case) { 2 } else { 3 };
    let values = read_doubles(simulation, "box.u");
    let each = values.chunks(axes);
    each.map(|u| std::array::from_fn(|a| PACE * u.get(a).copied().unwrap_or(0.0)))
        .collect()
}

/// The twin in the state in which the simulation starts.
fn twin(simulation: &mut Simulation, case: &Case) -> Fluid {
    let tau = 3.0 * case.viscosity * 0.01 / (0.1 * 0.1) + 0.5;
    let even = 1.0 / tau;
    let odd = if case.collision == 0 {
        even
    } else {
        1.0 / (3.0 / 16.0 / (tau - 0.5) + 0.5)
    };
    let kinds = common::words(&simulation.read("box.kind").unwrap());
    let rho = read_doubles(simulation, "box.rho");
    let u = velocities(simulation, case);
    let lattice = Lattice::new(case.populations);
    let mut fluid = Fluid::new(lattice, case.size, kinds, rho, u, [even, odd]);
    fluid.acceleration = case.gravity.map(|g| g * 0.01 * 0.01 / 0.1);
    fluid
}

/// The largest differences of density, velocity (cells a step) and force (of a step and a cell) over the steps.
fn differences(gpu: &Gpu, case: &Case, steps: usize, change: impl Fn(&mut Fluid)) -> [f64; 3] {
    let mut simulation = simulation(gpu, case);
    let mut twin = twin(&mut simulation, case);
    change(&mut twin);
    // Newtons for a force of 1: density times the fourth power of the cell (the third in a plane) over the step squared.
    let unit = if in_plane(case) { 10.0 } else { 1.0 };
    let mut largest = [0.0_f64; 3];
    for _ in 0..steps {
        step(&mut simulation);
        twin.step();
        let rho = read_doubles(&mut simulation, "box.rho");
        let u = velocities(&mut simulation, case);
        let force = read_doubles(&mut simulation, "flow.force");
        let wet = |i: &usize| twin.kinds[*i] == FLUID;
        for i in (0..rho.len()).filter(wet) {
            largest[0] = largest[0].max((rho[i] - twin.rho[i]).abs());
            (0..3).for_each(|a| largest[1] = largest[1].max((u[i][a] - twin.u[i][a]).abs()));
        }
        let expected = twin.force();
        (0..3).for_each(|a| largest[2] = largest[2].max((force[a] - unit * expected[a]).abs() / unit));
    }
    largest
}

const LATTICES: [(&str, usize); 3] = [("lbm_2d", 9), ("lbm", 19), ("lbm", 27)];

#[test]
fn in_place_streaming_equals_two_copies() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(3, 6);
    for (module, populations) in LATTICES {
        // Odd, larger than a workgroup of 128, and of a single cell along an axis. Each size compiles the kernel anew.
        let sizes: &[[i64; 3]] = match populations {
            9 => &[[7, 5, 1], [131, 3, 1], [1, 9, 1]],
            19 => &[[7, 5, 6], [131, 1, 2]],
            _ => &[[7, 5, 6]],
        };
        for size in sizes {
            if sweep.skips() {
                continue;
            }
            // Checked kernels take a driver ten times as long to compile, those in space more.
            let is_checked = *size == [7, 5, 1];
            let case = Case {
                module,
                populations,
                size: *size,
                options: if is_checked { CHECKED } else { Options::PLAIN },
                ..CASE
            };
            // Seven steps: both kinds several times.
            let found = differences(&gpu, &case, 7, |_| {});
            // Densities near 1 are floats.
            assert!(
                found[0] < 5e-7 && found[1] < 2e-7 && found[2] < 2e-5,
                "{module} {populations} {size:?}: {found:?}"
            );
        }
    }
}

#[test]
fn bgk_and_forcing_match_the_reference() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(2, 4);
    for (module, populations) in &LATTICES[..2] {
        let (module, populations) = (*module, *populations);
        let size = if populations == 9 { [11, 6, 1] } else { [5, 6, 4] };
        for (collision, gravity) in [(0, [0.0; 3]), (1, [1.0, 0.5, -0.7])] {
            if sweep.skips() {
                continue;
            }
            let gravity = if populations == 9 {
                [gravity[0], gravity[1], 0.0]
            } else {
                gravity
            };
            let case = Case {
                module,
                populations,
                size,
                collision,
                gravity,
                ..CASE
            };
            let found = differences(&gpu, &case, 4, |_| {});
            assert!(
                found[0] < 5e-7 && found[1] < 2e-7,
                "{module} {gravity:?}: {found:?}"
            );
        }
    }
}

#[test]
fn control_lbm_reference_detects_rate_force_and_wall_changes() {
    let Some(gpu) = common::gpu() else { return };
    let case = Case {
        gravity: [1.0, 0.5, -0.7],
        ..CASE
    };
    let rate = differences(&gpu, &case, 3, |twin| twin.rates[1] *= 1.001);
    assert!(rate[1] > 1e-6, "{rate:?}");
    let still = differences(&gpu, &case, 3, |twin| twin.acceleration = [0.0; 3]);
    assert!(still[1] > 1e-4, "{still:?}");
    let wall = differences(&gpu, &case, 3, |twin| {
        let wall = twin.kinds.iter().position(|kind| *kind == BODY).unwrap();
        twin.kinds[wall] = SOLID;
    });
    assert!(wall[1] > 1e-4 && wall[2] > 1e-4, "{wall:?}");
}

#[test]
fn half_precision_populations_stay_near_float() {
    let Some(gpu) = common::gpu() else { return };
    let case = Case {
        module: "lbm_half",
        ..CASE
    };
    let found = differences(&gpu, &case, 7, |_| {});
    // Halves of numbers up to 2^-4 are right to 2^-16; a cell has 19.
    assert!(found[0] < 2e-4 && found[1] < 2e-4, "{found:?}");
    assert!(found[1] > 1e-7, "they are floats: {found:?}");
}

#[test]
fn mass_is_conserved_and_rest_is_steady() {
    let Some(gpu) = common::gpu() else { return };
    for (module, populations) in [("lbm_2d", 9), ("lbm", 19), ("lbm_half", 19)] {
        let size = if populations == 9 { [16, 16, 1] } else { [8, 8, 8] };
        let still = Case {
            module,
            populations,
            size,
            speed: 0.0,
            ..CASE
        };
        let mut simulation = simulation(&gpu, &still);
        let before = read_doubles(&mut simulation, "flow.grid.f");
        (0..6).for_each(|_| step(&mut simulation));
        assert_eq!(
            before,
            read_doubles(&mut simulation, "flow.grid.f"),
            "{module}: rest"
        );
    }
    // No walls, so that every population is that of a cell.
    let case = Case {
        walls: 0,
        size: [8, 8, 8],
        ..CASE
    };
    let mut simulation = simulation(&gpu, &case);
    let mass = |simulation: &mut Simulation| read_doubles(simulation, "flow.grid.f").iter().sum::<f64>();
    let before = mass(&mut simulation);
    (0..40).for_each(|_| step(&mut simulation));
    let change = mass(&mut simulation) - before;
    // 512 cells, 40 steps, roundings of 2^-30 or so that do not all point one way.
    assert!(change.abs() < 1e-5, "{change}");
    assert!(before.abs() > 1e-3, "nothing would be lost: {before}");
}

/// At edges the lowest type takes precedence, and with it, whether the side keeps its temperature.
#[test]
fn sides_have_their_types_and_keep_their_temperature() {
    let Some(gpu) = common::gpu() else { return };
    let [wall, moving, inflow, outflow, held, inner] = [2u8, 3, 4, 5, 64, 1];
    let size = [4, 5, 3];
    let file = json!({
        "run": {"dt": 1},
        "grids": {"grid": {"cells": size, "cell_size": 1, "channels": {"cell_type": {"type": "uint8", "background": inner}}}},
        "step": [{"stage": "sides", "shader": "lbm/sides.comp", "over": "grid", "arguments": {
            "low": [moving, inflow, 0], "high": [wall, outflow, 0], "held_low": [1, 0, 1], "held_high": [0, 1, 1]}}]
    });
    let mut sim = common::simulation::simulation(&gpu, pipeline(&file, &[]), CHECKED);
    advance(&mut sim, 1);
    let found = sim.read("grid.cell_type").unwrap();
    assert_eq!(found.len(), 4 * 5 * 3);
    for (cell, found) in found.into_iter().enumerate() {
        let wanted = match (cell % 4, cell / 4 % 5) {
            (3, _) => wall,
            (0, _) => moving | held,
            (_, 0) => inflow,
            (_, 4) => outflow | held,
            _ => inner,
        };
        assert_eq!(found, wanted, "cell {cell}");
    }
}
