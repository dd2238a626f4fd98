//! The material point method against mechanics and published experiments, on the device, validation layer on: each
//! measurement of docs/validation.md keeps its bound, and what is wrong by a little does not.

use super::common;
use super::physics;
use physics::Row;
use physics::matter::{MEASUREMENTS, bar, column, dam, disks};

fn measure(title: &str) {
    if let Some(gpu) = common::gpu() {
        physics::measure(MEASUREMENTS, title, &gpu);
    }
}

fn broken(rows: &[Row]) -> usize {
    rows.iter().filter(|row| !row.holds()).count()
}

#[test]
fn free_fall_matches_the_closed_form() {
    measure("Free fall");
}

#[test]
#[ignore = "long: a period of the bar"]
fn oscillating_bar_matches_period_and_amplitude() {
    measure("Vibrating bar");
}

#[test]
#[ignore = "long: a thousand steps"]
fn colliding_disks_match_published_values() {
    measure("Colliding disks");
}

#[test]
#[ignore = "long: two columns of water"]
fn dam_break_front_matches_experiment() {
    measure("Breaking dam");
}

#[test]
#[ignore = "long: six columns of sand"]
fn sand_column_runout_matches_experiments() {
    measure("Collapsing column");
}

#[test]
#[ignore = "long: another bar"]
fn control_bar_detects_higher_stiffness() {
    let Some(gpu) = common::gpu() else { return };
    for clamped in [true, false] {
        let bar = bar::Bar {
            mode: 1,
            clamped,
            stiffness: 1.05,
        };
        let rows = bar::deviations("5 % stiffer", bar, &bar.vibrates(&gpu));
        assert_eq!(broken(&rows), 2, "{rows:#?}");
    }
}

#[test]
#[ignore = "long: four collisions"]
fn control_disks_detect_other_speeds_and_pic() {
    let Some(gpu) = common::gpu() else { return };
    let collide = |cells, speed, apic| {
        let disks = disks::Disks { cells, speed, apic };
        (disks, disks.collide(&gpu))
    };
    for speed in [0.9, 1.25] {
        let (disks, found) = collide(40, speed, 1);
        let rows = disks::contact(disks, &found);
        assert_eq!(broken(&rows), 1, "{speed}: {rows:#?}");
    }
    // PIC loses energy at a rate that steps set, not cells.
    let [coarse, fine] = [20, 40].map(|cells| collide(cells, 1.0, 0).1);
    let row = disks::losses(&coarse, &fine);
    assert!(!row.holds(), "{row:?}");
}

#[test]
#[ignore = "long: another column of water"]
fn control_dam_detects_other_gravity() {
    let Some(gpu) = common::gpu() else { return };
    let row = dam::beside_experiment(dam::front(&gpu, 2, 1.2).speed);
    assert!(!row.holds(), "{row:?}");
    assert!(!dam::beside_experiment(f64::NAN).holds());
}

#[test]
#[ignore = "long: three columns of sand"]
fn control_sand_detects_other_friction() {
    let Some(gpu) = common::gpu() else { return };
    for (round, cells, friction) in [(false, 16, 15.0), (false, 16, 45.0), (true, 8, 45.0)] {
        let column = column::Column {
            aspect: 1,
            cells,
            friction,
            round,
        };
        let row = column::beside_experiments(column, &column.collapses(&gpu));
        assert!(!row.holds(), "{row:?}");
    }
}

#[test]
fn every_measurement_has_a_test() {
    let source = include_str!("matter_physics.rs");
    for (title, _) in MEASUREMENTS {
        assert!(
            source.contains(&format!("measure({title:?})")),
            "{title} is in the table only"
        );
    }
}
