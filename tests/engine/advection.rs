//! Second-order advection: a blob that has gone round once is what it was.

use sastrugi::run::Options;
use sastrugi::spec;

use super::common::{self, simulation::*};

#[test]
fn blob_survives_a_turn_in_second_order_advection() {
    let Some(gpu) = common::gpu() else { return };
    let path = root().join("tests/data/flow/rotation.json");
    let overrides = ["n=24".to_string(), "width=0.12".to_string()];
    let (pipeline, _) = spec::load(&path, &overrides).unwrap_or_else(|problems| panic!("{problems}"));
    let mut sim = simulation(&gpu, pipeline, Options::PLAIN);
    let fields = ["box.heat", "box.careful", "box.plain"];
    let start = fields.map(|field| read_doubles(&mut sim, field));
    // Four steps a cell of the edge: one second, one turn. After a quarter it has gone from the top to the left.
    advance(&mut sim, 24);
    for field in fields {
        let values = read_doubles(&mut sim, field);
        let sum: f64 = values.iter().sum();
        let mean = |at: fn(usize) -> usize| {
            let moments = values
                .iter()
                .enumerate()
                .map(|(cell, value)| (at(cell) as f64 + 0.5) / 24.0 * value);
            moments.sum::<f64>() / sum
        };
        let [x, y] = [mean(|cell| cell % 24), mean(|cell| cell / 24 % 24)];
        assert!(
            (x - 0.28).abs() < 0.02 && (y - 0.5).abs() < 0.02,
            "{field} is at {x}, {y}"
        );
    }
    advance(&mut sim, 3 * 24);
    let error = |sim: &mut sastrugi::run::Simulation, k: usize| {
        let end = read_doubles(sim, fields[k]);
        let square = |x: f64| x * x;
        let off: f64 = end.iter().zip(&start[k]).map(|(a, b)| square(a - b)).sum();
        (off / start[k].iter().map(|x| square(*x)).sum::<f64>()).sqrt()
    };
    let [maccormack, bfecc, plain] = [0, 1, 2].map(|k| error(&mut sim, k));
    println!("error after a turn: MacCormack {maccormack:.3}, BFECC {bfecc:.3}, first order {plain:.3}");
    // Of second order, though limited at the peak: less than half of the error.
    assert!(
        maccormack < 0.5 * plain && bfecc < 0.5 * plain,
        "{maccormack} {bfecc} {plain}"
    );
    // Control: the first order loses much.
    assert!(plain > 0.2, "{plain}");
}

/// The quantities of smoke after one step, and their copies, bit by bit.
fn smoke_and_copies(gpu: &common::TestGpu, overrides: &[String]) -> [(Vec<f64>, Vec<f64>); 5] {
    let path = root().join("tests/data/flow/tracers.json");
    let (pipeline, _) = spec::load(&path, overrides).unwrap_or_else(|problems| panic!("{problems}"));
    let mut sim = simulation(gpu, pipeline, Options::PLAIN);
    advance(&mut sim, 1);
    ["density", "heat", "u", "v", "w"].map(|name| {
        let values = read_doubles(&mut sim, &format!("room.{name}"));
        let before = read_doubles(&mut sim, &format!("room.{name}_a"));
        let copy = read_doubles(&mut sim, &format!("room.{name}_copy"));
        assert_ne!(values, before, "the correction of {name} changes nothing");
        (values, copy)
    })
}

#[test]
fn smoke_moves_like_separate_tracers() {
    let Some(gpu) = common::gpu() else { return };
    for (values, copy) in smoke_and_copies(&gpu, &[]) {
        assert_eq!(values, copy);
    }
}

#[test]
fn control_bfecc_differs_from_maccormack() {
    let Some(gpu) = common::gpu() else { return };
    for (values, copy) in smoke_and_copies(&gpu, &["air.bfecc=1".to_string()]) {
        assert_ne!(values, copy);
    }
}
