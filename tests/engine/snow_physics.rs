//! The snow model on the device, validation layer on: each measurement of docs/validation.md keeps its bound,
//! and what judges them objects to wrong input.

use super::common;
use super::physics;
use super::reference;
use physics::{Row, checks, scene, stats, twins};
use sastrugi::gpu::Gpu;

fn measure(title: &str) {
    if let Some(gpu) = common::gpu() {
        physics::measure(physics::MEASUREMENTS, title, &gpu);
    }
}

#[test]
fn snow_stages_match_the_reference() {
    hold(twins::stages_in_layers);
}

#[test]
#[ignore = "long: in air that is active everywhere too, and the stages of `init`"]
fn snow_stages_match_the_reference_in_any_air() {
    measure("Stages against their CPU twins");
}

/// A part of a measurement, whose rows are not compared with the page.
fn hold(measured: impl Fn(&Gpu) -> Vec<Row>) {
    let Some(gpu) = common::gpu() else { return };
    let rows = measured(&gpu);
    assert!(!rows.is_empty() && rows.iter().all(Row::holds), "{rows:#?}");
}

#[test]
fn flakes_fall_at_terminal_speed() {
    hold(|gpu| physics::flakes::still_air_at(gpu, &[15]));
}

#[test]
#[ignore = "long: steps down to 1/240 s"]
fn flakes_fall_at_terminal_speed_for_any_time_step() {
    measure("Still air");
}

#[test]
fn sorting_flakes_changes_only_their_order() {
    let Some(gpu) = common::gpu() else { return };
    let run = |sort_every: u32| {
        let mut file = scene::hills();
        file["parameters"]["flakes"]["sort_every"] = sort_every.into();
        // No flake strays from its block.
        file["parameters"]["flakes"]["drift"] = 64.into();
        let mut scene = scene::Scene::new(&gpu, file);
        scene.steps(10);
        let state = scene.state();
        let bits = |v: &[f32; 3]| v.map(f32::to_bits);
        let mut flakes: Vec<_> = (0..state.flakes.id.len())
            .map(|i| {
                let (position, velocity) = (&state.flakes.position[i], &state.flakes.velocity[i]);
                (
                    state.flakes.id[i],
                    bits(position),
                    bits(velocity),
                    state.flakes.phase[i].to_bits(),
                )
            })
            .collect();
        flakes.sort_unstable();
        (state.flakes.id, flakes, state.ground.snow, state.counters)
    };
    let (sorted, unsorted) = (run(3), run(1_000_000));
    assert!(sorted.0 != unsorted.0, "a comparison that could not fail");
    assert!(sorted.1 == unsorted.1, "some flake moved differently");
    assert!((sorted.2, sorted.3) == (unsorted.2, unsorted.3), "other snow");
}

#[test]
#[ignore = "long: four speeds"]
fn flakes_drift_with_a_uniform_wind() {
    measure("Uniform wind");
}

#[test]
fn new_flakes_are_uniformly_distributed() {
    measure("Respawn and re-entry");
}

#[test]
#[ignore = "long: two speeds, 20 s each"]
fn snowfall_has_no_void_upwind() {
    measure("Density upwind");
}

#[test]
#[ignore = "long: four numbers of sweeps"]
fn divergence_equals_the_solver_residual() {
    measure("div u = dt (b - L p)");
}

#[test]
#[ignore = "long: 40 sweeps"]
fn pressure_solve_matches_exact_arithmetic() {
    measure("Pressure solve");
}

#[test]
#[ignore = "long: 100 steps"]
fn boundary_flux_is_balanced() {
    measure("Balanced boundary");
}

#[test]
#[ignore = "long: snow under three settings"]
fn solid_faces_are_zero() {
    measure("Solid faces");
}

#[test]
fn faces_that_are_not_rebuilt_are_as_after_a_rebuild() {
    measure("Rebuilt faces");
}

#[test]
#[ignore = "long: the whole terrain"]
fn solid_cells_match_a_brute_force_count() {
    measure("Solid cells");
}

#[test]
#[ignore = "long: the hills in three grids"]
fn active_blocks_contain_air() {
    measure("Active air");
}

#[test]
#[ignore = "long: totals of whole runs"]
fn snow_equals_deposits() {
    measure("Snow totals");
}

#[test]
fn snow_slides_to_rest() {
    measure("Sliding to rest");
}

#[test]
fn flakes_move_and_land_equally_in_one_stage_and_in_two() {
    let Some(gpu) = common::gpu() else { return };
    let mut without_deposits = scene::hills();
    let step = without_deposits["step"].as_array_mut().unwrap();
    step.retain(|entry| entry != "deposit");
    let [one, two, control] = [scene::hills_as_shipped(), scene::hills(), without_deposits].map(|file| {
        let mut scene = scene::Scene::new(&gpu, file);
        scene.steps(12);
        scene.state()
    });
    assert!(one.counters[0] > 10, "{:?}", one.counters);
    assert_eq!(twins::difference(&one, &two), 0.0);
    assert!(twins::difference(&one, &control).is_infinite());
}

#[test]
fn every_measurement_has_a_test() {
    let source = include_str!("snow_physics.rs");
    for (title, _) in physics::MEASUREMENTS {
        assert!(
            source.contains(&format!("measure({title:?})")),
            "{title} is in the table only"
        );
    }
}

