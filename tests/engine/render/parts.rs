//! Parts of pictures by themselves: pictures for two eyes.

use serde_json::{Value, json};

use super::super::common::{self, simulation::*};

fn run(
    gpu: &common::TestGpu,
    file: &Value,
    fill: impl FnOnce(&mut sastrugi::run::Simulation),
) -> sastrugi::run::Simulation {
    let mut sim = simulation(gpu, pipeline(file, &[]), CHECKED);
    fill(&mut sim);
    advance(&mut sim, 1);
    sim
}

#[test]
fn stereo_layouts_take_each_pixel_from_the_eye_that_sees_it() {
    let Some(gpu) = common::gpu() else { return };
    let [width, height] = [16usize, 6];
    let shift = 2i64;
    // Place, eye and channel are in the bytes.
    let color = |of_right: bool, x: usize, y: usize| {
        [(10 * x) as u8, (40 * y) as u8, 100 + 50 * u8::from(of_right), 255]
    };
    let seen = |of_right: bool, x: i64, y: usize| {
        let moved = x + if of_right { -shift } else { shift };
        color(of_right, moved.clamp(0, width as i64 - 1) as usize, y)
    };
    for layout in 0..3 {
        let image =
            json!({"pixels": [width, height], "channels": {"color": {"type": "rgba8", "background": 0}}});
        let file = json!({
            "run": {"dt": 1}, "parameters": {"layout": layout},
            "grids": {"left": image, "right": image, "view": image},
            "step": [{"stage": "combine", "shader": "render/view_stereo.comp", "over": "view", "arguments": {"shift": shift}}]
        });
        let mut sim = run(&gpu, &file, |sim| {
            for (field, of_right) in [("left.color", false), ("right.color", true)] {
                let bytes = (0..width * height).flat_map(|i| color(of_right, i % width, i / width));
                sim.write(field, &bytes.collect::<Vec<u8>>()).unwrap();
            }
        });
        let found = sim.read("view.color").unwrap();
        for (i, pixel) in found.chunks(4).enumerate() {
            let (x, y) = (i % width, i / width);
            let [left, right] = [false, true].map(|of_right| seen(of_right, x as i64, y));
            let expected = match layout {
                // Each half has every second column of its picture.
                0 => seen(x >= width / 2, (2 * (x % (width / 2)) + 1) as i64, y),
                1 => [left[0], right[1], right[2], 255],
                _ => [left, right][y % 2],
            };
            assert_eq!(pixel, expected, "layout {layout} at ({x}, {y})");
        }
    }
}
