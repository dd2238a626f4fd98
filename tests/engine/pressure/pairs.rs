//! Pressures as sums of two floats, and densities that vary.

use std::collections::BTreeMap;

use super::*;

/// The true relative residual of a smooth right side in a channel of 1,024 cells, open at one end, after a solve to 1e-6.
fn residual(gpu: &Gpu, method: &str) -> f64 {
    let file = json!({
        "run": {"dt": 1, "frames": 1},
        "use": {"solver": {"module": "modules/pressure_solver.json", "roles": {"grid": "air"},
            "parameters": {"sides": {"low": [1, 0, 0], "high": [0, 0, 0]}, "rtol": 1e-6}}},
        "grids": {"air": {"cells": [1024, 4], "cell_size": 1, "levels": "all", "channels": {
            "cell_type": {"type": "uint", "background": 0}, "p": {"type": "float", "background": 0},
            "b": {"type": "float", "at": "centre", "values": "sin(PI * x / 2048)"}}}},
        "init": ["solver.mask"], "step": [method]
    });
    let mut simulation = simulation(gpu, pipeline(&file, &[]), Options::PLAIN);
    simulation.step(false).unwrap();
    assert_no_fault(&mut simulation);
    (read_doubles(&mut simulation, "solver.true_square")[0]
        / read_doubles(&mut simulation, "solver.limits")[2])
        .sqrt()
}

#[test]
fn float_pairs_reach_residuals_that_floats_cannot() {
    let Some(gpu) = common::gpu() else { return };
    let pair = residual(&gpu, "solver.solve_exact");
    assert!(pair <= 1e-6, "{pair}");
    // Control: p is some 400,000 times b, and its last bits are as large as b needs them.
    let single = residual(&gpu, "solver.solve");
    assert!(single > 1e-4, "{single}");
}

/// The pressures of two layers at rest, from the lowest cell up, and the greatest speed in m/s after four steps. `swaps` are
/// other kernels for some stages.
fn layers(gpu: &Gpu, swaps: &BTreeMap<String, String>) -> (Vec<f64>, f64) {
    let path = crate::common::simulation::root().join("tests/data/flow/two_fluids.json");
    let (pipeline, _) = spec::load(&path, &["n=8".into()]).unwrap_or_else(|problems| panic!("{problems}"));
    let simulation = Simulation::new(gpu, pipeline, swaps, Options::PLAIN);
    let mut simulation = simulation.unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..4 {
        simulation.step(false).unwrap();
        assert_no_fault(&mut simulation);
    }
    let [p, low, u, v] =
        ["box.p", "flow.grid.p_low", "box.u", "box.v"].map(|field| read_doubles(&mut simulation, field));
    let column = p.iter().zip(&low).map(|(p, low)| p + low).step_by(8).collect();
    (
        column,
        u.iter()
            .chain(&v)
            .fold(0.0, |most: f64, speed| most.max(speed.abs())),
    )
}

#[test]
#[ignore = "long: two fluids by float pairs"]
fn layered_fluids_stay_at_rest() {
    let Some(gpu) = common::gpu() else { return };
    let (p, fastest) = layers(&gpu, &BTreeMap::new());
    // Free fall reaches 0.8 m/s in this time.
    assert!(fastest < 1e-6, "{fastest} m/s");
    let densities: Vec<f64> = (0..16).map(|row| if row < 8 { 1000.0 } else { 1.0 }).collect();
    for (pair, rho) in p.windows(2).zip(densities.windows(2)) {
        let wanted = -9.81 / 8.0 * (rho[0] + rho[1]) / 2.0;
        // Against the largest pressure, 9,810 Pa.
        assert!(
            (pair[1] - pair[0] - wanted).abs() < 1e-2,
            "{} Pa, not {wanted}",
            pair[1] - pair[0]
        );
    }
    let root = crate::common::simulation::root();
    let kernel = std::fs::read_to_string(root.join("shaders/pressure/apply_pressure_gradient.comp")).unwrap();
    let even = kernel.replace("#if HAS_grid_relative_density", "#if 0");
    assert_ne!(even, kernel);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("even.comp");
    std::fs::write(&path, even).unwrap();
    let stage = "flow.apply_pressure_gradient_v".to_string();
    let (_, wrong) = layers(&gpu, &BTreeMap::from([(stage, path.display().to_string())]));
    assert!(
        wrong > 1e-3,
        "control, faces accelerate as if all were heavy: {wrong} m/s"
    );
}
