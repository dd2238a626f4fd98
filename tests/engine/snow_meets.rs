//! Snow of the material point method that comes to rest on the ground becomes snow on the ground: nothing is lost, nothing
//! is made, and what moves stays matter. On a device, validation layer on.

use sastrugi::gpu::Gpu;
use sastrugi::run::{Options, Simulation};
use sastrugi::spec::Document;
use serde_json::{Value, json};

use super::common::{self, simulation::*};

/// A pipeline without pictures and files.
fn pipeline(name: &str) -> Value {
    let path = root().join("pipelines").join(name);
    let mut file = Document::read(&path).unwrap().value();
    for key in ["frame", "outputs"] {
        file.as_object_mut().unwrap().remove(key);
    }
    let init = file["init"].as_array_mut().unwrap();
    init.retain(|entry| entry != "draw.init");
    file["run"]["steps_per_frame"] = json!(1);
    file
}

fn simulation(gpu: &Gpu, file: &Value, options: Options) -> Simulation {
    common::simulation::simulation(gpu, pipeline_in(&root().join("pipelines"), file), options)
}

/// Units of snow on the ground.
fn lying(sim: &mut Simulation) -> u64 {
    let sum = |values: Vec<u32>| values.into_iter().map(u64::from).sum::<u64>();
    sum(read_words(sim, "ground.snow")) + sum(read_words(sim, "ground.fresh"))
}

/// Units of snow of a particle of the balls.
const UNITS: u64 = 12;

/// Three small balls over level ground of 12 x 12 m, vertices 0.3 m apart.
fn balls() -> Value {
    let mut file = pipeline("mpm_snowfall.json");
    let ground = &mut file["grids"]["ground"];
    ground["vertices"] = json!([41, 41]);
    let model = &mut ground["channels"]["elevation"]["values"];
    model["metres_per_pixel"] = json!([0.03, 0.035]);
    model["metres_per_level"] = json!(0);
    file["use"]["bed"]["parameters"]["units"] = json!(UNITS);
    let parameters = &mut file["parameters"];
    parameters["box"] = json!({"low": [1.2, 1.2, -1.5], "cells": [32, 32, 20], "cell": 0.3});
    parameters["balls"] = json!({"each": 250, "radius": 0.6, "jitter": 0.9, "first": [5, 5, 1], "second": [7, 6, 1.2],
                                 "third": [5.5, 7.4, 0.9], "velocity": [0, 0, -1]});
    file
}

#[test]
fn resting_matter_becomes_ground_snow_exactly() {
    let Some(gpu) = common::gpu() else { return };
    let file = balls();
    let mut sim = simulation(&gpu, &file, Options::PLAIN);
    advance(&mut sim, 1);
    let first = lying(&mut sim);
    assert_eq!(first, 41 * 41 * 60);
    let mut seen = Vec::new();
    for _ in 0..16 {
        advance(&mut sim, 60);
        let handed = u64::from(read_words(&mut sim, "bed.handed")[0]);
        let live = u64::from(read_words(&mut sim, "matter_live")[0]);
        assert_eq!(lying(&mut sim), first + UNITS * handed);
        assert_eq!(live + handed, 750);
        seen.push(handed);
    }
    println!("handed over: {seen:?}");
    // In the air none is; in the end most are.
    assert_eq!(seen[0], 0);
    assert!(*seen.last().unwrap() > 600, "{seen:?}");
    assert_eq!(read_words(&mut sim, "transfer.counters"), [0, 0]);
    // It lies where it fell: the mean place of what is more than there was, in m.
    let snow = read_words(&mut sim, "ground.snow");
    let mean = |coordinate: fn(usize) -> usize, spacing: f64| {
        let weigh = |i: usize| (f64::from(snow[i]) - 60.0) * coordinate(i) as f64 * spacing;
        (0..snow.len()).map(weigh).sum::<f64>() / (lying_over(&snow) as f64)
    };
    let (x, y) = (
        mean(|i| i % 41, 402.0 * 0.03 / 40.0),
        mean(|i| i / 41, 343.0 * 0.035 / 40.0),
    );
    println!("mean place {x:.3} {y:.3}");
    assert!(
        (x - 17.5 / 3.0).abs() < 0.1 && (y - 18.4 / 3.0).abs() < 0.1,
        "{x} {y}"
    );
}

