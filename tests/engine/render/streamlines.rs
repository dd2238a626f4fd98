//! Streamlines of flows whose lines are known: circles, and straight lines that leave the grid or are too slow.

use serde_json::{Value, json};

use super::super::common::{self, simulation::*};

/// Pieces per line, and the index of the first line.
const PIECES: usize = 24;
const FIRST: usize = 12;
/// Length of a piece, m.
const PIECE: f64 = 0.05;

/// Ends and tint of a piece.
struct Piece {
    start: [f64; 3],
    end: [f64; 3],
    tint: f64,
}

/// The pieces of the lines from these seeds in a box from (-1, -0.8, 0.5) to (1, 0.8, 1.7).
fn pieces(gpu: &common::TestGpu, u: Value, least: f64, seeds: &[[f32; 3]]) -> Vec<Piece> {
    let file = json!({
        "use": {"flow": {"module": "modules/flow_lines.json", "roles": {"grid": "box"}, "parameters": {
            "pieces": PIECES, "piece": PIECE, "least": least, "fastest": 2, "first": FIRST}}},
        "run": {"dt": 1},
        "grids": {"box": {"cells": [20, 16, 12], "cell_size": 0.1, "origin": [-1, -0.8, 0.5], "channels": {
            "u": {"type": "vec3", "at": "centre", "values": u}}}},
        "particles": {
            "seeds": {"count": seeds.len(), "attributes": {"position": {"type": "vec3", "background": 0}}},
            "lines": {"count": seeds.len() * PIECES + FIRST}
        },
        "frame": ["flow.streamlines"]
    });
    let mut simulation = simulation(gpu, pipeline_in(&root().join("pipelines"), &file), CHECKED);
    write_floats(&mut simulation, "seeds.position", seeds.as_flattened());
    simulation.frame(true).unwrap();
    assert_no_fault(&mut simulation);
    let [start, end] =
        ["flow.lines.start", "flow.lines.end"].map(|field| read_vectors(&mut simulation, field));
    let tint = read_doubles(&mut simulation, "flow.lines.tint");
    let lines = start.iter().zip(&end).zip(&tint).skip(FIRST);
    let wide = |place: &[f32; 3]| place.map(f64::from);
    let piece = |((start, end), tint): ((&[f32; 3], &[f32; 3]), &f64)| Piece {
        start: wide(start),
        end: wide(end),
        tint: *tint,
    };
    lines.map(piece).collect()
}

#[track_caller]
fn assert_near(found: [f64; 3], exact: [f64; 3], tolerance: f64) {
    let off = (0..3).map(|k| (found[k] - exact[k]).abs()).fold(0.0, f64::max);
    assert!(off < tolerance, "{found:?} is not {exact:?}");
}

#[test]
fn streamlines_of_a_rotation_are_circles() {
    let Some(gpu) = common::gpu() else { return };
    let seeds = [[0.3_f32, 0.0, 1.0], [-0.25, 0.5, 1.25]];
    let found = pieces(&gpu, json!(["-4 * y", "4 * x", 0]), 1e-3, &seeds);
    assert_eq!(found.len(), seeds.len() * PIECES);
    for (seed, line) in seeds.iter().zip(found.chunks(PIECES)) {
        let [x, y, z] = seed.map(f64::from);
        let radius = x.hypot(y);
        let place = |k: usize| {
            let angle = y.atan2(x) + k as f64 * PIECE / radius;
            [radius * angle.cos(), radius * angle.sin(), z]
        };
        for (k, piece) in line.iter().enumerate() {
            // A piece of the angle a is off by a^5 / 120 radii.
            let tolerance = 3e-6 + PIECES as f64 * (PIECE / radius).powi(5) / 120.0 * radius;
            assert_near(piece.start, place(k), tolerance);
            assert_near(piece.end, place(k + 1), tolerance);
            assert!(
                (piece.tint - (2.0 * radius).min(1.0)).abs() < 1e-4,
                "{}",
                piece.tint
            );
        }
    }
}

#[test]
fn streamlines_end_at_the_border() {
    let Some(gpu) = common::gpu() else { return };
    // 0.33 m before a border, in the direction of the flow: the seventh piece crosses it.
    for (u, seed) in [
        ([1.0, 0.0, 0.0], [0.67, 0.1, 1.0]),
        ([-1.0, 0.0, 0.0], [-0.67, 0.1, 1.0]),
        ([0.0, 1.0, 0.0], [0.1, 0.47, 1.0]),
        ([0.0, -1.0, 0.0], [0.1, -0.47, 1.0]),
        ([0.0, 0.0, 1.0], [0.1, 0.2, 1.37]),
        ([0.0, 0.0, -1.0], [0.1, 0.2, 0.83]),
    ] {
        let found = pieces(&gpu, json!(u), 1e-3, &[seed.map(|x| x as f32)]);
        for (k, piece) in found.iter().enumerate() {
            let place = |k: usize| [0, 1, 2].map(|axis| seed[axis] + PIECE * k.min(7) as f64 * u[axis]);
            assert_near(piece.start, place(k), 1e-5);
            assert_near(piece.end, place(k + 1), 1e-5);
            assert!((piece.tint - 0.5).abs() < 1e-5, "{}", piece.tint);
        }
    }
}

#[test]
fn streamlines_end_at_the_least_speed() {
    let Some(gpu) = common::gpu() else { return };
    let seed = [[-0.5, 0.0, 1.0]];
    for (speed, pieces_drawn) in [(0.5, 0), (0.501, PIECES)] {
        let found = pieces(&gpu, json!([speed, 0, 0]), 0.5, &seed);
        let drawn = found.iter().filter(|piece| piece.start != piece.end).count();
        assert_eq!(drawn, pieces_drawn, "at {speed} m/s");
    }
}
