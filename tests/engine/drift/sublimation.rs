//! Snow that sublimates: the rate of a grain, a column, and no unit lost.

use std::f64::consts::PI;

use sastrugi::run::Options;
use serde_json::{Value, json};

use super::super::common::{self, simulation::*};
use super::{balance, counted, field, sum};

/// kg/s that a ball of ice loses (Thorpe & Mason 1966), in air of T (K) and a humidity over ice.
fn loss(diameter: f64, speed: f64, kelvin: f64, humidity: f64) -> f64 {
    let (latent, vapour) = (2.838e6, 461.5);
    let pressure = 611.15 * (22.452 * (kelvin - 273.16) / (kelvin - 0.61)).exp();
    let density = pressure / (vapour * kelvin);
    let diffusivity = 2.06e-5 * (kelvin / 273.0f64).powf(1.75);
    let transfer = 1.79 + 0.606 * (diameter * speed / 1.3e-5).sqrt();
    let by_heat = latent / (0.024 * kelvin * transfer) * (latent / (vapour * kelvin) - 1.0);
    let by_vapour = 1.0 / (diffusivity * density * transfer);
    PI * diameter * (1.0 - humidity) / (by_heat + by_vapour)
}

fn mass(diameter: f64) -> f64 {
    PI / 6.0 * 917.0 * diameter.powi(3)
}

/// Saltation over bare ground and snow in cells, in air at -10 degrees with 70 % humidity: after 400 steps of 0.5 s their
/// units are those that grains of 0.2 mm and 0.1 mm keep, to 0.1 %. With two per cent more humidity they are not.
#[test]
fn snow_sublimates_at_the_rate_of_its_grains() {
    let Some(gpu) = common::gpu() else { return };
    let units = 1_000_000_000_u32;
    let face = |at: &str| json!({"type": "float", "at": at, "border": ["repeat", "repeat", "clamp"], "background": 0});
    let sides =
        json!({"low": ["periodic", "periodic", "closed"], "high": ["periodic", "periodic", "closed"]});
    let file = json!({
        "run": {"dt": 0.5},
        "use": {"drift": {"module": "modules/drift.json", "roles": {"grid": "air", "ground": "ground"}, "parameters": {
            "suspended": "yes", "sublimes": "yes", "weather": {"humidity": 0.7}, "sides": sides,
            "threshold": {"fresh": 0.2, "hard": 0.2}, "courant": 0}}},
        "grids": {
            "air": {"cells": [2, 2, 3], "cell_size": 1, "channels": {
                "u": face("face_x"), "v": face("face_y"), "w": face("face_z"), "eddy": {"type": "float", "at": "face_z"},
                "faces": "uint"}},
            "ground": {"vertices": [2, 2], "cell_size": 1, "channels": {
                "elevation": {"type": "float", "background": 0}, "snow": {"type": "uint", "background": 0},
                "friction": {"type": "vec2", "values": ["0.3", "0.4"]}, "salt": {"type": "uint", "background": units}}}
        },
        "init": [{"set": "drift.grid.suspended", "to": units}],
        "step": ["drift.sublime"]
    });
    let mut sim = simulation(&gpu, pipeline_in(&root().join("pipelines"), &file), CHECKED);
    advance(&mut sim, 400);
    let [salt, air] = ["ground.salt", "drift.grid.suspended"].map(|name| read_words(&mut sim, name));
    let kept = |diameter: f64, speed: f64, humidity: f64| {
        let rate = loss(diameter, speed, 263.15, humidity) / mass(diameter);
        (1.0 - 0.5 * rate).powi(400)
    };
    for (words, diameter, speed) in [(&salt, 2e-4, 0.68 * 0.5 + 2.3 * 0.2), (&air, 1e-4, 0.3)] {
        for &word in words {
            let part = f64::from(word) / f64::from(units);
            let [wanted, control] = [0.7, 0.72].map(|humidity| kept(diameter, speed, humidity));
            assert!((part / wanted - 1.0).abs() < 1e-3, "{part}, {wanted}");
            assert!((part / control - 1.0).abs() > 2e-3, "control: {part}, {control}");
        }
    }
    let lost = counted(&mut sim, "drift.sublimated");
    let there = sum(&mut sim, "ground.salt") + sum(&mut sim, "drift.grid.suspended");
    assert_eq!(there + lost, u64::from(units) * 16);
}

/// Drifting snow that sublimates: ground + saltation + suspension + gone + sublimated = before + come in every step.
#[test]
fn every_unit_of_sublimated_snow_is_counted() {
    let Some(gpu) = common::gpu() else { return };
    let mut file: Value = field(&json!(["drift.step"]));
    file["use"]["drift"]["parameters"]["sublimes"] = json!("yes");
    file["use"]["drift"]["parameters"]["weather"] = json!({"humidity": 0.2});
    let mut sim = simulation(
        &gpu,
        pipeline_in(&root().join("pipelines"), &file),
        Options::PLAIN,
    );
    advance(&mut sim, 1);
    let total = |sim: &mut sastrugi::run::Simulation| {
        let (there, came) = balance(sim);
        (there + counted(sim, "drift.sublimated") - came, there - came)
    };
    let (before, without) = total(&mut sim);
    for step in 2..=40 {
        advance(&mut sim, 1);
        assert_eq!(total(&mut sim).0, before, "step {step}");
    }
    assert!(total(&mut sim).1 < without, "control: units sublimated");
}
