//! Gas on the nodes of a grid and the heat that particles bring, against the formulas that their kernels state.

use super::*;

const CELLS: [usize; 3] = [7, 6, 5];
const DT: f32 = 1.0 / 512.0;

fn index([x, y, z]: [usize; 3]) -> usize {
    x + CELLS[0] * (y + CELLS[1] * z)
}

/// A dense grid of nodes for one stage.
fn nodes(stage: Value, particles: Value) -> Value {
    json!({
        "run": {"dt": DT},
        "grids": {"nodes": {"cells": CELLS, "cell_size": DX, "channels": {
            "mass": {"type": "uint", "background": 0}, "px": {"type": "int", "background": 0},
            "py": {"type": "int", "background": 0}, "pz": {"type": "int", "background": 0},
            "heat": {"type": "uint", "background": 0}, "before": "vec3", "velocity": "vec3"}}},
        "particles": particles,
        "buffers": {"counters": {"type": "uint", "length": 3, "background": 0},
                    "colliders": {"type": "vec4", "values": [[0, 2, 0, 0], [0, 0, -100, 0], [0, 0, 1, 0]]}},
        "step": [stage]
    })
}

/// f64 twin of shaders/pic/move_gas.comp without solids.
struct Gas {
    mass: Vec<u32>,
    heat: Vec<u32>,
    momentum: [Vec<i32>; 3],
    free: u32,
    sound: f64,
    gravity: [f64; 3],
    stopping: f64,
}

impl Gas {
    fn load(&self, i: usize) -> f64 {
        f64::from(self.heat[i]) + f64::from(self.mass[i].saturating_sub(self.free))
    }

    fn pressure(&self, a: usize, b: usize) -> f64 {
        let least = f64::from(self.mass[a].min(self.mass[b]));
        (0.5 * (self.load(a) + self.load(b))).min(2.0 * least)
    }

    fn velocity(&self, node: [usize; 3]) -> [f64; 3] {
        let i = index(node);
        if self.mass[i] == 0 {
            return [0.0; 3];
        }
        let mass = f64::from(self.mass[i]);
        let dt = f64::from(DT);
        let v: [f64; 3] = std::array::from_fn(|axis| {
            let (mut before, mut after) = (node, node);
            before[axis] = before[axis].saturating_sub(1);
            after[axis] = (after[axis] + 1).min(CELLS[axis] - 1);
            let push = self.pressure(index(before), i) - self.pressure(i, index(after));
            let own = f64::from(self.momentum[axis][i]) / (mass * f64::from(QUANTA));
            own + push * dt * self.sound * self.sound / (f64::from(DX) * mass) + dt * self.gravity[axis]
        });
        let speed = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / (1.0 + dt * speed / self.stopping))
    }
}

