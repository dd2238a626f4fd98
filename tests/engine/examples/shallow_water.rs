//! Shallow water: dam breaks of Stoker 1957 and Ritter 1892, a lake at rest, and the volume of a flood.

use sastrugi::gpu::Gpu;
use sastrugi::run::Simulation;
use serde_json::{Value, json};

use super::*;

const GRAVITY: f64 = 9.81;

/// Water over a ground with values at its vertices, at rest, without friction between `sides`.
struct Water {
    vertices: [usize; 2],
    spacing: f64,
    elevation: Vec<f32>,
    depth: Vec<f32>,
    sides: &'static str,
}

impl Water {
    fn start(&self, gpu: &Gpu, dt: f64, options: Options) -> Simulation {
        let changes = json!({
            "use": {"water": {"parameters": {
                "manning": 0, "sides": {"low": [self.sides, self.sides], "high": [self.sides, self.sides]}}}},
            "run": {"dt": dt},
            "grids": {"ground": {"vertices": self.vertices, "cell_size": self.spacing, "channels": {
                "elevation": {"values": Value::Null, "background": 0}, "depth": {"type": "float", "background": 0},
                "flow": {"type": "vec2", "background": 0}, "surface": Value::Null, "paint": Value::Null,
                "snow": Value::Null}}},
            "stages": Value::Null, "init": []
        });
        let mut simulation = shipped(gpu, "shallow_water", changes, options);
        write_floats(&mut simulation, "ground.elevation", &self.elevation);
        write_floats(&mut simulation, "ground.depth", &self.depth);
        simulation
    }
}

/// Depth at x / t after a dam between water of depth 2 and of depth `low` has vanished.
fn dam_break(low: f64, along: f64) -> f64 {
    const HIGH: f64 = 2.0;
    let c = (GRAVITY * HIGH).sqrt();
    let fan = |x: f64| (2.0 * c - x).powi(2) / (9.0 * GRAVITY);
    if low == 0.0 {
        return if along < -c { HIGH } else { fan(along.min(2.0 * c)) };
    }
    // Depth between the waves: the rarefaction and the shock give it one velocity.
    let (mut least, mut most) = (low, HIGH);
    for _ in 0..100 {
        let h = 0.5 * (least + most);
        let behind_fan = 2.0 * (c - (GRAVITY * h).sqrt());
        let behind_shock = (h - low) * (0.5 * GRAVITY * (h + low) / (h * low)).sqrt();
        (least, most) = if behind_fan > behind_shock {
            (h, most)
        } else {
            (least, h)
        };
    }
    let h = 0.5 * (least + most);
    let velocity = 2.0 * (c - (GRAVITY * h).sqrt());
    let shock = velocity * h / (h - low);
    match along {
        x if x < -c => HIGH,
        x if x < velocity - (GRAVITY * h).sqrt() => fan(x),
        x if x < shock => h,
        _ => low,
    }
}

/// Depths 6 s after the dam in the middle of 100 m has vanished, on n cells along an axis.
fn after_dam(gpu: &Gpu, n: usize, low: f32, axis: usize) -> Vec<f32> {
    let mut vertices = [2, 2];
    vertices[axis] = n;
    let along = |i: usize| if axis == 0 { i % n } else { i / 2 };
    let water = Water {
        vertices,
        spacing: 100.0 / n as f64,
        elevation: vec![0.0; 2 * n],
        depth: (0..2 * n)
            .map(|i| if along(i) < n / 2 { 2.0 } else { low })
            .collect(),
        sides: "open",
    };
    let mut simulation = water.start(gpu, 0.5, Options::PLAIN);
    advance(&mut simulation, 12);
    let depth = read_floats(&mut simulation, "ground.depth");
    (0..n).map(|k| depth[if axis == 0 { k } else { 2 * k }]).collect()
}

/// The mean distance from the solution for a depth `low` beyond the dam, m.
fn distance(depth: &[f32], low: f64) -> f64 {
    let n = depth.len() as f64;
    let exact = |i: usize| dam_break(low, ((i as f64 + 0.5) / n - 0.5) * 100.0 / 6.0);
    let errors = depth
        .iter()
        .enumerate()
        .map(|(i, h)| (f64::from(*h) - exact(i)).abs());
    errors.sum::<f64>() / n
}

