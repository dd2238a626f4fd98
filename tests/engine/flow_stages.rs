//! Stages of flows by themselves.

use serde_json::json;

use super::common::{self, simulation::*};

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-5 * wanted.abs().max(1.0)
}

/// Half the square of the velocity, where each cell has half of each of its faces.
#[test]
fn energy_has_half_of_each_face_of_a_cell() {
    let Some(gpu) = common::gpu() else { return };
    for cells in [&[5usize, 4][..], &[4, 3, 6]] {
        let mut channels = json!({
            "p": {"type": "float", "background": 0}, "cell_type": {"type": "uint", "background": 0}
        });
        for (axis, name) in ["u", "v", "w"].into_iter().enumerate().take(cells.len()) {
            channels[name] =
                json!({"type": "float", "at": format!("face_{}", ["x", "y", "z"][axis]), "background": 0});
        }
        let file = json!({
            "run": {"dt": 1},
            "use": {"flow": {"module": "modules/flow.json", "roles": {"grid": "box"}}},
            "grids": {"box": {"cells": cells, "cell_size": 0.5, "levels": "all", "channels": channels}},
            "step": ["flow.measure_energy"]
        });
        let mut sim = simulation(&gpu, pipeline_in(&root().join("pipelines"), &file), CHECKED);
        let mut wanted = 0.0;
        for (axis, name) in ["box.u", "box.v", "box.w"]
            .into_iter()
            .enumerate()
            .take(cells.len())
        {
            let sides: Vec<usize> = (0..cells.len())
                .map(|k| cells[k] + usize::from(k == axis))
                .collect();
            let stride: usize = sides[..axis].iter().product();
            let count = sides.iter().product();
            let values: Vec<f32> = (0..count)
                .map(|i: usize| 0.1 * ((7 * i + 3 * axis) % 11) as f32 - 0.3)
                .collect();
            for (i, value) in values.iter().enumerate() {
                let place = i / stride % sides[axis];
                let owners = if place == 0 || place == cells[axis] {
                    1.0
                } else {
                    2.0
                };
                wanted += 0.25 * owners * f64::from(value * value);
            }
            write_floats(&mut sim, name, &values);
        }
        advance(&mut sim, 1);
        let found = read_doubles(&mut sim, "flow.energy")[0];
        assert!(close(found, wanted), "{cells:?}: {found}, {wanted}");
    }
}

#[test]
fn densities_are_those_of_the_fluid_of_a_cell() {
    let Some(gpu) = common::gpu() else { return };
    let size = [3, 2, 4];
    // 0 is water, 1 air, 2 a solid.
    let water: Vec<u32> = (0..24).map(|cell| cell % 3).collect();
    let smoke: Vec<f32> = (0..24u8).map(|cell| 0.25 * f32::from(cell)).collect();
    let file = json!({
        "run": {"dt": 1},
        "parameters": {"rho": {"water": 1000, "gas": 1.25}},
        "grids": {"grid": {"cells": size, "cell_size": 0.5, "origin": [0, 0, 2], "channels": {
            "water": {"type": "uint", "background": 0}, "density": {"type": "float", "at": "centre", "background": 0},
            "rho": "float", "heights": "float", "shown": "float"}}},
        "step": [{"stage": "two_densities", "shader": "flow/two_densities.comp", "over": "grid"}]
    });
    let mut sim = simulation(&gpu, pipeline(&file, &[]), CHECKED);
    let bytes: Vec<u8> = water.iter().flat_map(|kind| kind.to_le_bytes()).collect();
    sim.write("grid.water", &bytes).unwrap();
    write_floats(&mut sim, "grid.density", &smoke);
    advance(&mut sim, 1);
    let [rho, heights, shown] =
        ["grid.rho", "grid.heights", "grid.shown"].map(|field| read_doubles(&mut sim, field));
    for (cell, kind) in water.into_iter().enumerate() {
        let (smoke, height) = (f64::from(smoke[cell]), 2.0 + 0.5 * ((cell / 6) as f64 + 0.5));
        let (density, picture) = if kind == 0 { (1000.0, -1.0) } else { (1.25, smoke) };
        assert_eq!([rho[cell], shown[cell]], [density, picture], "cell {cell}");
        assert!(
            close(heights[cell], smoke * height),
            "cell {cell}: {}",
            heights[cell]
        );
    }
}
