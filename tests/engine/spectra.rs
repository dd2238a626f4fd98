//! Flows in Fourier space on a device: waves that decay as they must, and the direct solution of the pressure equation.

mod advection;
mod filters;

use std::f64::consts::TAU;

use sastrugi::gpu::Gpu;
use sastrugi::run::{Options, Simulation};
use serde_json::{Value, json};

use super::common::{self, simulation::*};

fn simulation(gpu: &Gpu, file: &Value) -> Simulation {
    common::simulation::simulation(gpu, pipeline(file, &[]), CHECKED)
}

fn write(simulation: &mut Simulation, field: &str, values: impl IntoIterator<Item = f64>) {
    let bytes: Vec<u8> = values
        .into_iter()
        .flat_map(|v| (v as f32).to_le_bytes())
        .collect();
    simulation.write(field, &bytes).unwrap();
}

/// The stirred square with nobody stirring, of n x n cells and steps of 1/64 s.
fn still_square(gpu: &Gpu, n: u32) -> Simulation {
    simulation(
        gpu,
        &json!({
            "extends": "pipelines/fluids.json", "run": {"dt": "1/64"},
            "parameters": {"n": n, "viscosity": 0.002, "stir": {"push": 0, "feed": 0}}
        }),
    )
}

#[test]
fn shear_flow_modes_decay_by_their_factors() {
    let Some(gpu) = common::gpu() else { return };
    let mut sweep = common::sweep(1, 3);
    for (n, wave) in [(16, 3.0), (15, 2.0), (24, 5.0)] {
        if sweep.skips() {
            continue;
        }
        let mut simulation = still_square(&gpu, n);
        // Nothing changes along x, so the flow carries nothing but itself.
        let speed = |i: u32| (TAU * wave * (f64::from(i / n) + 0.5) / f64::from(n)).sin();
        write(&mut simulation, "box.v", (0..n * n).flat_map(|i| [speed(i), 0.0]));
        advance(&mut simulation, 8);
        let factor = |viscosity: f64| (1.0 + viscosity * (TAU * wave).powi(2) / 64.0).powi(-8);
        let found = read_doubles(&mut simulation, "box.v");
        let error = |factor: f64| {
            let values = found.chunks(2).zip(0..);
            let errors = values.map(|(v, i)| (v[0] - factor * speed(i)).abs().max(v[1].abs()));
            errors.fold(0.0, f64::max)
        };
        // Sixteen transforms and eight interpolations of floats.
        assert!(error(factor(0.002)) < 1e-5, "n = {n}: {}", error(factor(0.002)));
        assert!(error(factor(0.0021)) > 1e-4, "control: another viscosity");
    }
}

#[test]
fn spectral_projection_removes_divergence() {
    let Some(gpu) = common::gpu() else { return };
    let n = 16;
    let mut simulation = still_square(&gpu, n);
    let noise = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / 8_388_608.0 - 1.0;
    write(&mut simulation, "box.v", (0..2 * n * n).map(noise));
    advance(&mut simulation, 1);
    let divergence = |simulation: &mut Simulation, field: &str| {
        // U = (F(k) + F(-k)*) / 2, V = (F(k) - F(-k)*) / 2i.
        let values = read_doubles(simulation, field);
        let at = |x: u32, y: u32| {
            let i = 2 * ((y % n) * n + x % n) as usize;
            [values[i], values[i + 1]]
        };
        let slope = |i: u32| match i.cmp(&(n / 2)) {
            std::cmp::Ordering::Less => f64::from(i),
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => f64::from(i) - f64::from(n),
        };
        let (mut sum, mut whole) = (0.0, 0.0);
        for i in 0..n * n {
            let (x, y) = (i % n, i / n);
            let ([a, b], [c, d]) = (at(x, y), at(n - x, n - y));
            let (u, v) = ([(a + c) / 2.0, (b - d) / 2.0], [(b + d) / 2.0, (c - a) / 2.0]);
            for part in 0..2 {
                sum += (slope(x) * u[part] + slope(y) * v[part]).powi(2);
                whole += (slope(x) * u[part]).powi(2) + (slope(y) * v[part]).powi(2);
            }
        }
        (sum / whole).sqrt()
    };
    let after = divergence(&mut simulation, "waves.projected");
    assert!(after < 1e-6, "{after}");
    let before = divergence(&mut simulation, "waves.v");
    assert!(before > 0.1, "control: {before}");
}

/// A box with 12^3 points after ten steps: energy over that at the start.
fn energy_left(gpu: &Gpu, u: &str, v: &str, w: &str) -> f64 {
    let channel = |values: &str| json!({"type": "float", "values": values});
    let file = json!({
        "extends": "pipelines/turbulence.json", "run": {"dt": 0.05},
        "parameters": {"n": 12, "viscosity": 0.1},
        "grids": {"box": {"channels": {"u": channel(u), "v": channel(v), "w": channel(w)}}}
    });
    let mut simulation = simulation(gpu, &file);
    let energy = |simulation: &mut Simulation| {
        // Half of the spectrum: waves with x = 0 and x = n / 2 stand for themselves, others for two.
        let mut sum = 0.0;
        for field in ["waves.u", "waves.v", "waves.w"] {
            let values = read_doubles(simulation, field);
            for (i, z) in values.chunks(2).enumerate() {
                let copies = if i % 7 == 0 || i % 7 == 6 { 1.0 } else { 2.0 };
                sum += copies * (z[0] * z[0] + z[1] * z[1]);
            }
        }
        sum
    };
    let before = energy(&mut simulation);
    advance(&mut simulation, 10);
    let after = energy(&mut simulation);
    // Parseval: the mean of u^2 / 2, and for wave number 1 a dissipation of 2 nu of that.
    simulation.frame(true).unwrap();
    simulation.finish().unwrap();
    let mean = 0.5 * after / 12f64.powi(6);
    let [found, lost] = ["energy", "dissipation"].map(|field| read_doubles(&mut simulation, field)[0]);
    assert!((found / mean - 1.0).abs() < 1e-5, "{found}, not {mean}");
    assert!(lost > 0.1999 * mean, "{lost} of {mean}");
    after / before
}

