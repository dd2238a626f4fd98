//! Lengths of steps, and where particles stay: kernels of the material point method against closed forms.

use serde_json::json;

use super::transfer::{CELLS, DX, G2P, free, place};
use super::*;

/// Speeds of the fastest wave, m/s, by iteration; the last holds to the end of the step.
const SPEEDS: [f32; 10] = [30.0, 0.0, 77.0, 1e6, 400.0, 50.0, 1e-3, 123.0, 61.0, 20.0];
const COURANT: f32 = 0.4;
const CELL: f32 = 0.25;
const SHORTEST: f32 = 1.0 / 4000.0;
const LONGEST: f32 = 1.0 / 250.0;

#[test]
fn chosen_steps_are_the_longest_that_courant_allows() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 0.03125},
        "parameters": {"steps": {"courant": COURANT, "shortest": SHORTEST, "longest": LONGEST}},
        "buffers": {
            "fastest": {"type": "uint", "length": 1},
            "speeds": {"type": "float", "values": SPEEDS},
            "log": {"type": "vec4", "length": 64, "background": 0}
        },
        "step": [{"repeat": "substep", "over": 64, "while": "clock.left", "stages": [
            {"stage": "measure", "over": 1, "reads": ["speeds"], "writes": ["fastest"]},
            {"stage": "choose_step", "shader": "mpm/choose_step.comp", "over": 1, "arguments": {"cell": CELL}},
            {"stage": "note", "over": 1, "reads": ["fastest"], "writes": ["log"]}
        ]}]
    });
    let bodies = [
        (
            "measure",
            "void stage(uint i) { set_fastest(0u, floatBitsToUint(speeds(min(clock.iteration, 9u)))); }",
        ),
        (
            "note",
            "void stage(uint i) { set_log(clock.iteration, vec4(clock.left, clock.dt, float(fastest(0u)), 1.0)); }",
        ),
    ];
    let mut sim = common::simulation::simulation(&gpu, pipeline(&file, &bodies), CHECKED);
    common::simulation::advance(&mut sim, 1);
    let log = read_floats(&mut sim, "log");
    let rows: Vec<&[f32]> = log.chunks(4).take_while(|row| row[3] == 1.0).collect();
    assert!(rows.len() > SPEEDS.len(), "{} steps", rows.len());
    let mut sum = 0.0;
    for (turn, row) in rows.iter().enumerate() {
        let (left, dt) = (f64::from(row[0]), f64::from(row[1]));
        let speed = f64::from(SPEEDS[turn.min(SPEEDS.len() - 1)]);
        let bound = f64::from(COURANT * CELL) / speed;
        let bound = bound.clamp(f64::from(SHORTEST), f64::from(LONGEST));
        assert!(
            dt <= bound * (1.0 + 1e-6),
            "step {turn} at {speed} m/s: {dt} s over {bound}"
        );
        // Equal parts of what is left, one less of which would be too long.
        let count = left / dt;
        assert!((count - count.round()).abs() < 1e-4, "step {turn}: {count} parts");
        assert!(
            (count.round() - 1.0) * bound < left,
            "step {turn}: {dt} s of {bound}"
        );
        assert_eq!(row[2], 0.0, "the next measurement begins at 0");
        sum += dt;
    }
    assert!((sum - 0.03125).abs() < 1e-7, "{sum}");
}