#[test]
fn control_measurement_rows_enforce_their_bound() {
    assert!(Row::new("equal", 1.0, 1.0, "").holds());
    assert!(!Row::new("above", 1.1, 1.0, "").holds());
    assert!(!Row::new("not a number", f64::NAN, 1.0, "").holds());
    assert!(!Row::none("one too many", 1, "").holds());
}

#[test]
fn control_chi_square_rejects_skewed_samples() {
    let values: Vec<f64> = (0..20_000)
        .map(|i| f64::from(reference::random::random4(i, 1, 2, 3)[0]))
        .collect();
    let (fair, critical) = stats::uniform(&values, 64);
    assert!(fair < critical, "{fair} of at most {critical}");
    let skewed: Vec<f64> = values.iter().map(|v| v.powf(1.1)).collect();
    let (statistic, _) = stats::uniform(&skewed, 64);
    assert!(statistic > critical, "{statistic} passes {critical}");
    let void: Vec<[f64; 2]> = (0..20_000)
        .map(|i| reference::random::random4(i, 1, 2, 3))
        .map(|r| [f64::from(r[0]), f64::from(r[1])])
        .filter(|v| v[0] > 0.3 * v[1])
        .collect();
    let (statistic, critical) = stats::uniform_square(&void, 8);
    assert!(statistic > critical, "{statistic} passes {critical}");
    // A known quantile: chi-square with 63 degrees of freedom exceeds 103.4 once in 1000.
    assert!(
        (stats::critical(63) - 103.44).abs() < 0.2,
        "{}",
        stats::critical(63)
    );
}

#[test]
fn control_checks_reject_perturbed_states() {
    let Some(gpu) = common::gpu() else { return };
    let mut scene = scene::Scene::new(&gpu, scene::hills());
    scene.steps(10);
    let state = scene.state();
    let air = &state.air;
    let dt = state.clock.dt;

    // One face off by a thousandth of the wind.
    let mut off = air.clone();
    let cell = air
        .all()
        .find(|c| air.inner_face(*c, 0) && !air.closed(*c, 0))
        .unwrap();
    off.u[air.index(cell)] += 0.01;
    assert!(checks::identity_error(&off, dt) > 100.0 * checks::identity_error(air, dt));

    // The wind as prescribed, without the correction of the outflow.
    let mut unbalanced = air.clone();
    reference::boundary::boundary_wind(&mut unbalanced, state.wind, [0; 4]);
    let (net, total) = checks::boundary_flux(
        &unbalanced,
        [&unbalanced.u_star, &unbalanced.v_star, &unbalanced.w_star],
    );
    assert!(
        net.abs() > 0.01 * total,
        "the terrain alone is balanced: {net} of {total}"
    );

    reference::build_solution::build_solution(&mut unbalanced, dt, false);
    let means = [air, &unbalanced].map(|air| checks::mean_solution(air).0.abs());
    assert!(means[1] > 1e3 * means[0], "{means:?}");

    // A right side twice too large and of the other sign, with which sweeps make things worse.
    let b: Vec<f64> = air.solution.iter().map(|b| f64::from(*b)).collect();
    let wrong: Vec<f64> = b.iter().map(|b| -2.0 * b).collect();
    let mut p = vec![0.0; b.len()];
    let before = checks::residual(air, &p, &b);
    (0..2).for_each(|color| reference::sor::sor(air, &mut p, &wrong, 1.7, color));
    assert!(checks::residual(air, &p, &b) > before);

    // One closed face that leaks, however little.
    let fields = [&air.u, &air.v, &air.w];
    assert_eq!(checks::leaks(air, fields.map(|f| f.as_slice())).1, 0);
    let closed = air.all().find(|c| air.closed(*c, 2)).unwrap();
    off.w[air.index(closed)] = f32::MIN_POSITIVE;
    assert_eq!(checks::leaks(&off, [&off.u, &off.v, &off.w]).1, 1);

    // A flipped bit, a moved flake, a unit of snow, a NaN.
    assert_eq!(twins::difference(&state, &state), 0.0);
    let differs = |change: &dyn Fn(&mut scene::State)| {
        let mut other = state.clone();
        change(&mut other);
        twins::difference(&state, &other)
    };
    assert!(differs(&|s| s.air.solid[100] ^= 1).is_infinite());
    assert!(differs(&|s| s.air.faces[100] ^= 1).is_infinite());
    assert!(differs(&|s| s.ground.snow[5] += 1).is_infinite());
    assert!(differs(&|s| s.flakes.position[7][1] += 0.01) > 1e-5);
    assert!(differs(&|s| s.air.pressure[2000] = f32::NAN).is_infinite());
    assert_eq!(checks::mismatches(&[1, 2, 3], &[1, 3]), 2);
}

#[test]
fn control_slope_check_rejects_a_heap() {
    let mut ground = reference::Ground::new([8, 8], [2.0, 2.0]);
    let rule = reference::smooth_snow::Sliding {
        snow_unit: 0.001,
        retained: 0.05,
        k: 0.125,
        tan_repose: 0.78,
    };
    assert_eq!(checks::steepest_excess(&ground, &rule).1, 0);
    ground.snow[27] = 1800;
    let (excess, pairs) = checks::steepest_excess(&ground, &rule);
    assert_eq!(pairs, 8);
    assert!((excess - (1800.0 - 1560.0)).abs() < 1.0, "{excess}");
}