/// Units beyond the 60 that lay from the start.
fn lying_over(snow: &[u32]) -> i64 {
    snow.iter().map(|units| i64::from(*units) - 60).sum()
}

#[test]
fn moving_matter_is_not_deposited() {
    let Some(gpu) = common::gpu() else { return };
    let mut file = balls();
    // Nothing is ever as slow as this.
    file["use"]["bed"]["parameters"]["slow"] = json!(0);
    let mut sim = simulation(&gpu, &file, Options::PLAIN);
    advance(&mut sim, 240);
    assert_eq!(read_words(&mut sim, "bed.handed"), [0]);
    assert_eq!(read_words(&mut sim, "matter_live")[0], 750);
    // Where nothing stops them balls go through the ground, until they are deep in it: what is solid lies far below.
    file["parameters"]["balls"]["velocity"] = json!([0, 0, -12]);
    file["use"]["bed"]["parameters"]["near"] = json!(0.1);
    file["grids"]["deep"] = json!({"vertices": [2, 2], "cell_size": 12.5, "channels": {
        "elevation": {"type": "float", "values": "-1000"}, "snow": {"type": "uint", "background": 0}}});
    file["use"]["transfer"]["roles"] = json!({"ground": "deep"});
    let mut sim = simulation(&gpu, &file, Options::PLAIN);
    advance(&mut sim, 60);
    assert!(
        read_words(&mut sim, "bed.handed")[0] > 100,
        "what is buried is not handed over"
    );
}

#[test]
#[ignore = "long: an avalanche in snowfall"]
fn slab_and_flakes_share_the_ground() {
    let Some(gpu) = common::gpu() else { return };
    let mut file = pipeline("snow_avalanche.json");
    let air = &mut file["grids"]["air"];
    air["cells"] = json!([40, 42, 16]);
    air["origin"] = json!([0.7, 3, -7]);
    let ground = &mut file["grids"]["ground"];
    ground["vertices"] = json!([96, 100]);
    let model = &mut ground["channels"]["elevation"]["values"];
    model["metres_per_pixel"] = json!([0.7, 0.875]);
    model["metres_per_level"] = json!(0.04);
    let parameters = &mut file["parameters"];
    parameters["flakes"]["count"] = json!(3000);
    parameters["slab"] = json!({"lattice": [10, 10, 4], "spacing": 0.5, "low": [122, 120], "jitter": 0.8});
    parameters["box"] = json!({"low": [112, 108, 0], "cells": [32, 32, 40], "cell": 1});
    // So that some is handed over soon.
    file["use"]["bed"]["parameters"] =
        json!({"snow_unit": 0.001, "near": 2, "slow": 3, "rest_time": 0.1, "units": 24, "every": 2});
    let transfer = &mut file["use"]["transfer"]["parameters"];
    transfer["contact"] = json!(0);
    transfer["friction"] = json!(0);
    let mut sim = simulation(&gpu, &file, Options::PLAIN);
    let mut last = (0, 0);
    for _ in 0..6 {
        advance(&mut sim, 15);
        let landed = u64::from(read_words(&mut sim, "counters")[0]);
        let handed = u64::from(read_words(&mut sim, "bed.handed")[0]);
        assert_eq!(lying(&mut sim), 640 * landed + 24 * handed);
        assert_eq!(u64::from(read_words(&mut sim, "matter_live")[0]) + handed, 400);
        last = (landed, handed);
    }
    println!("{} flakes landed, {} particles handed over", last.0, last.1);
    assert!(last.0 > 10 && last.1 > 10, "{last:?}");
    assert_eq!(read_words(&mut sim, "transfer.counters"), [0, 0]);
}
