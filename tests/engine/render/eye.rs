//! Faults of pictures that are visible to the eye: bands, steps of pixels and cells, terraces, missing legends.

use serde_json::{Value, json};

use super::super::common::{self, simulation::*};
use super::scene::Scene;
use super::{common::TestGpu, floats};

/// The bytes of `view.color` after a step of a pipeline with the shipped modules.
fn picture(gpu: &TestGpu, file: &Value, fill: impl FnOnce(&mut sastrugi::run::Simulation)) -> Vec<u8> {
    let mut sim = simulation(gpu, pipeline_in(&root().join("pipelines"), file), CHECKED);
    fill(&mut sim);
    advance(&mut sim, 1);
    sim.read("view.color").unwrap()
}

/// A picture developed from grey light by pixel.
fn developed(gpu: &TestGpu, shader: &str, size: [usize; 2], light: impl Fn(usize, usize) -> f64) -> Vec<u8> {
    let file = json!({
        "run": {"dt": 1},
        "grids": {"view": {"pixels": size, "channels": {"radiance": {"type": "vec3", "background": 0}, "color": "rgba8"}}},
        "step": [{"stage": "develop", "shader": shader, "over": "view",
                  "arguments": if shader.contains("matter") { json!({}) } else { json!({"exposure": 1, "white": 4, "smooth_edges": 1}) }}]
    });
    picture(gpu, &file, |sim| {
        let pixels = (0..size[0] * size[1]).flat_map(|i| [light(i % size[0], i / size[0]) as f32; 3]);
        write_floats(sim, "view.radiance", &pixels.collect::<Vec<f32>>());
    })
}

#[test]
fn slow_gradients_have_no_bands() {
    let Some(gpu) = common::gpu() else { return };
    let size = [512, 64];
    let light = |y: usize| 0.1 + 0.0002 * y as f64;
    let colors = developed(&gpu, "render/develop.comp", size, |_, y| light(y));
    for y in 0..size[1] {
        let mapped = light(y) * (1.0 + light(y) / 16.0) / (1.0 + light(y));
        let expected = 255.0 * (1.055 * mapped.powf(1.0 / 2.4) - 0.055);
        let row = (0..size[0]).map(|x| f64::from(colors[4 * (y * size[0] + x)]));
        let mean = row.sum::<f64>() / size[0] as f64;
        // A mean of 512 pixels with a deviation of up to half a level; without dither it is off by up to half a level.
        assert!((mean - expected).abs() < 0.1, "row {y}: {mean} for {expected}");
    }
}

#[test]
fn outlines_have_intermediate_values() {
    let Some(gpu) = common::gpu() else { return };
    let size = [64, 48];
    for shader in ["render/develop.comp", "render/develop_matter.comp"] {
        let colors = developed(&gpu, shader, size, |x, y| if 3 * x > 4 * y { 0.9 } else { 0.1 });
        let level = |x: usize, y: usize| i32::from(colors[4 * (y * size[0] + x)]);
        let [dark, bright] = [level(2, 40), level(60, 4)];
        for y in 1..size[1] - 1 {
            let between = (0..size[0]).filter(|x| (dark + 10..bright - 10).contains(&level(*x, y)));
            assert!(between.count() > 0, "{shader}: row {y} has a hard edge");
        }
    }
}

/// A plane flow at rest with a disc, a wall of the domain and a single solid cell, in 4 x 4 pixels per cell.
fn plane_flow(gpu: &TestGpu, legend: u32) -> Vec<u8> {
    let file = json!({
        "run": {"dt": 1},
        "grids": {
            "grid": {"cells": [80, 40], "cell_size": 1, "channels": {
                "field": {"type": "float", "background": 0},
                "cell_type": {"type": "uint", "values": "2 * (((x - 20) ^ 2 + (y - 20) ^ 2 < 100) + (y < 4) + (x > 60) * (x < 61) * (y > 30) * (y < 31))"}}},
            "view": {"pixels": [320, 160], "channels": {"color": "rgba8"}}},
        "step": [{"stage": "paint", "shader": "flow/draw_field.comp", "over": "view",
                  "arguments": {"range": [-60, 60], "legend": legend, "both_signs": 1}}]
    });
    picture(gpu, &file, |_| ())
}

#[test]
fn solids_of_plane_flows_have_smooth_outlines() {
    let Some(gpu) = common::gpu() else { return };
    let colors = plane_flow(&gpu, 0);
    // From 0 in the fluid to 1 in solids; the colour of 0 is grey.
    let solid = |x: usize, y: usize| {
        let level = f64::from(colors[4 * (y * 320 + x)]) / 255.0;
        (0.865 - level) / (0.865 - 0.13)
    };
    // The outline of the disc is nearly at its radius of 40 pixels; steps of cells are up to 4 pixels away from it.
    for k in 0..360 {
        let (sin, cos) = f64::from(k).to_radians().sin_cos();
        let at = |radius: f64| solid((80.0 + radius * cos) as usize, (80.0 - radius * sin) as usize);
        assert!(
            at(37.5) > 0.9 && at(42.5) < 0.1,
            "{k} degrees: {} and {}",
            at(37.5),
            at(42.5)
        );
    }
    let between = (40..120 * 320).filter(|i| (0.1..0.9).contains(&solid(i % 320, i / 320)));
    assert!(between.count() > 100);
    // Straight walls end where their cells do, and a single cell does not vanish.
    assert!(solid(160, 144) > 0.9 && solid(160, 143) < 0.1);
    assert!(solid(241, 37) > 0.5 && solid(242, 38) > 0.5);
}