/// A particle that moves towards a face of the grid stops one node before it, and keeps the rest of its velocity.
#[test]
fn particles_stop_at_each_face_of_the_grid() {
    let Some(gpu) = common::gpu() else { return };
    let (low, high) = (1.001 * DX, (CELLS as f32 - 1.001) * DX);
    let (dt, speed, aside) = (1.0f32 / 1024.0, 8.0f32, [2.0f32, -1.0, 0.5]);
    // Nearer than a step to one face and moving through it, and as near but moving away.
    let cases: Vec<(usize, bool, f32)> = (0..12)
        .map(|i| (i % 3, i / 3 % 2 == 0, if i < 6 { 1.0 } else { -1.0 }))
        .collect();
    for (axis, at_high, outward) in cases {
        let mut x = [0.3, 0.5, 0.7];
        x[axis] = if at_high { high - 0.003 } else { low + 0.003 };
        let mut v = aside;
        v[axis] = outward * if at_high { speed } else { -speed };
        let mut sim = simulation(&gpu, &free("water", 1));
        place(&mut sim, &[x], [0.0; 3], [[0.0; 3]; 3]);
        write_floats(
            &mut sim,
            "transfer.nodes.velocity",
            &[v[0], v[1], v[2], 0.0].repeat(CELLS.pow(3)),
        );
        sim.run_alone(G2P).unwrap();
        let found = read_vectors(&mut sim, "matter.position")[0];
        for k in 0..3 {
            let expected = (x[k] + dt * v[k]).clamp(low, high);
            assert!(
                (found[k] - expected).abs() < 1e-6,
                "face {axis} {at_high}: {found:?}"
            );
        }
        assert_eq!((found[axis] - x[axis]).abs() < 0.0031, outward > 0.0);
        let kept = read_vectors(&mut sim, "matter.velocity")[0];
        assert!((0..3).all(|k| (kept[k] - v[k]).abs() < 1e-5), "{kept:?}");
    }
}

#[test]
fn fastest_wave_of_snow_is_speed_plus_hardened_sound() {
    let Some(gpu) = common::gpu() else { return };
    let (density, young, poisson, hardening, hardest) = (400.0f64, 1.4e5, 0.2, 10.0, 6.0);
    let count = 203;
    let noise = scattered(4 * count, 41);
    // The fastest is among soft ones, among hard ones, and the last of all, beyond the limit of hardening.
    for (most_plastic, fast) in [(1.3f32, None), (0.9, Some(57)), (0.7, Some(count - 1))] {
        let mut velocities: Vec<[f32; 3]> = (0..count)
            .map(|i| [noise[3 * i], noise[3 * i + 1], noise[3 * i + 2]])
            .collect();
        if let Some(fast) = fast {
            velocities[fast] = [-9.0, 11.0, 6.0];
        }
        let volumes: Vec<f32> = (0..count)
            .map(|i| most_plastic + 0.2 * noise[3 * count + i])
            .collect();
        let file = json!({
            "run": {"dt": 1},
            "particles": {"matter": {"count": count, "ring": 1, "attributes": {
                "velocity": {"type": "vec3", "background": 0}, "volume": {"type": "float", "background": 1}}}},
            "buffers": {"fastest": {"type": "uint", "length": 1, "background": 0}},
            "step": [{"stage": "fastest", "shader": "mpm/fastest_snow.comp", "over": "matter", "arguments": {
                "density": density, "young": young, "poisson": poisson, "hardening": hardening, "hardest": hardest}}]
        });
        let mut sim = common::simulation::simulation(&gpu, pipeline(&file, &[]), CHECKED);
        write_floats(&mut sim, "matter.velocity", velocities.as_flattened());
        write_floats(&mut sim, "matter.volume", &volumes);
        common::simulation::advance(&mut sim, 1);
        let found = f64::from(read_floats(&mut sim, "fastest")[0]);
        // The modulus of a rod that cannot widen: E (1 - nu) / (1 + nu) / (1 - 2 nu).
        let modulus = young * (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let wave = |i: usize| {
            let hard = (hardening * (1.0 - f64::from(volumes[i]))).exp().min(hardest);
            let speed = velocities[i].iter().map(|v| f64::from(v * v)).sum::<f64>().sqrt();
            speed + (hard * modulus / density).sqrt()
        };
        let expected = (0..count).map(wave).fold(0.0, f64::max);
        assert!(
            (found / expected - 1.0).abs() < 1e-5,
            "{found} m/s, {expected} m/s"
        );
    }
}

#[test]
fn particles_are_numbered_from_zero() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "particles": {"matter": {"count": 300, "ring": 1, "attributes": {"number": {"type": "uint", "background": 7}}}},
        "step": [{"stage": "number", "shader": "mpm/number.comp", "over": "matter"}]
    });
    let mut sim = common::simulation::simulation(&gpu, pipeline(&file, &[]), CHECKED);
    common::simulation::advance(&mut sim, 1);
    assert!(read_words(&mut sim, "matter.number").into_iter().eq(0..300));
}
