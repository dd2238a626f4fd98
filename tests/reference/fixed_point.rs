//! Twin of shaders/lib/fixed_point.glsl, and of the transfer of shaders/mpm/p2g.glsl that is made of it.

use super::bspline::{nodes, spline_at};

pub fn round(x: f32) -> i32 {
    x.round_ties_even() as i32
}

pub fn mass(weight: f32, units: u32) -> u32 {
    (weight * units as f32 + 0.5) as u32
}

pub fn momentum(mass: u32, velocity: [f32; 3], quanta: f32) -> [i32; 3] {
    velocity.map(|v| round(mass as f32 * quanta * v))
}

pub fn overflows(mass: u32, limit: f32, quanta: f32) -> bool {
    mass as f32 * limit * quanta > 2.0e9
}

pub fn velocity(momentum: [i32; 3], mass: u32, quanta: f32) -> [f32; 3] {
    if mass == 0 {
        return [0.0; 3];
    }
    momentum.map(|p| p as f32 / (mass as f32 * quanta))
}

/// Units and quanta that a particle at `at` (in cells) gives its 27 nodes, which it moves at `carried(offset)`, the
/// offset in cells from the particle to the node.
pub fn shares(
    at: [f32; 3],
    units: u32,
    quanta: f32,
    carried: impl Fn([f32; 3]) -> [f32; 3],
) -> [(u32, [i32; 3]); 27] {
    let spline = spline_at(at);
    // Nodes of a row share the product of two weights.
    let row = |n: [usize; 3]| spline.weight[n[1]][1] * spline.weight[n[2]][2] * units as f32;
    let mut masses: Vec<u32> = nodes()
        .map(|n| (spline.weight[n[0]][0] * row(n)).round_ties_even() as u32)
        .collect();
    masses[13] = 0;
    masses[13] = units - masses.iter().sum::<u32>();
    let mut shares = [(0, [0; 3]); 27];
    for (k, n) in nodes().enumerate() {
        let offset = std::array::from_fn(|axis| n[axis] as f32 - spline.offset[axis]);
        shares[k] = (masses[k], momentum(masses[k], carried(offset), quanta));
    }
    shares
}
