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
fn vortices_decay_as_their_closed_form() {
    measure("Taylor-Green vortices");
}

#[test]
fn a_heated_cavity_has_the_published_nusselt_number() {
    measure("Heated cavity");
}

#[test]
fn control_vortices_in_a_thicker_fluid_miss() {
    let Some(gpu) = common::gpu() else { return };
    let row = flows::energy(&flows::decayed(&gpu, 16, 1.01, 0));
    assert!(!row.holds(), "{row:?}");
}

#[test]
fn control_a_scheme_of_first_order_misses() {
    let Some(gpu) = common::gpu() else { return };
    let [coarse, fine] = [16, 32].map(|n| flows::decayed(&gpu, n, 1.0, 1));
    let row = flows::order(&coarse, &fine);
    assert!(!row.holds(), "{row:?}");
}

#[test]
fn control_a_cavity_with_less_lift_misses() {
    let Some(gpu) = common::gpu() else { return };
    let row = flows::beside_published(flows::nusselt(&gpu, 0.9));
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
