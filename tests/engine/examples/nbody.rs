//! Gravity of all pairs: sums beside double precision, an orbit of Kepler, and a sphere of Plummer in equilibrium.

use std::f64::consts::TAU;

use sastrugi::gpu::Gpu;
use sastrugi::run::Simulation;
use serde_json::json;

use super::*;

/// Particles of one copy, so that tests can write them, with steps of `dt`.
fn bodies(gpu: &Gpu, count: usize, parameters: serde_json::Value, dt: f64, options: Options) -> Simulation {
    let changes = json!({
        "use": {"stars": {"parameters": parameters}},
        "parameters": {"n": count, "galaxies": {"count": 1, "disc_share": 0}},
        "run": {"dt": dt},
        "particles": {"matter": {"ring": 1}},
        "step": ["stars.step", "stars.measure"]
    });
    shipped(gpu, "nbody", changes, options)
}

#[test]
fn nbody_sums_equal_those_of_double_precision() {
    let Some(gpu) = common::gpu() else { return };
    const SOFTENING: f64 = 0.1;
    // More than one tile, and not a multiple of it.
    const COUNT: usize = 150;
    let mut simulation = bodies(
        &gpu,
        COUNT,
        json!({"softening": SOFTENING, "gravity": 2}),
        1.0 / 64.0,
        CHECKED,
    );
    advance(&mut simulation, 1);
    let places = vectors(&mut simulation, "matter.position");
    let masses = read_doubles(&mut simulation, "matter.mass");
    let found = vectors(&mut simulation, "stars.matter.acceleration");
    let potentials = read_doubles(&mut simulation, "stars.matter.potential");
    let worst = |softening: f64| {
        let mut worst = 0.0_f64;
        for i in 0..COUNT {
            let (mut sum, mut potential) = ([0.0; 3], 0.0);
            for j in (0..COUNT).filter(|j| *j != i) {
                let towards = [0, 1, 2].map(|k| places[j][k] - places[i][k]);
                let distance = (towards.iter().map(|x| x * x).sum::<f64>() + softening * softening).sqrt();
                potential -= 2.0 * masses[j] / distance;
                (0..3).for_each(|k| sum[k] += 2.0 * masses[j] * towards[k] / distance.powi(3));
            }
            let size = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
            let error = (0..3).map(|k| (found[i][k] - sum[k]).abs()).fold(0.0, f64::max);
            worst = worst
                .max(error / size)
                .max((potentials[i] / potential - 1.0).abs());
        }
        worst
    };
    // Floats: 150 terms.
    assert!(worst(SOFTENING) < 2e-5, "{}", worst(SOFTENING));
    assert!(worst(1.01 * SOFTENING) > 1e-3, "control: another softening");
}

/// The distance from the start after one period of an ellipse of eccentricity 1/2, over its semi-major axis.
fn miss(gpu: &Gpu, steps: usize, gravity: f64) -> f64 {
    let masses = [0.75_f32, 0.25];
    let parameters = json!({"softening": 0, "gravity": gravity});
    let mut simulation = bodies(gpu, 2, parameters, TAU / steps as f64, Options::PLAIN);
    // Relative to the centre of mass, at the pericentre: r = 1 - e, v = sqrt((1 + e) / (1 - e)).
    let (place, speed) = (0.5, 3.0_f64.sqrt());
    let share = [-0.25, 0.75];
    write_floats(&mut simulation, "matter.mass", &masses);
    write_vectors(
        &mut simulation,
        "matter.position",
        &share.map(|s| [s * place, 0.0, 0.0]),
    );
    write_vectors(
        &mut simulation,
        "matter.velocity",
        &share.map(|s| [0.0, s * speed, 0.0]),
    );
    // The acceleration of the first step is that of the start of the pipeline.
    let first = share.map(|s| [-s * gravity / (place * place), 0.0, 0.0]);
    write_vectors(&mut simulation, "stars.matter.acceleration", &first);
    (0..steps).for_each(|_| simulation.step(false).unwrap());
    let places = vectors(&mut simulation, "matter.position");
    let momentum = vectors(&mut simulation, "stars.momentum")[0];
    assert!(momentum.iter().all(|x| x.abs() < 1e-5), "{momentum:?}");
    let energy = read_doubles(&mut simulation, "stars.kinetic")[0]
        + read_doubles(&mut simulation, "stars.potential")[0];
    // -G m1 m2 / 2 a; it oscillates by the square of the step and returns.
    if gravity == 1.0 {
        assert!((energy / (-0.5 * 0.75 * 0.25) - 1.0).abs() < 2e-3, "{energy}");
    }
    let apart = [places[1][0] - places[0][0] - place, places[1][1] - places[0][1]];
    apart[0].hypot(apart[1])
}

