//! Numbers that judge a state. Plain functions of arrays, summed in f64.

use super::super::reference::smooth_snow::Sliding;
use super::super::reference::{Air, Ground, sor::laplacian};

/// Largest absolute difference; a NaN on one side counts as infinite, and so does a difference in length.
pub fn largest_difference(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let difference = |(a, b): (&f32, &f32)| {
        if a.to_bits() == b.to_bits() {
            0.0
        } else if a.is_nan() || b.is_nan() {
            f64::INFINITY
        } else {
            (f64::from(*a) - f64::from(*b)).abs()
        }
    };
    a.iter().zip(b).map(difference).fold(0.0, f64::max)
}

pub fn largest(values: &[f32]) -> f64 {
    values.iter().fold(0.0, |most, v| most.max(f64::from(v.abs())))
}

/// Number of differing entries.
pub fn mismatches(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count() + a.len().abs_diff(b.len())
}

fn fluid_cells(air: &Air) -> Vec<[usize; 3]> {
    air.all().filter(|cell| air.fluid(*cell)).collect()
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

/// Divergence of a face field at a cell, 1/s.
fn divergence(air: &Air, [u, v, w]: [&[f32]; 3], cell: [usize; 3]) -> f64 {
    let i = air.index(cell);
    let across = |field: &[f32], stride: usize| f64::from(field[i + stride]) - f64::from(field[i]);
    let sum = across(u, 1) + across(v, air.cells[0]) + across(w, air.cells[0] * air.cells[1]);
    sum / f64::from(air.dx)
}

/// Largest |div(u) - dt (b - L p)| over the fluid cells, 1/s.
pub fn identity_error(air: &Air, dt: f32) -> f64 {
    let (p, b) = (wide(&air.pressure), wide(&air.solution));
    let error = |cell: [usize; 3]| {
        let left = divergence(air, [&air.u, &air.v, &air.w], cell);
        (left - f64::from(dt) * (b[air.index(cell)] - laplacian(air, &p, cell))).abs()
    };
    fluid_cells(air).into_iter().map(error).fold(0.0, f64::max)
}

/// Largest pressure difference across an open inner face, m²/s².
pub fn largest_drop(air: &Air) -> f64 {
    let drop = |cell: [usize; 3]| {
        let p = f64::from(air.pressure[air.index(cell)]);
        let neighbours = air.open_neighbours(cell).into_iter().flatten();
        neighbours
            .map(|n| (f64::from(air.pressure[n]) - p).abs())
            .fold(0.0, f64::max)
    };
    fluid_cells(air).into_iter().map(drop).fold(0.0, f64::max)
}

/// Root mean square of b - L p over the fluid cells.
pub fn residual(air: &Air, p: &[f64], b: &[f64]) -> f64 {
    let cells = fluid_cells(air);
    let sum: f64 = cells
        .iter()
        .map(|&cell| (b[air.index(cell)] - laplacian(air, p, cell)).powi(2))
        .sum();
    (sum / cells.len() as f64).sqrt()
}

/// Net outward flux through all boundary faces, and the sum of its absolute values, both over h².
pub fn boundary_flux(air: &Air, [u, v, w]: [&[f32]; 3]) -> (f64, f64) {
    let mut net = 0.0;
    let mut total = 0.0;
    for cell in air.all() {
        for (axis, field) in [u, v, w].into_iter().enumerate() {
            let flux = f64::from(air.outward(cell, axis)) * f64::from(field[air.index(cell)]);
            net += flux;
            total += flux.abs();
        }
    }
    (net, total)
}

/// Mean of b over the fluid cells, 1/s², and their number.
pub fn mean_solution(air: &Air) -> (f64, usize) {
    let cells = fluid_cells(air);
    let sum: f64 = cells
        .iter()
        .map(|&cell| f64::from(air.solution[air.index(cell)]))
        .sum();
    (sum / cells.len() as f64, cells.len())
}

/// Faces that touch a solid cell, and how many of them carry anything but 0.
pub fn leaks(air: &Air, fields: [&[f32]; 3]) -> (usize, usize) {
    let mut closed = 0;
    let mut leaking = 0;
    for cell in air.all() {
        for (axis, field) in fields.into_iter().enumerate() {
            if air.closed(cell, axis) {
                closed += 1;
                leaking += usize::from(field[air.index(cell)] != 0.0);
            }
        }
    }
    (closed, leaking)
}

/// Units of snow in a field.
pub fn total(units: &[u32]) -> u64 {
    units.iter().map(|u| u64::from(*u)).sum()
}

/// Over all pairs of neighbours whose higher vertex holds more than the retained depth: the largest excess
/// over the angle of repose, in units of snow, and the number of such pairs.
pub fn steepest_excess(ground: &Ground, rule: &Sliding) -> (f64, usize) {
    let [nx, ny] = ground.vertices;
    let surface =
        |i: usize| f64::from(ground.elevation[i]) + f64::from(ground.snow[i]) * f64::from(rule.snow_unit);
    let mut worst = f64::NEG_INFINITY;
    let mut pairs = 0;
    for y in 0..ny {
        for x in 0..nx {
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
                let other = (x as isize + dx, y as isize + dy);
                if other.0 < 0 || other.0 >= nx as isize || other.1 >= ny as isize {
                    continue;
                }
                let (mut high, mut low) = (ground.index([x, y]), other.0 as usize + nx * other.1 as usize);
                if surface(high) < surface(low) {
                    (high, low) = (low, high);
                }
                if ground.snow[high] > rule.retained_units() {
                    let step = [dx as f64, dy as f64].map(f64::from);
                    let apart = (step[0] * f64::from(ground.spacing[0]))
                        .hypot(step[1] * f64::from(ground.spacing[1]));
                    let stand = f64::from(rule.tan_repose) * apart;
                    worst = worst.max((surface(high) - surface(low) - stand) / f64::from(rule.snow_unit));
                    pairs += 1;
                }
            }
        }
    }
    (worst, pairs)
}
