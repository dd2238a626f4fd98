//! Peaks of a flow on a map, against a block that moves as a whole and against a twin.

use serde_json::json;

use super::transfer::{CELLS, DX, cube, free, place};
use super::*;

const DENSITY: f32 = 300.0;
const UNITS: f32 = 262_144.0;
const QUANTA: f32 = 16.0;
/// Of a particle, m^3: 8 in a cell.
const VOLUME: f32 = 0.125 * DX * DX * DX;
const MIN_DEPTH: f32 = 0.02;

fn sliding(count: usize) -> Value {
    let mut file = free("none", count);
    file["use"]["peaks"] = json!({"module": "modules/peaks.json", "parameters": {
        "density": DENSITY, "volume": VOLUME, "units": UNITS, "quanta": QUANTA, "min_depth": MIN_DEPTH,
        "corner": [0, 0]}});
    let channels = &mut file["grids"]["nodes"]["channels"];
    for component in ["px", "py", "pz"] {
        channels[component] = json!("int");
    }
    file["step"] = json!(["transfer.step", "peaks.step"]);
    file
}

/// Depth, speed and pressure of each column, as the nodes are now.
fn present(sim: &mut Simulation) -> [Vec<f32>; 3] {
    let mass = read_words(sim, "nodes.mass");
    let momentum = ["nodes.px", "nodes.py", "nodes.pz"].map(|field| read_words(sim, field));
    let mut found = [const { Vec::new() }; 3];
    for column in 0..CELLS * CELLS {
        let nodes = || (0..CELLS).map(|z| z * CELLS * CELLS + column);
        let mass: f32 = nodes().map(|node| mass[node] as f32).sum();
        let square: f32 = (momentum.iter())
            .map(|component| {
                nodes()
                    .map(|node| component[node] as i32 as f32)
                    .sum::<f32>()
                    .powi(2)
            })
            .sum();
        let depth = mass / UNITS * VOLUME / (DX * DX);
        let speed = if depth < MIN_DEPTH {
            0.0
        } else {
            square.sqrt() / (mass * QUANTA)
        };
        found[0].push(depth);
        found[1].push(speed);
        found[2].push(DENSITY * speed * speed);
    }
    found
}

const FIELDS: [&str; 3] = ["peaks.map.depth", "peaks.map.speed", "peaks.map.pressure"];

#[test]
fn sliding_block_leaves_its_depth_speed_and_pressure_along_its_path() {
    let Some(gpu) = common::gpu() else { return };
    let mut places = cube(8);
    // One over the lowest nodes, apart from the block.
    places.push([5.0 * DX, 20.0 * DX, 1.001 * DX]);
    let mut sim = simulation(&gpu, &sliding(places.len()));
    let velocity = [4.0f32, 0.0, -3.0];
    place(&mut sim, &places, velocity, [[0.0; 3]; 3]);
    let mut peaks: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0.0; CELLS * CELLS]);
    let mut first = 0.0;
    for step in 0..60 {
        advance(&mut sim, 1);
        let now = present(&mut sim);
        if step == 0 {
            first = now[0].iter().sum::<f32>() * DX * DX;
        }
        for (peak, now) in peaks.iter_mut().flatten().zip(now.iter().flatten()) {
            *peak = peak.max(*now);
        }
    }
    // All mass is in some column.
    let volume = VOLUME * places.len() as f32;
    assert!((first / volume - 1.0).abs() < 1e-5, "{first} of {volume} m^3");
    let found = FIELDS.map(|field| read_floats(&mut sim, field));
    for (field, (found, wanted)) in FIELDS.iter().zip(found.iter().zip(&peaks)) {
        for (at, (found, wanted)) in found.iter().zip(wanted).enumerate() {
            // Quotients and roots of devices may be off by 2.5 units in the last place.
            assert!(
                (found - wanted).abs() <= 1e-6 * wanted,
                "{field}[{at}]: {found}, not {wanted}"
            );
        }
    }
    let [depth, speed, pressure] = found;
    let deep: Vec<usize> = (0..depth.len()).filter(|at| depth[*at] >= MIN_DEPTH).collect();
    for at in deep.iter().copied() {
        assert!((speed[at] / 5.0 - 1.0).abs() < 0.01, "{} m/s", speed[at]);
        assert!(
            (pressure[at] / (DENSITY * 25.0) - 1.0).abs() < 0.02,
            "{} Pa",
            pressure[at]
        );
    }
    // A block of 4 cells moves by 4.7: along its middle row, its whole depth.
    let middle = |x: usize| depth[x + CELLS * (CELLS / 2)];
    for x in 11..16 {
        assert!(
            (middle(x) / (4.0 * DX) - 1.0).abs() < 0.1,
            "{} m at {x}",
            middle(x)
        );
    }
    assert_eq!(middle(3), 0.0, "where it never was");
    // Control: the block has left the column where it began.
    let now = present(&mut sim);
    let begin = 10 + CELLS * (CELLS / 2);
    assert!(
        now[0][begin] < 0.1 * depth[begin],
        "{} of {} m",
        now[0][begin],
        depth[begin]
    );
}
