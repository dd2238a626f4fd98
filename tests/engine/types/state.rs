//! States: taken, put back, and the same in every storage.

use sastrugi::run::{Extent, SimulationState};

use super::*;

fn take(simulation: &mut Simulation, extent: Extent) -> SimulationState {
    let pending = simulation.capture(extent).unwrap();
    simulation.captured(pending).unwrap()
}

fn hash(simulation: &mut Simulation) -> String {
    take(simulation, Extent::Visible)
        .hash()
        .unwrap()
        .to_hex()
        .to_string()
}

/// A grid and a set of every type that change in every step.
fn file(channels: &[Channel], storage: &str) -> Value {
    let mut attributes = json!({"key": "uint"});
    for channel in channels {
        attributes[format!("a_{}", channel.name)] = channel.file(channel.element);
    }
    let mut step = entries("air", channels).concat();
    let [mut start, _] = entries("dust", channels);
    start.push(json!({"stage": "keys", "over": "dust", "writes": ["dust.key"]}));
    start.iter_mut().for_each(|entry| entry["every"] = json!(3));
    step.extend(start);
    step.push(json!({"sort": "dust", "by": "dust.key", "bits": 4}));
    let mut file = json!({
        "grids": {"air": {"cells": [7, 5, 3], "cell_size": 1, "channels": both(channels)}},
        "particles": {"dust": {"count": 131, "ring": 3, "attributes": attributes}},
        "init": [],
        "step": step
    });
    if storage == "sparse" {
        file["grids"]["air"]["sparse"] = json!({});
        file["init"] = json!([{"stage": "ask", "over": 105, "requests": ["air"]}, {"update_grid": "air"}]);
    }
    file
}

/// The kernels, whose values follow from the step too.
fn kernels(channels: &[Channel]) -> Kernels {
    let keys = format!(
        "#version 460\n#include \"stage.glsl\"\n{}void stage(uint i) {{\n    uint number = i;\n    const uint k = \
         99u;\n    set_dust_key(i, mixed(0u) & 15u);\n}}\n",
        twin::FUNCTIONS
    );
    let mut kernels = make_and_see("air", channels, &Index::of(3, "air", "cells")).concat();
    let [start, _] = make_and_see("dust", channels, &Index::of(1, "dust", "count"));
    kernels.extend(start);
    kernels.extend([kernel("keys.comp", keys), kernel("ask.comp", ASK)]);
    for (_, text) in &mut kernels {
        *text = text.replace("uint number = ", "uint number = 1000u * clock.step + ");
    }
    kernels
}

#[test]
fn resume_is_bitwise_exact_for_every_type() {
    let Some(gpu) = common::gpu() else { return };
    let channels = few();
    for storage in ["dense", "sparse"] {
        let file = file(&channels, storage);
        let mut whole = simulation(&gpu, &file, &kernels(&channels));
        (0..4).for_each(|_| whole.step(false).unwrap());
        let state = take(&mut whole, Extent::Everything);
        let before = hash(&mut whole);
        (0..3).for_each(|_| whole.step(false).unwrap());
        let pipeline = Pipeline::clone(whole.pipeline());
        let mut resumed =
            Simulation::resume(&gpu, pipeline, whole.modules().to_vec(), CHECKED, &state).unwrap();
        assert_eq!(hash(&mut resumed), before, "{storage}");
        (0..3).for_each(|_| resumed.step(false).unwrap());
        assert_eq!(hash(&mut resumed), hash(&mut whole), "{storage}");
        assert_ne!(hash(&mut whole), before, "control: steps change it");
        for channel in &channels {
            let name = format!("air.b_{}", channel.name);
            assert_eq!(
                resumed.read(&name).unwrap(),
                whole.read(&name).unwrap(),
                "{storage}: {name}"
            );
        }
        assert_no_fault(&mut whole);
    }
}

/// Fields written by the host are read back from every storage.
#[test]
fn host_writes_set_every_type() {
    let Some(gpu) = common::gpu() else { return };
    let channels = few();
    for storage in ["dense", "sparse"] {
        let file = file(&channels, storage);
        let mut simulation = simulation(&gpu, &file, &kernels(&channels));
        for channel in &channels {
            let mut bytes = Vec::new();
            for k in 0..channel.count.unwrap_or(1) {
                (0..105).for_each(|number| bytes.extend(channel.bytes(channel.element, number + 5, k)));
            }
            let name = format!("air.a_{}", channel.name);
            simulation.write(&name, &bytes).unwrap();
            assert_eq!(simulation.read(&name).unwrap(), bytes, "{storage}: {name}");
        }
    }
}
