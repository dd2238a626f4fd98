//! Free fall of a block of jelly.

use sastrugi::gpu::Gpu;
use serde_json::json;

use super::super::Row;
use super::setup::{Setup, doubles, lattice, outside};

const STEPS: usize = 128;
const SPACING: f64 = 0.025;

/// Motion of a block at rest, in a time in which gravity moves it by half a cell.
pub fn fall(gpu: &Gpu) -> Vec<Row> {
    // Fractions of powers of two, so that the exact motion is known in floats too.
    let (gravity, dt) = (-9.75, 1.0 / 1024.0);
    let setup = Setup {
        pipeline: "mpm_jelly.json",
        cells: [24; 3],
        cell: 2.0 * SPACING,
        dt,
        parameters: json!({"transfer": {"gravity": [0, 0, gravity], "quanta": 16, "limit": 12}}),
        solids: vec![[[0.0; 4], [0.0, 0.0, -1.0, 0.0], [0.0, 0.0, 1.0, 0.0]]],
    };
    // Off the lattice of the grid.
    let places = lattice([8; 3], SPACING, [0.507, 0.491, 0.503]);
    let mut scene = setup.start(gpu, &places, &vec![[0.0; 3]; places.len()]);
    let before = doubles::<3>(&mut scene, "matter.position");
    scene.steps(STEPS);
    let n = STEPS as f64;
    let exact = [gravity * n * dt, gravity * dt * dt * n * (n + 1.0) / 2.0];
    let velocities = doubles::<3>(&mut scene, "matter.velocity");
    let now = doubles::<3>(&mut scene, "matter.position");
    let mut worst = [0.0f64; 2];
    for i in 0..places.len() {
        for axis in 0..3 {
            let down = f64::from(u8::from(axis == 2));
            worst[0] = worst[0].max((velocities[i][axis] - down * exact[0]).abs());
            worst[1] = worst[1].max((now[i][axis] - before[i][axis] - down * exact[1]).abs());
        }
    }
    vec![
        Row::new(
            format!(
                "largest error of the velocity of {:.3} m/s after {STEPS} steps, m/s",
                exact[0].abs()
            ),
            worst[0],
            1e-4,
            "half a quantum in each of 27 shares of a particle's mass is 3e-6 m/s per step; these errors have random directions",
        ),
        Row::new(
            format!("largest error of the fall of {:.4} m, m", exact[1].abs()),
            worst[1],
            1e-5,
            "half a quantum per share as for the velocity, over 1/8 s; a position near 0.6 m is rounded by up to 3e-8 m per step",
        ),
        Row::none(
            "values outside the range of fixed point",
            outside(&mut scene),
            "0 in a correct run",
        ),
    ]
}
