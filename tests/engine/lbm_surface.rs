//! Lattice Boltzmann flows with a free surface on a device: mass, the layer between fluid and gas, and the pressure in a drop.

use sastrugi::gpu::Gpu;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec;

use super::common::{self, simulation::*};

/// The low bits of `cell_type`, and the mark of the layer.
const TYPE: u8 = 7;
const FLUID: u8 = 0;
const GAS: u8 = 1;
const INTERFACE: u8 = 8;

fn simulation(gpu: &Gpu, file: &str, overrides: &[&str]) -> Simulation {
    let path = root().join(file);
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    let (pipeline, _) = spec::load(&path, &overrides).unwrap_or_else(|problems| panic!("{problems}"));
    common::simulation::simulation(gpu, pipeline, Options::PLAIN)
}

fn steps(simulation: &mut Simulation, count: u32) {
    for _ in 0..count {
        simulation.step(false).unwrap();
    }
    simulation.finish().unwrap();
}

/// The mass of all liquid.
fn weigh(simulation: &mut Simulation, buffer: &str) -> f64 {
    simulation.frame(true).unwrap();
    simulation.finish().unwrap();
    read_doubles(simulation, buffer)[0]
}

/// Number of fluid cells with a gas neighbour along one of the 18 directions.
fn leaks(types: &[u8], [nx, ny, nz]: [i64; 3]) -> usize {
    let at = |x: i64, y: i64, z: i64| {
        let [x, y, z] = [x.rem_euclid(nx), y.rem_euclid(ny), z.rem_euclid(nz)];
        types[((z * ny + y) * nx + x) as usize]
    };
    let kind = |word: u8, wanted: u8| word & TYPE == wanted && word & INTERFACE == 0;
    let ways = (0..27_i64).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]);
    let ways: Vec<_> = ways
        .filter(|way| (1..3).contains(&way.iter().map(|c| c.abs()).sum::<i64>()))
        .collect();
    assert_eq!(ways.len(), 18);
    let cells = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
    cells
        .filter(|[x, y, z]| kind(at(*x, *y, *z), FLUID))
        .filter(|[x, y, z]| ways.iter().any(|[i, j, k]| kind(at(x + i, y + j, z + k), GAS)))
        .count()
}

#[test]
fn splash_conserves_mass_and_a_closed_interface() {
    check_splash(2, 40, 30);
}

#[test]
#[ignore = "long: 360 steps"]
fn long_splash_conserves_mass_and_a_closed_interface() {
    check_splash(6, 60, 60);
}

/// Looks so many times at a dam that breaks, `between` steps apart; the control has an open floor for some steps.
fn check_splash(looks: u32, between: u32, open_steps: u32) {
    let Some(gpu) = common::gpu() else { return };
    let size = [26, 11, 19];
    let small = [
        "n=10",
        "size=[2.4, 0.9, 1.7]",
        "dam=[0.8, 0.9, 1.3]",
        "water.output_interval=1",
        // Of a picture that nobody looks at.
        "draw.surface.samples=1",
        "grids.view.pixels=[72, 54]",
    ];
    let mut dam = simulation(&gpu, "pipelines/lbm_dam.json", &small);
    steps(&mut dam, 1);
    let start = weigh(&mut dam, "water.liquid");
    // 0.8 m x 0.9 m x 1.3 m of water.
    assert!((start - 936.0).abs() < 0.1 * 936.0, "{start} kg");
    for _ in 0..looks {
        steps(&mut dam, between);
        let mass = weigh(&mut dam, "water.liquid");
        assert!(
            (mass / start - 1.0).abs() < 1e-6,
            "{mass} kg, {start} kg at the start"
        );
        let types = dam.read("tank.cell_type").unwrap();
        assert!(types.len() >= 26 * 11 * 19);
        let layer = types.iter().filter(|word| **word & INTERFACE != 0).count();
        assert!(layer > 50, "{layer} cells of interface");
        assert_eq!(leaks(&types, size), 0, "cells of fluid that touch gas");
        // Control: without its layer, fluid touches gas.
        let bare: Vec<u8> = types
            .iter()
            .map(|word| if word & INTERFACE != 0 { GAS } else { *word })
            .collect();
        assert!(leaks(&bare, size) > 20);
    }
    let open = [
        &small[..],
        &[r#"water.sides={"low": ["wall", "wall", "outflow"], "high": ["wall", "wall", "wall"]}"#],
    ]
    .concat();
    let mut open = simulation(&gpu, "pipelines/lbm_dam.json", &open);
    steps(&mut open, open_steps);
    let left = weigh(&mut open, "water.liquid");
    assert!(
        (left / start - 1.0).abs() > 1e-3,
        "control, an outflow as floor: {left} kg"
    );
}

/// The pressure in a drop of radius 6 cells over 2 sigma / R.
fn jump(gpu: &Gpu, tension: f64) -> f64 {
    let tension = format!("flow.tension={tension}");
    let mut drop = simulation(
        gpu,
        "tests/data/lbm/drop.json",
        &["n=18", "radius=6", "steps=600", &tension],
    );
    steps(&mut drop, 600);
    let liquid = weigh(&mut drop, "flow.liquid");
    let rho = read_doubles(&mut drop, "box.rho");
    let middle = (7..11).flat_map(|z| (7..11).flat_map(move |y| (7..11).map(move |x| (z * 18 + y) * 18 + x)));
    let inside = middle.map(|cell| rho[cell]).sum::<f64>() / 64.0;
    let radius = (3.0 * liquid / inside / (4.0 * std::f64::consts::PI)).cbrt();
    (inside - 1.0) / 3.0 * radius / (2.0 * 0.01)
}

#[test]
#[ignore = "long: two drops until they rest"]
fn drop_pressure_follows_laplace() {
    let Some(gpu) = common::gpu() else { return };
    // Curvature is fitted over five cells, half the drop.
    let found = jump(&gpu, 0.01);
    assert!((found - 1.0).abs() < 0.03, "{found}");
    let wrong = jump(&gpu, 0.011);
    assert!((wrong - 1.0).abs() > 0.05, "control, more tension: {wrong}");
}
