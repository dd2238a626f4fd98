//! Flows against closed forms and published values, on the device, validation layer on: each measurement of
//! docs/validation.md keeps its bound, and what is wrong by a little does not.

use super::common;
use super::physics;
use physics::flows::{self, MEASUREMENTS};

fn measure(title: &str) {
    if let Some(gpu) = common::gpu() {
        physics::measure(MEASUREMENTS, title, &gpu);
    }
}

#[test]
fn taylor_green_decay_matches_the_closed_form() {
    measure("Taylor-Green vortices");
}

#[test]
fn coarse_heated_cavity_is_near_the_published_nusselt_number() {
    let Some(gpu) = common::gpu() else { return };
    let [found, still] = [1.0, 0.0].map(|lift| flows::nusselt(&gpu, 10, lift));
    // Of second order: (h Nu)^2 is 0.0125 for cells of h = 1/10 beside a layer of 1/Nu; twice that.
    assert!((found / 1.118 - 1.0).abs() < 0.025, "{found}");
    assert!((still - 1.0).abs() < 0.01, "control, no buoyancy: {still}");
}

#[test]
#[ignore = "long: 3,072 steps"]
fn heated_cavity_matches_the_published_nusselt_number() {
    measure("Heated cavity");
}

#[test]
fn control_taylor_green_detects_one_percent_more_viscosity() {
    let Some(gpu) = common::gpu() else { return };
    let row = flows::energy(&flows::decayed(&gpu, 16, 1.01, 0));
    assert!(!row.holds(), "{row:?}");
}

#[test]
#[ignore = "long: two flows of another scheme"]
fn control_taylor_green_detects_first_order_advection() {
    let Some(gpu) = common::gpu() else { return };
    let [coarse, fine] = [16, 32].map(|n| flows::decayed(&gpu, n, 1.0, 1));
    let row = flows::order(&coarse, &fine);
    assert!(!row.holds(), "{row:?}");
}

#[test]
#[ignore = "long: another heated cavity"]
fn control_heated_cavity_detects_less_buoyancy() {
    let Some(gpu) = common::gpu() else { return };
    let row = flows::beside_published(flows::nusselt(&gpu, 32, 0.9));
    assert!(!row.holds(), "{row:?}");
}

#[test]
fn every_measurement_has_a_test() {
    let source = include_str!("flow_physics.rs");
    for (title, _) in MEASUREMENTS {
        assert!(
            source.contains(&format!("measure({title:?})")),
            "{title} is in the table only"
        );
    }
}
