//! Checked runs: entries that arrays do not have, and types that a device does not have.

use sastrugi::run::RunError;

use super::*;

/// The fault of one stage over a resource, after one step.
fn fault(gpu: &Gpu, file: &Value, body: &str) -> Option<String> {
    let touch = format!("#version 460\n#include \"stage.glsl\"\n{body}\n");
    let kernels = [kernel("touch.comp", touch), kernel("ask.comp", ASK)];
    let mut simulation = simulation(gpu, file, &kernels);
    simulation.step(false).unwrap();
    simulation.finish().unwrap();
    simulation.fault().unwrap().map(|fault| fault.to_string())
}

fn grid(storage: &str) -> Value {
    let mut file = json!({
        "grids": {"air": {"cells": [4, 3, 2], "cell_size": 1, "channels": {
            "f": {"type": "float", "count": 19, "background": 2}, "n": {"type": "uint", "count": 3},
            "h": {"type": "half", "background": 2}
        }}},
        "buffers": {"found": {"type": "float", "length": 24}},
        "init": [],
        "step": [{
            "stage": "touch", "over": 1, "reads": ["air.f", "air.h", "air.n"], "writes": ["air.f", "air.n", "air.h", "found"]
        }]
    });
    if storage == "sparse" {
        file["grids"]["air"]["sparse"] = json!({});
        file["init"] = json!([{"stage": "ask", "over": 1, "requests": ["air"]}, {"update_grid": "air"}]);
    }
    file["grids"]["air"]["channels"]["n"]["background"] = json!(0);
    file
}

#[test]
fn an_entry_beyond_the_last_is_a_fault_that_names_field_index_and_entry() {
    let Some(gpu) = common::gpu() else { return };
    for storage in ["dense", "sparse"] {
        let file = grid(storage);
        let fault = |body: &str| fault(&gpu, &file, &format!("void stage(uint i) {{ {body} }}"));
        for (body, wanted) in [
            (
                "set_found(0u, air_f(ivec3(1, 2, 1), 19));",
                "stage `touch` read entry 19 of `air.f` at index (1, 2, 1), whose arrays have 19 entries",
            ),
            (
                "set_found(0u, air_f(ivec3(1, 0, 1), -1));",
                "stage `touch` read entry -1 of `air.f` at index (1, 0, 1)",
            ),
            (
                "set_air_f(ivec3(0, 2, 1), 19u, 1.0);",
                "stage `touch` wrote entry 19 of `air.f` at index (0, 2, 1)",
            ),
            (
                "add_air_n(ivec3(0, 0, 1), 3u, 1u);",
                "stage `touch` wrote entry 3 of `air.n` at index (0, 0, 1), whose arrays have 3 entries",
            ),
            (
                "set_found(0u, air_h(ivec3(4, 0, 0)));",
                "stage `touch` read `air.h` at index (4, 0, 0), outside its size (4, 3, 2)",
            ),
            (
                "set_air_f(ivec3(0, 0, -1), 2u, 1.0);",
                "stage `touch` wrote `air.f` at index (0, 0, -1), outside its size (4, 3, 2)",
            ),
        ] {
            let found = fault(body).unwrap_or_default();
            assert!(found.starts_with(wanted), "{storage}: {body}: {found}");
        }
        // Control: the last entry is there.
        assert_eq!(
            fault("set_air_f(ivec3(3, 2, 1), 18u, air_f(ivec3(0), 18));"),
            None
        );
    }
}

/// A read that faults returns the background, a write is dropped.
#[test]
fn faulting_accesses_do_no_harm() {
    let Some(gpu) = common::gpu() else { return };
    let body = "void stage(uint i) { set_found(0u, air_f(ivec3(0), 19)); set_found(1u, air_h(ivec3(-1, 0, 0))); \
                set_air_f(ivec3(3, 2, 1), 19u, 9.0); set_found(2u, 7.0); }";
    let touch = format!("#version 460\n#include \"stage.glsl\"\n{body}\n");
    let mut simulation = simulation(&gpu, &grid("dense"), &[kernel("touch.comp", touch)]);
    simulation.step(false).unwrap();
    let found = simulation.read("found").unwrap();
    let found: Vec<f64> = Element::Float.scalar().numbers(&found).collect();
    assert_eq!(found[..3], [2.0, 2.0, 7.0]);
    let field = simulation.read("air.f").unwrap();
    assert!(Element::Float.scalar().numbers(&field).all(|value| value == 2.0));
}

#[test]
fn types_that_a_device_lacks_are_named_with_their_fields() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "buffers": {
            "small": {"type": "uint8", "length": 4}, "half": {"type": "hvec3", "length": 4},
            "long": {"type": "dvec2", "length": 4}, "plain": {"type": "mat3", "length": 4},
            "whole": {"type": "int64", "length": 4}
        },
        "step": [{"stage": "touch", "over": 1, "writes": ["plain"], "arguments": {
            "d": "double(1)"
        }}]
    });
    let pipeline = pipeline(&file, &[]);
    let mut device = gpu.report().clone();
    let missing =
        |device: &sastrugi::gpu::DeviceReport| sastrugi::run::device::missing_types(&pipeline, device);
    assert!(missing(&device).is_empty(), "control: the device has them all");
    device.name = "Old".into();
    device.optional_features.clear();
    let problems = missing(&device);
    let text = RunError::Input(problems).to_string();
    for wanted in [
        "`small` is of type uint8, but Old lacks the feature storageBuffer8BitAccess",
        "`half` is of type hvec3, but Old lacks the feature storageBuffer16BitAccess",
        "`long` is of type dvec2, but Old lacks the feature shaderFloat64",
        "`d` is of type double, but Old lacks the feature shaderFloat64",
        "use a type of 32 bits, or another device",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
    assert!(!text.contains("`plain`") && !text.contains("`whole`"), "{text}");
}
