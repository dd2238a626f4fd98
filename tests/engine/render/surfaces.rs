//! Surfaces that are traced through a grid, against the closed form of a ball.

use sastrugi::run::{Options, Simulation};
use sastrugi::spec;

use super::super::common::{self, simulation::*};
use super::scene::{cross, normalize};

const SIZE: [usize; 2] = [160, 120];
const EYE: [f64; 3] = [2.1, -1.7, 1.9];
const MIDDLE: [f64; 3] = [0.5, 0.4, 0.65];
const RADIUS: f64 = 0.3;

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// The unit direction through the centre of a pixel; the camera looks at the middle and sees 30 degrees from top to bottom.
fn ray(pixel: usize) -> [f64; 3] {
    let forward = normalize([0, 1, 2].map(|k| MIDDLE[k] - EYE[k]));
    let right = normalize(cross(forward, [0.0, 0.0, 1.0]));
    let down = cross(forward, right);
    let focal = 0.5 * SIZE[1] as f64 / 15_f64.to_radians().tan();
    let x = ((pixel % SIZE[0]) as f64 + 0.5 - 0.5 * SIZE[0] as f64) / focal;
    let y = ((pixel / SIZE[0]) as f64 + 0.5 - 0.5 * SIZE[1] as f64) / focal;
    normalize([0, 1, 2].map(|k| forward[k] + x * right[k] + y * down[k]))
}

/// The largest errors of the depth (m) and of the normal where rays meet a ball well inside its outline, drawn with this radius.
fn errors(gpu: &common::TestGpu, n: u32, radius: f64) -> [f64; 2] {
    let path = root().join("tests/data/trace/surface.json");
    let overrides = [format!("n={n}"), "ball=1".into(), format!("radius={radius}")];
    let (pipeline, _) = spec::load(&path, &overrides).unwrap_or_else(|problems| panic!("{problems}"));
    let options = Options {
        checked: true,
        races: false,
        ..Options::PLAIN
    };
    let mut simulation: Simulation = simulation(gpu, pipeline, options);
    simulation.frame(true).unwrap();
    simulation.finish().unwrap();
    assert!(simulation.fault().unwrap().is_none());
    let depths = read_doubles(&mut simulation, "view.depth");
    let normals = read_doubles(&mut simulation, "view.radiance");
    let away = [0, 1, 2].map(|k| EYE[k] - MIDDLE[k]);
    let mut worst = [0.0_f64; 2];
    let mut seen = 0;
    for (pixel, depth) in depths.iter().enumerate() {
        let ray = ray(pixel);
        let along = dot(ray, away);
        let under = along * along - dot(away, away) + RADIUS * RADIUS;
        if under < 0.3 * RADIUS * RADIUS {
            continue;
        }
        seen += 1;
        let exact = -along - under.sqrt();
        worst[0] = worst[0].max((depth - exact).abs());
        let apart = (0..3).map(|k| normals[3 * pixel + k] - (away[k] + exact * ray[k]) / RADIUS);
        worst[1] = worst[1].max(apart.map(|x| x * x).sum::<f64>().sqrt());
    }
    assert!(seen > 1000, "{seen} pixels");
    worst
}

#[test]
fn sphere_depth_matches_the_closed_form() {
    let Some(gpu) = common::gpu() else { return };
    let [coarse, fine] = [8, 16].map(|n| errors(&gpu, n, RADIUS));
    // Triangles leave out up to (1.3 m / n)^2 / (2 radius).
    assert!(fine[0] < 0.5 * (1.3_f64 / 16.0).powi(2) / RADIUS, "{} m", fine[0]);
    let ratio = coarse[0] / fine[0];
    assert!((2.5..6.0).contains(&ratio), "order of the depth: {ratio}");
    assert!(
        fine[1] < 0.1 && fine[1] < 0.5 * coarse[1],
        "normals: {coarse:?}, {fine:?}"
    );
    let smaller = errors(&gpu, 16, 0.28);
    assert!(
        smaller[0] > 0.5 * (1.3_f64 / 16.0).powi(2) / RADIUS,
        "control, a smaller ball: {} m",
        smaller[0]
    );
}