#[test]
fn plane_flows_have_a_legend() {
    let Some(gpu) = common::gpu() else { return };
    let [plain, marked] = [0, 1].map(|legend| plane_flow(&gpu, legend));
    let changed: Vec<usize> = (0..320 * 160)
        .filter(|i| plain[4 * i..4 * i + 4] != marked[4 * i..4 * i + 4])
        .collect();
    assert!(
        !changed.is_empty() && changed.iter().all(|i| i % 320 >= 112 && i / 320 >= 112),
        "the legend stays in its corner"
    );
    let count = |color: [u8; 3]| {
        changed
            .iter()
            .filter(|i| marked[4 * **i..4 * **i + 3] == color)
            .count()
    };
    // The first and the last colour, and white numbers.
    let near = |color: [i32; 3]| {
        let close = |i: &&usize| (0..3).all(|k| (i32::from(marked[4 * **i + k]) - color[k]).abs() < 4);
        changed.iter().filter(close).count()
    };
    assert!(near([59, 76, 192]) >= 10 && near([180, 4, 38]) >= 10);
    assert!(
        count([255, 255, 255]) > 100,
        "{} white pixels",
        count([255, 255, 255])
    );
}

const BALL: usize = 48;

/// The root mean square of the angle (degrees) between the normals of a smoothed mask of a ball and its radii.
fn terraces(gpu: &TestGpu, passes: u32) -> (f64, usize) {
    let n = BALL;
    let file = json!({
        "use": {"shape": {"module": "modules/body_shape.json", "parameters": {"more_passes": passes}}},
        "run": {"dt": 1},
        // A ball, and a plate of two cells in a corner.
        "grids": {"body": {"cells": [n, n, n], "cell_size": 1, "channels": {
            "shape": {"type": "float", "at": "centre"},
            "rough": {"type": "float", "at": "centre", "values":
                "max((x - 24) ^ 2 + (y - 24) ^ 2 + (z - 24) ^ 2 < 324, (x < 2) * (y < 12) * (z > 2) * (z < 12))"}}}},
        "init": ["shape.init"], "step": []
    });
    let mut sim = simulation(gpu, pipeline_in(&root().join("pipelines"), &file), CHECKED);
    let shape = read_doubles(&mut sim, "body.shape");
    let at = |x: usize, y: usize, z: usize| shape[x + n * (y + n * z)];
    let (mut sum, mut count) = (0.0, 0);
    for i in 0..n * n * n {
        let [x, y, z] = [i % n, i / n % n, i / n / n];
        let from = [x, y, z].map(|c| c as f64 + 0.5 - 24.0);
        let radius = from.map(|c| c * c).iter().sum::<f64>().sqrt();
        if (at(x, y, z) - 0.5).abs() < 0.2 && (radius - 18.0).abs() < 3.0 {
            let slope = [
                at(x - 1, y, z) - at(x + 1, y, z),
                at(x, y - 1, z) - at(x, y + 1, z),
                at(x, y, z - 1) - at(x, y, z + 1),
            ];
            let size = slope.map(|c| c * c).iter().sum::<f64>().sqrt();
            let cosine = (0..3).map(|k| slope[k] * from[k]).sum::<f64>() / (size * radius);
            sum += cosine.clamp(-1.0, 1.0).acos().to_degrees().powi(2);
            count += 1;
        }
    }
    assert!(count > 1000);
    // Cells of the plate that remain.
    let plate = (4..10).flat_map(|y| (4..10).map(move |z| at(0, y, z) > 0.5));
    (
        (sum / f64::from(count)).sqrt(),
        plate.filter(|inside| *inside).count(),
    )
}

#[test]
fn more_passes_smooth_terraces_and_keep_thin_parts() {
    let Some(gpu) = common::gpu() else { return };
    let [(rough, _), (smooth, plate)] = [0, 2].map(|passes| terraces(&gpu, passes));
    assert!(
        smooth < 1.6 && smooth < 0.65 * rough,
        "{rough} and {smooth} degrees"
    );
    assert_eq!(plate, 36, "cells of a plate");
}