#[test]
fn kepler_orbit_closes_after_its_period_to_second_order() {
    let Some(gpu) = common::gpu() else { return };
    let [coarse, fine] = [300, 600].map(|steps| miss(&gpu, steps, 1.0));
    // The leapfrog turns the ellipse and shifts its phase by amounts of the square of the step.
    assert!(fine < 0.02, "{coarse} {fine}");
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.1, "{coarse} {fine}");
    let other = miss(&gpu, 600, 1.02);
    assert!(other > 5.0 * fine, "control: 1 % shorter period, {other}");
}

#[test]
fn plummer_sphere_is_in_equilibrium() {
    let Some(gpu) = common::gpu() else { return };
    const COUNT: usize = 1024;
    let mut simulation = bodies(
        &gpu,
        COUNT,
        json!({"softening": 0.02}),
        1.0 / 64.0,
        Options::PLAIN,
    );
    let energies = |simulation: &mut Simulation| {
        ["stars.kinetic", "stars.potential"].map(|field| read_doubles(simulation, field)[0])
    };
    let start = energies(&mut simulation);
    // 1/4 and -1/2. The standard deviation of v² over its mean is 0.85 in this distribution, that of the potential is less.
    let spread = 4.0 * 0.85 / (COUNT as f64).sqrt();
    assert!((start[0] / 0.25 - 1.0).abs() < spread, "{start:?}");
    assert!((start[1] / -0.5 - 1.0).abs() < spread, "{start:?}");
    assert!(
        (start[0] / 0.3 - 1.0).abs() > spread,
        "control: another kinetic energy, {start:?}"
    );
    // The share of mass inside r is (1 + (a / r)²)^(-3/2), a = 3 pi / 16.
    let places = vectors(&mut simulation, "matter.position");
    let half = 3.0 * std::f64::consts::PI / 16.0 / (0.5_f64.powf(-2.0 / 3.0) - 1.0).sqrt();
    let inside = |radius: f64| {
        let is_inside = |p: &&[f64; 3]| p.iter().map(|x| x * x).sum::<f64>() < radius * radius;
        places.iter().filter(is_inside).count() as f64 / COUNT as f64
    };
    let deviation = 0.5 / (COUNT as f64).sqrt();
    assert!((inside(half) - 0.5).abs() < 4.0 * deviation, "{}", inside(half));
    assert!(
        (inside(0.8 * half) - 0.5).abs() > 4.0 * deviation,
        "control: another radius"
    );
    (0..64).for_each(|_| simulation.step(false).unwrap());
    let end = energies(&mut simulation);
    let drift = ((end[0] + end[1]) / (start[0] + start[1]) - 1.0).abs();
    assert!(drift < 1e-3, "{start:?} {end:?}");
    let mut coarse = bodies(&gpu, COUNT, json!({"softening": 0.02}), 0.25, Options::PLAIN);
    (0..4).for_each(|_| coarse.step(false).unwrap());
    let coarse = energies(&mut coarse);
    let drift = ((coarse[0] + coarse[1]) / (start[0] + start[1]) - 1.0).abs();
    assert!(drift > 1e-3, "control: long steps, {start:?} {coarse:?}");
    // In equilibrium neither part changes; fluctuations are of the order 1 / sqrt(n).
    assert!((end[0] / start[0] - 1.0).abs() < spread, "{start:?} {end:?}");
}
