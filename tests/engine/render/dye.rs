//! Dye as coloured smoke (spectral/draw_dye_3d.comp).

use serde_json::json;

use super::super::common::{self, simulation::*};

/// The bytes of a picture of a ball of dye of one colour, 0 to 2, so dense that nothing is seen behind it.
fn picture(gpu: &common::TestGpu, color: usize) -> Vec<[u8; 4]> {
    let ball = "0.5 * max(0, 1 - 8 * ((x - 0.5) ^ 2 + (y - 0.4) ^ 2 + (z - 0.55) ^ 2))";
    let dye = [0, 1, 2].map(|part| if part == color { json!(ball) } else { json!(0) });
    let file = json!({
        "parameters": {"camera": {"eye": [1.9, -1.8, 1.5], "target": [0.5, 0.5, 0.5], "fov": 25},
            "sun": [0.5, -0.6, 0.9], "extinction": 9000},
        "run": {"dt": 1},
        "grids": {
            "box": {"cells": [16, 16, 16], "cell_size": "1 / 16", "channels": {
                "dye": {"type": "vec3", "at": "centre", "values": dye}}},
            "view": {"pixels": [40, 40], "channels": {"color": "rgba8"}}
        },
        "frame": [{"stage": "draw_dye_3d", "shader": "spectral/draw_dye_3d.comp", "over": "view"}]
    });
    let mut simulation = simulation(gpu, pipeline_in(&root().join("pipelines"), &file), CHECKED);
    simulation.frame(true).unwrap();
    assert_no_fault(&mut simulation);
    let words = read_words(&mut simulation, "view.color");
    words.into_iter().map(u32::to_le_bytes).collect()
}

#[test]
fn dye_of_every_colour_has_equal_shades() {
    let Some(gpu) = common::gpu() else { return };
    let [red, green, blue] = [0, 1, 2].map(|color| picture(&gpu, color));
    let mut shades = Vec::new();
    for ((red, green), blue) in red.iter().zip(&green).zip(&blue) {
        let colors = [red, green, blue];
        let is_thick = (0..3).all(|color| (0..3).all(|part| part == color || colors[color][part] <= 12));
        if is_thick {
            let [red, green, blue] = [0, 1, 2].map(|color| colors[color][color]);
            assert!(
                red.abs_diff(green) <= 1 && red.abs_diff(blue) <= 1,
                "{red} {green} {blue}"
            );
            shades.push(red);
        }
    }
    let (darkest, brightest) = (shades.iter().min().unwrap(), shades.iter().max().unwrap());
    assert!(shades.len() > 100, "{} pixels", shades.len());
    assert!(
        brightest - darkest > 40,
        "one side is lit: {darkest} to {brightest}"
    );
}