#[test]
fn strata_finer_than_a_pixel_are_even() {
    let Some(mut scene) = Scene::new(|file| {
        let parameters = &mut file["use"]["draw"]["module"]["parameters"];
        parameters["weather"]["haze"] = json!([0, 100, 30]);
        parameters["weather"]["sun"] = json!([0, 0, 1]);
        parameters["camera"]["reach"] = json!(30000);
    }) else {
        return;
    };
    // A slope of rock, seen from 12 km above: 150 m per pixel.
    let spacing = scene.spacing[0];
    scene.ground(|x, _| 2.0 * x as f64 * spacing, |_, _| 0);
    let view = scene.look([560.0, 600.0, 13000.0], [560.0, 601.0, 0.0]);
    let light = floats(&scene.frame("draw.view.radiance"));
    let depth = floats(&scene.frame("draw.view.depth"));
    let inner = (0..depth.len()).filter(|pixel| {
        let ray = view.ray(*pixel);
        let at = [0, 1].map(|k| view.eye[k] + f64::from(depth[*pixel]) * ray[k]);
        (200.0..900.0).contains(&at[0]) && (200.0..1000.0).contains(&at[1])
    });
    let inner: Vec<f64> = inner.map(|pixel| f64::from(light[3 * pixel])).collect();
    let mean = inner.iter().sum::<f64>() / inner.len() as f64;
    let apart = inner.iter().map(|x| (x - mean).abs()).fold(0.0, f64::max);
    assert!(inner.len() > 8, "{} pixels", inner.len());
    assert!(apart < 0.1 * mean, "light differs by {apart} from {mean}");
}

#[test]
fn crowns_of_trees_do_not_reach_the_ground() {
    let Some(mut scene) =
        Scene::new(|file| file["use"]["draw"]["module"]["parameters"]["look"]["tree_height"] = json!(20))
    else {
        return;
    };
    scene.ground(|_, _| 10.0, |_, _| 0);
    scene.forest(0.6);
    let view = scene.look([150.0, 120.0, 90.0], [150.0, 121.0, 0.0]);
    let depth = floats(&scene.frame("draw.view.depth"));
    let height = |pixel: usize| view.eye[2] + f64::from(depth[pixel]) * view.ray(pixel)[2] - 10.0;
    let count = |low: f64, high: f64| {
        (0..depth.len())
            .filter(|i| (low..high).contains(&height(*i)))
            .count()
    };
    // The shortest tree is 6 m tall, and its crown begins at a tenth of this. From above, crowns hide trunks.
    let [near_ground, crowns] = [count(0.1, 0.55), count(0.6, 28.0)];
    assert!(crowns > depth.len() / 20, "{crowns} pixels show crowns");
    assert!(
        near_ground < crowns / 200,
        "{near_ground} pixels show crowns near the ground, {crowns} above"
    );
}

#[test]
fn uneven_balls_differ_in_size() {
    let Some(gpu) = common::gpu() else { return };
    // Sixteen balls in a row, apart from each other: the pixels that each covers.
    let sizes = |uneven: f64| {
        let file = json!({
            "run": {"dt": 1},
            "grids": {"view": {"pixels": [320, 20], "channels": {"near": {"type": "uint", "background": 4_294_967_295u32}}}},
            "particles": {"matter": {"count": 16, "ring": 1, "attributes": {
                "position": {"type": "vec3", "background": 0}, "velocity": {"type": "vec3", "background": 0},
                "number": {"type": "uint", "background": 0}}}},
            "step": [{"stage": "points", "shader": "render/view_points.comp", "over": "matter", "arguments": {
                "eye": [0, 0, 0], "target": [0, 1, 0], "up": [0, 0, 1], "fov": 10, "eye_offset": 0,
                "radius": 0.15, "uneven": uneven, "reach": 4, "tint": [1, 0, 1]}}]
        });
        let mut sim = simulation(&gpu, pipeline_in(&root().join("pipelines"), &file), CHECKED);
        let places = (0..16).flat_map(|k| [(k as f32 - 7.5) * 0.35, 2.0, 0.0]);
        write_floats(&mut sim, "matter.position", &places.collect::<Vec<f32>>());
        let numbers: Vec<u8> = (0..16u32).flat_map(|k| k.to_le_bytes()).collect();
        sim.write("matter.number", &numbers).unwrap();
        advance(&mut sim, 1);
        let keys = read_words(&mut sim, "view.near");
        let column = |k: usize| {
            (0..keys.len())
                .filter(|i| i % 320 / 20 == k && keys[*i] != u32::MAX)
                .count()
        };
        (0..16).map(column).collect::<Vec<usize>>()
    };
    let [even, uneven] = [0.0, 0.8].map(sizes);
    let spread = |sizes: &[usize]| {
        (
            *sizes.iter().min().unwrap() as f64,
            *sizes.iter().max().unwrap() as f64,
        )
    };
    let ((low, high), (small, large)) = (spread(&even), spread(&uneven));
    assert!(low > 200.0 && low > 0.9 * high, "{even:?}");
    assert!(small < 0.3 * large && large <= high, "{uneven:?}");
}
