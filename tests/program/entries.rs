//! Entries of the engine and kinds of resources as a user of the library meets them: values that are set, and buffers
//! with channels.

use sastrugi::{Device, DeviceOptions, Pipeline, Simulation};

use super::device;

const TEXT: &str = r#"{
    "run": {"dt": 1},
    "grids": {"g": {"cells": [5, 3, 2], "cell_size": 1, "channels": {
        "v": {"type": "vec3", "background": 7}, "n": {"type": "int", "background": 7},
        "left": {"type": "float", "background": 7}}},
        "i": {"pixels": [3, 2], "channels": {"c": {"type": "rgba8", "background": 7}}}},
    "particles": {"p": {"count": 1025, "attributes": {"x": {"type": "vec2", "background": 7}}}},
    "buffers": {"one": {"type": "uint", "length": 1, "background": 7},
        "t": {"length": 4, "channels": {"energy": "float", "modes": {"type": "uint", "background": 3}}}},
    "step": [
        {"set": "g.v", "to": [1, -2, 0.5]}, {"set": "g.n", "to": -4}, {"set": "p.x", "to": ["1/4", 9]},
        {"set": "one", "to": 4294967295}, {"set": "i.c", "to": 16909060},
        {"stage": "rows", "over": "t", "reads": ["t.modes"], "writes": ["t.energy"]}
    ]
}"#;

const ROWS: &str = r#"
#version 460
#include "stage.glsl"
void stage(uint row) { set_t_energy(row, float(t_modes(row)) + 0.5 * float(row) + 100.0 * float(t_length)); }
"#;

#[test]
fn set_entries_work_for_every_resource_kind() {
    if !device::is_here() {
        return;
    }
    let pipeline = Pipeline::from_json(TEXT)
        .shader("rows.comp", ROWS)
        .build()
        .unwrap();
    let device = Device::open(&DeviceOptions::default()).unwrap();
    let mut simulation = Simulation::new(&device, &pipeline).unwrap();
    let before: Vec<f32> = simulation.read("g.v").unwrap();
    assert_eq!(
        before, [7.0; 90],
        "control: nothing is filled before the first step"
    );
    simulation.steps(1).unwrap();
    assert_eq!(
        simulation.read::<f32>("g.v").unwrap(),
        [1.0, -2.0, 0.5].repeat(30)
    );
    assert_eq!(simulation.read::<i32>("g.n").unwrap(), [-4; 30]);
    assert_eq!(
        simulation.read::<f32>("g.left").unwrap(),
        [7.0; 30],
        "control: what is not named is left"
    );
    assert_eq!(simulation.read::<f32>("p.x").unwrap(), [0.25, 9.0].repeat(1025));
    assert_eq!(simulation.read::<u32>("one").unwrap(), [u32::MAX]);
    assert_eq!(simulation.read::<u32>("i.c").unwrap(), [0x0102_0304; 6]);
    assert_eq!(
        simulation.read::<f32>("t.energy").unwrap(),
        [403.0, 403.5, 404.0, 404.5]
    );
}

#[test]
fn invalid_set_entries_are_reported() {
    let text = TEXT
        .replace("\"g.n\", \"to\": -4", "\"g.n\", \"to\": 0.5")
        .replace("\"one\", \"to\"", "\"two\", \"to\"");
    let problems = Pipeline::from_json(&text)
        .shader("rows.comp", ROWS)
        .build()
        .unwrap_err()
        .to_string();
    assert!(problems.contains("0.5 is not a value of type int"), "{problems}");
    assert!(problems.contains("`two` is not a field"), "{problems}");
    let sparse = TEXT.replace(
        "\"cells\": [5, 3, 2], \"cell_size\": 1,",
        "\"cells\": [64, 64, 64], \"cell_size\": 1, \"sparse\": {},",
    );
    let problems = Pipeline::from_json(&sparse)
        .shader("rows.comp", ROWS)
        .build()
        .unwrap_err()
        .to_string();
    assert!(
        problems.contains("`g.v` cannot be set: it is a channel of a sparse grid"),
        "{problems}"
    );
}
