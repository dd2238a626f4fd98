//! Four kernels of sastrugi, written plainly with rayon: SOR, advection, flakes, and particles to a grid. Arrays are dense,
//! numbers have 32 bits.
//!
//! Usage: beside-rayon DIR. DIR has the runs `snow` and `mpm` of snow.json and mpm.json (scripts/beside-rayon makes them).
//! Each kernel computes from their first frame what they have in the next one, then it is timed. Prints a line for each:
//! name, elements, ns per element, and the largest difference from the result of sastrugi. Differences over the kernel's
//! tolerance are an error.

mod advect;
mod air;
mod flakes;
mod p2g;
mod sor;
#[cfg(test)]
#[allow(dead_code, reason = "some parts of the twins are for other tests")]
mod twins;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use air::{Air, Clock};
use flakes::Flakes;

/// Runs before and while the time is taken.
const WARM_UP: usize = 3;
const RUNS: usize = 15;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: beside-rayon DIR")?;
    let directory = Path::new(&directory);
    let snow = directory.join("snow");
    let air = air::read(&snow, 1)?;
    sor(&air, &snow)?;
    advect(&air, &snow)?;
    particle_update(&air, &snow)?;
    p2g(&directory.join("mpm"))
}

/// A step of the pipeline: ten half-sweeps.
fn sor(air: &Air, directory: &Path) -> Result<(), Box<dyn Error>> {
    let mut system = sor::System::new(air);
    system.sweep(&air::OMEGAS);
    let expected = air::read(directory, 2)?.pressure;
    if expected == air.pressure {
        return Err("sor: the pressure does not change".into());
    }
    let off = difference(&system.pressure(), &expected);
    let ns = time(|| system.sweep(&air::OMEGAS));
    report("sor_by_colour", air.count(), ns, off, 0.0)?;
    let pressure = sor::to_bits(&air.pressure);
    sor::sweep_one_array(air, &pressure, &air::OMEGAS);
    let off = difference(&sor::of_bits(&pressure), &expected);
    let ns = time(|| sor::sweep_one_array(air, &pressure, &air::OMEGAS));
    report("sor", air.count(), ns, off, 0.0)
}

fn advect(air: &Air, directory: &Path) -> Result<(), Box<dyn Error>> {
    let nothing = vec![f32::NAN; air.count()];
    let mut traced = [nothing.clone(), nothing.clone(), nothing];
    advect::advect(air, air::DT, &mut traced);
    let mut off = 0.0_f32;
    for (traced, name) in traced.iter().zip(["u_star", "v_star", "w_star"]) {
        let expected = air::floats(directory, name, 2)?;
        // Other faces are those of walls, which another kernel writes.
        let open = traced.iter().zip(expected).filter(|(traced, _)| !traced.is_nan());
        let (traced, expected): (Vec<f32>, Vec<f32>) = open.unzip();
        if traced.is_empty() {
            return Err("no face is open".into());
        }
        off = off.max(difference(&traced, &expected));
    }
    let ns = time(|| advect::advect(air, air::DT, &mut traced));
    report("advect", air.count(), ns, off, 0.0)
}

fn particle_update(air: &Air, directory: &Path) -> Result<(), Box<dyn Error>> {
    let clock = Clock {
        dt: air::DT,
        seed: air::SEED,
    };
    let mut flakes = Flakes::read(directory, 1)?;
    flakes::particle_update(&mut flakes, air, &clock);
    let expected = Flakes::read(directory, 2)?;
    let off = difference(flakes.position.as_flattened(), expected.position.as_flattened());
    let off = off.max(difference(
        flakes.velocity.as_flattened(),
        expected.velocity.as_flattened(),
    ));
    let count = flakes.position.len();
    let ns = time(|| flakes::particle_update(&mut flakes, air, &clock));
    // Processors and devices compute sines differently.
    report("particle_update", count, ns, off, 1e-3)
}

fn p2g(directory: &Path) -> Result<(), Box<dyn Error>> {
    let particles = p2g::Particles::read(directory)?;
    let mut nodes = particles.nodes();
    particles.p2g(&mut nodes);
    let expected = p2g::read_nodes(directory)?;
    let mut off = 0.0_f32;
    for (node, expected) in nodes.iter().zip(&expected) {
        if node[0] != expected[0] {
            return Err("p2g: the mass of a node differs".into());
        }
        let differences = node.iter().zip(expected).map(|(a, b)| a.abs_diff(*b) as f32);
        off = differences.fold(off, f32::max);
    }
    let mut times = Vec::new();
    for run in 0..WARM_UP + RUNS {
        nodes.fill([0; 4]);
        let before = Instant::now();
        particles.p2g(&mut nodes);
        times.extend((run >= WARM_UP).then(|| before.elapsed().as_nanos() as f64));
    }
    // Products are added in another order, so a share may be rounded otherwise; a node has up to a few hundred.
    report("p2g", particles.len(), median(times), off, 64.0)
}

fn report(name: &str, elements: usize, ns: f64, off: f32, tolerance: f32) -> Result<(), Box<dyn Error>> {
    println!("{name} {elements} {:.3} {off:e}", ns / elements as f64);
    if off <= tolerance {
        return Ok(());
    }
    Err(format!("{name}: the result differs from that of sastrugi by {off:e}").into())
}

/// The largest difference; infinite for arrays of different length, and for NaN.
fn difference(a: &[f32], b: &[f32]) -> f32 {
    if a.len() != b.len() {
        return f32::INFINITY;
    }
    let all = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    all.fold(0.0, |off, next| {
        if next.is_nan() {
            f32::INFINITY
        } else {
            off.max(next)
        }
    })
}

/// The median time of a call, ns.
fn time(mut call: impl FnMut()) -> f64 {
    (0..WARM_UP).for_each(|_| call());
    let times = (0..RUNS).map(|_| {
        let before = Instant::now();
        call();
        before.elapsed().as_nanos() as f64
    });
    median(times.collect())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