#[test]
fn shallow_dam_breaks_follow_stoker_and_ritter() {
    let Some(gpu) = common::gpu() else { return };
    for low in [1.0, 0.0] {
        let [coarse, fine] = [50, 100].map(|n| after_dam(&gpu, n, low as f32, 0));
        let [coarse, found] = [&coarse, &fine].map(|depth| distance(depth, low));
        // A shock of 0.45 m is spread over two cells, the kinks of the fan are rounded: half a cell times a metre.
        assert!(found < 0.5 / 100.0 * 2.5, "{low}: {found}");
        // First order, as for every scheme across a shock.
        assert!(coarse / found > 1.6, "{low}: {coarse} {found}");
        assert!(distance(&fine, low + 0.1) > 2.0 * found, "control: another depth");
    }
    assert_eq!(
        after_dam(&gpu, 50, 1.0, 0),
        after_dam(&gpu, 50, 1.0, 1),
        "the axes are equal"
    );
}

/// Hills of some metres with binary fractions, on 24 x 16 vertices.
fn hills(fraction: f64) -> Vec<f32> {
    let height = |x: f64, y: f64| 3.0 * (0.7 * x).sin() * (0.5 * y).cos() + 0.8 * (1.9 * x + y).sin();
    let rounded = |i: usize| (height((i % 24) as f64, (i / 24) as f64) / fraction).round() * fraction;
    (0..24 * 16).map(|i| rounded(i) as f32).collect()
}

fn lake(elevation: Vec<f32>, level: impl Fn(usize) -> f32, sides: &'static str) -> Water {
    let depth = elevation
        .iter()
        .enumerate()
        .map(|(i, bed)| (level(i) - bed).max(0.0))
        .collect();
    Water {
        vertices: [24, 16],
        spacing: 2.0,
        elevation,
        depth,
        sides,
    }
}

fn largest(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |most, x| most.max(x.abs()))
}

#[test]
fn shallow_lake_stays_at_rest() {
    let Some(gpu) = common::gpu() else { return };
    // Islands stand out of the lake. Fractions of 1/1024 m add without rounding.
    let exact = lake(hills(1.0 / 1024.0), |_| 1.0, "wall");
    assert!(exact.depth.contains(&0.0) && largest(&exact.depth) > 3.0);
    let mut simulation = exact.start(&gpu, 0.5, CHECKED);
    advance(&mut simulation, 4);
    assert_eq!(largest(&read_floats(&mut simulation, "ground.flow")), 0.0);
    assert_eq!(read_floats(&mut simulation, "ground.depth"), exact.depth);
    // In general, surfaces differ by rounding.
    let rounded = lake(hills(1e-9), |_| 1.0, "wall");
    let mut simulation = rounded.start(&gpu, 0.5, Options::PLAIN);
    advance(&mut simulation, 20);
    let flow = largest(&read_floats(&mut simulation, "ground.flow"));
    assert!(flow < 1e-4, "{flow}");
    let tilted = lake(hills(1e-9), |i| if i % 24 < 12 { 1.001 } else { 1.0 }, "wall");
    let mut simulation = tilted.start(&gpu, 0.5, Options::PLAIN);
    advance(&mut simulation, 20);
    let flow = largest(&read_floats(&mut simulation, "ground.flow"));
    assert!(flow > 1e-4, "control: a step of 1 mm, {flow}");
}

#[test]
fn shallow_flood_keeps_its_volume() {
    let Some(gpu) = common::gpu() else { return };
    let left = |sides| {
        let flood = lake(hills(1e-9), |i| if i % 24 < 8 { 4.0 } else { -9.0 }, sides);
        let volume = |depth: &[f32]| depth.iter().map(|h| f64::from(*h)).sum::<f64>();
        let before = volume(&flood.depth);
        let mut simulation = flood.start(&gpu, 0.5, Options::PLAIN);
        advance(&mut simulation, 20);
        let depth = read_floats(&mut simulation, "ground.depth");
        assert!(depth.iter().all(|h| *h >= 0.0), "{depth:?}");
        assert!(
            depth.iter().filter(|h| **h > 0.01).count() > flood.depth.iter().filter(|h| **h > 0.0).count()
        );
        volume(&depth) / before - 1.0
    };
    // Rounding of the depths, in some 300 steps.
    assert!(left("wall").abs() < 2e-6, "{}", left("wall"));
    assert!(left("open") < -1e-2, "control: open sides, {}", left("open"));
}