#[test]
fn beltrami_flow_only_decays() {
    let Some(gpu) = common::gpu() else { return };
    // Arnold, Beltrami and Childress: the vorticity is the velocity, so nothing bends it.
    let left = energy_left(
        &gpu,
        "sin(z) + 0.7 * cos(y)",
        "1.2 * sin(x) + cos(z)",
        "0.7 * sin(y) + 1.2 * cos(x)",
    );
    let wanted = (-2.0 * 0.1 * 0.5_f64).exp();
    assert!((left / wanted - 1.0).abs() < 1e-5, "{left}, not {wanted}");
    // Control: with the opposite sign of one part the flow bends itself, and shorter waves take energy faster.
    let other = energy_left(
        &gpu,
        "sin(z) + 0.7 * cos(y)",
        "1.2 * sin(x) + cos(z)",
        "-0.7 * sin(y) + 1.2 * cos(x)",
    );
    assert!((other / wanted - 1.0).abs() > 1e-3, "{other}");
}

/// The lower and the upper sides of a box.
type Sides = [[u32; 3]; 2];

/// The greatest difference between the direct solution for some sides and that of the iterations for others, in parts of the
/// greatest pressure.
fn difference(gpu: &Gpu, cells: &[u64], direct: Sides, other: Sides) -> f64 {
    let count: u64 = cells.iter().product();
    let [direct_sides, other_sides] = [direct, other].map(|[low, high]| json!({"low": low, "high": high}));
    let file = json!({
        "run": {"dt": 1},
        "use": {
            "direct": {"module": "modules/box_pressure.json", "roles": {"grid": "air"},
              "parameters": {"sides": direct_sides}},
            "solver": {"module": "modules/pressure_solver.json", "roles": {"grid": "water"},
              "parameters": {"sides": other_sides, "rtol": 1e-6}}
        },
        "grids": {
            "air": {"cells": cells, "cell_size": 1, "channels": {"b": {"type": "float", "background": 0}}},
            "water": {"cells": cells, "cell_size": 1, "levels": "all", "channels": {
                "b": {"type": "float", "background": 0}, "p": {"type": "float", "background": 0},
                "cell_type": {"type": "uint", "background": 0}}}
        },
        "init": ["solver.mask"], "step": ["direct.solve", "solver.solve"]
    });
    // The solver's checked kernels take a driver long to compile: in a plane only.
    let options = if cells.len() == 2 { CHECKED } else { Options::PLAIN };
    let mut simulation = common::simulation::simulation(gpu, pipeline(&file, &[]), options);
    let noise = |i: u64| ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f64 / 8_388_608.0 - 1.0;
    // With an open side, what the box has too much of leaves there.
    let is_open = direct.as_flattened().contains(&1);
    let mean = (0..count).map(noise).sum::<f64>() / count as f64;
    let mean = if is_open { 0.0 } else { mean };
    for grid in ["air", "water"] {
        write(
            &mut simulation,
            &format!("{grid}.b"),
            (0..count).map(|i| noise(i) - mean),
        );
    }
    advance(&mut simulation, 1);
    let (direct, found) = (
        read_doubles(&mut simulation, "direct.grid.p"),
        read_doubles(&mut simulation, "water.p"),
    );
    let largest = found.iter().fold(0.0, |most: f64, p| most.max(p.abs()));
    let differences = direct.iter().zip(&found).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max) / largest
}

const CLOSED: u32 = 0;
const OPEN: u32 = 1;
const PERIODIC: u32 = 2;

#[test]
fn spectral_pressure_matches_iterative_pressure() {
    let Some(gpu) = common::gpu() else { return };
    let mixed = [[CLOSED, OPEN, PERIODIC], [OPEN, CLOSED, PERIODIC]];
    let found = difference(&gpu, &[8, 6, 10], mixed, mixed);
    assert!(found < 1e-4, "{found}");
}

#[test]
#[ignore = "long: a checked solver"]
fn spectral_pressure_matches_iterative_pressure_in_a_plane() {
    let Some(gpu) = common::gpu() else { return };
    let closed = [[CLOSED; 3]; 2];
    let found = difference(&gpu, &[12, 9], closed, closed);
    assert!(found < 1e-4, "{found}");
    let turned = difference(
        &gpu,
        &[12, 9],
        [[CLOSED; 3], [OPEN, CLOSED, CLOSED]],
        [[CLOSED; 3], [CLOSED, OPEN, CLOSED]],
    );
    assert!(turned > 0.1, "control: {turned}");
}

#[test]
#[ignore = "long: kernels for each combination of sides"]
fn spectral_pressure_matches_iterative_pressure_for_more_sides() {
    let Some(gpu) = common::gpu() else { return };
    let mixed = [PERIODIC, CLOSED, OPEN];
    for sides in [[[CLOSED; 3]; 2], [[OPEN; 3]; 2], [[PERIODIC; 3]; 2], [mixed; 2]] {
        let found = difference(&gpu, &[8, 6, 10], sides, sides);
        assert!(found < 1e-4, "{sides:?}: {found}");
    }
    let sides = [[OPEN, PERIODIC, CLOSED], [CLOSED, PERIODIC, CLOSED]];
    let found = difference(&gpu, &[12, 9], sides, sides);
    assert!(found < 1e-4, "{sides:?}: {found}");
}