#[test]
fn nodes_move_by_pressure_crowding_gravity_and_drag() {
    let Some(gpu) = common::gpu() else { return };
    let count = CELLS.iter().product::<usize>();
    let noise = scattered(5 * count, 31);
    let part = |k: usize, i: usize| 0.5 * (noise[k * count + i] + 1.0);
    let per_cell = 2.5;
    // Empty, thin, and up to twice as dense as debris packs; most of it cold.
    let mass: Vec<u32> = (0..count)
        .map(|i| {
            if i % 11 == 0 {
                0
            } else {
                (part(0, i).powi(2) * 5.0 * UNITS as f32) as u32 + 1
            }
        })
        .collect();
    let heat = (0..count)
        .map(|i| {
            if i % 3 == 0 {
                (part(1, i) * mass[i] as f32) as u32
            } else {
                0
            }
        })
        .collect();
    let momentum = [2, 3, 4].map(|k| {
        (0..count)
            .map(|i| (noise[k * count + i] * 3.0 * QUANTA * mass[i] as f32) as i32)
            .collect::<Vec<i32>>()
    });
    let mut gas = Gas {
        mass,
        heat,
        momentum,
        free: (per_cell * UNITS as f32) as u32,
        sound: 6.0,
        gravity: [1.5, -3.0, -9.81],
        stopping: 0.125,
    };
    let file = nodes(
        json!({"stage": "move_gas", "shader": "pic/move_gas.comp", "over": "nodes", "arguments": {
            "units": UNITS, "quanta": QUANTA, "limit": 12, "sound": gas.sound, "gravity": gas.gravity,
            "particles_per_cell": per_cell, "stopping": gas.stopping}}),
        json!({}),
    );
    let mut sim = common::simulation::simulation(&gpu, pipeline(&file, &[]), CHECKED);
    let bytes = |words: &[u32]| {
        words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    sim.write("nodes.mass", &bytes(&gas.mass)).unwrap();
    sim.write("nodes.heat", &bytes(&gas.heat)).unwrap();
    for (field, values) in ["nodes.px", "nodes.py", "nodes.pz"].iter().zip(&gas.momentum) {
        let words: Vec<u32> = values.iter().map(|p| *p as u32).collect();
        sim.write(field, &bytes(&words)).unwrap();
    }
    advance(&mut sim, 1);
    let (found, before) = (
        read_vectors(&mut sim, "nodes.velocity"),
        read_vectors(&mut sim, "nodes.before"),
    );
    let off = |gas: &Gas| {
        let nodes = (0..count).map(|i| [i % CELLS[0], i / CELLS[0] % CELLS[1], i / CELLS[0] / CELLS[1]]);
        let apart = nodes.flat_map(|node| {
            let expected = gas.velocity(node);
            let found = found[index(node)];
            (0..3).map(move |axis| {
                (f64::from(found[axis]) - expected[axis]).abs() / (1.0 + expected[axis].abs())
            })
        });
        apart.fold(0.0, f64::max)
    };
    assert!(off(&gas) < 2e-5, "{}", off(&gas));
    for (i, before) in before.iter().enumerate() {
        let mass = gas.mass[i].max(1) as f32 * QUANTA;
        assert!((0..3).all(|k| (before[k] - gas.momentum[k][i] as f32 / mass).abs() < 1e-5));
    }
    // Control: debris that packs a little denser moves otherwise.
    gas.free += UNITS / 50;
    assert!(off(&gas) > 1e-3, "{}", off(&gas));
}

#[test]
fn gas_cools_from_the_moment_of_its_release() {
    let Some(gpu) = common::gpu() else { return };
    let cooling = 0.01f32;
    // Heat and release, far enough apart to share no node. The time of the fifth step is 4 dt.
    let cases = [
        (0.75f32, 0.0f32),
        (0.75, 3.0 * DT),
        (1.0, 5.0 * DT),
        (2.0, 1.0 * DT),
    ];
    let places = [
        [1.6f32, 1.7, 1.5],
        [5.4, 1.6, 1.6],
        [1.5, 4.4, 3.4],
        [5.3, 4.3, 3.3],
    ];
    let file = nodes(
        json!({"stage": "p2g_gas", "shader": "pic/p2g_gas.comp", "over": "matter", "arguments": {
            "units": UNITS, "quanta": QUANTA, "limit": 12, "apic": 0, "cooling": cooling, "flip": 0}}),
        json!({"matter": {"count": 4, "ring": 1, "attributes": {
            "position": {"type": "vec3", "background": 0}, "velocity": {"type": "vec3", "background": 0}, "affine": {"type": "mat3", "background": 0},
            "heat": {"type": "float", "background": 0}, "release": {"type": "float", "background": 0}}}}),
    );
    let mut sim = common::simulation::simulation(&gpu, pipeline(&file, &[]), CHECKED);
    let scaled: Vec<f32> = places.as_flattened().iter().map(|x| x * DX).collect();
    write_floats(&mut sim, "matter.position", &scaled);
    write_floats(&mut sim, "matter.heat", &cases.map(|case| case.0));
    write_floats(&mut sim, "matter.release", &cases.map(|case| case.1));
    let mut before = [0.0; 4];
    for step in 0..7 {
        advance(&mut sim, 1);
        let heat = read_words(&mut sim, "nodes.heat");
        for (case, (start, release)) in cases.iter().enumerate() {
            let near = |i: &usize| {
                let node = [i % CELLS[0], i / CELLS[0] % CELLS[1], i / CELLS[0] / CELLS[1]];
                (0..3).all(|k| (node[k] as f32 + 0.5 - places[case][k]).abs() < 1.5)
            };
            let all: f64 = (0..heat.len()).filter(near).map(|i| f64::from(heat[i])).sum();
            let since = f64::from(DT * step as f32) - f64::from(*release);
            let cooled = f64::from(start.min(1.0)) * (-since / f64::from(cooling)).exp();
            let expected = if since >= 0.0 {
                cooled * f64::from(UNITS)
            } else {
                0.0
            };
            // Half a unit for each of 27 nodes.
            assert!(
                (all - before[case] - expected).abs() < 16.0,
                "{case}, step {step}: {} {expected}",
                all - before[case]
            );
            before[case] = all;
        }
    }
}
