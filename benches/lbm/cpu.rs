//! A plain D3Q19 flow with one relaxation time on the CPU, for comparison: 32 bits, two copies of the populations,
//! planes of cells in parallel with rayon, each with its 19 populations in sequence. The flow is a decaying vortex in a
//! periodic box, whose rate of decay is checked.
//!
//! Usage: cargo bench --bench lbm_cpu -- CELLS STEPS THREADS (64 150 2 by default); prints `MLUPs, decay / theory`.
//! `benches/lbm/compare` builds and runs it.
use rayon::prelude::*;
use std::time::Instant;

const C: [[i32; 3]; 19] = [
    [0, 0, 0],
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
    [1, 1, 0],
    [-1, -1, 0],
    [1, -1, 0],
    [-1, 1, 0],
    [1, 0, 1],
    [-1, 0, -1],
    [1, 0, -1],
    [-1, 0, 1],
    [0, 1, 1],
    [0, -1, -1],
    [0, 1, -1],
    [0, -1, 1],
];
const VISCOSITY: f32 = 0.05;
const SPEED: f64 = 0.02;

fn weight(i: usize) -> f32 {
    match C[i].iter().map(|c| c * c).sum::<i32>() {
        0 => 1.0 / 3.0,
        1 => 1.0 / 18.0,
        _ => 1.0 / 36.0,
    }
}

/// The equilibrium minus the weight, which is the stored form of populations.
#[inline(always)]
fn equilibrium(i: usize, rho: f32, u: [f32; 3]) -> f32 {
    let along = C[i][0] as f32 * u[0] + C[i][1] as f32 * u[1] + C[i][2] as f32 * u[2];
    let square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    weight(i) * (rho - 1.0 + rho * (3.0 * along + 4.5 * along * along - 1.5 * square))
}

/// Collides a row of cells: `rows` contains its 19 populations, `moments` receives the density minus 1 and the
/// velocity.
fn collide(rows: &mut [Vec<f32>], moments: &mut [Vec<f32>; 4], omega: f32) {
    let [excess, u, v, w] = moments;
    for moment in [&mut *excess, &mut *u, &mut *v, &mut *w] {
        moment.fill(0.0);
    }
    for (row, c) in rows.iter().zip(C) {
        let [a, b, c] = c.map(|c| c as f32);
        for ((((f, excess), u), v), w) in row
            .iter()
            .zip(&mut *excess)
            .zip(&mut *u)
            .zip(&mut *v)
            .zip(&mut *w)
        {
            *excess += f;
            *u += a * f;
            *v += b * f;
            *w += c * f;
        }
    }
    for (((excess, u), v), w) in excess.iter().zip(&mut *u).zip(&mut *v).zip(&mut *w) {
        let part = 1.0 / (1.0 + excess);
        *u *= part;
        *v *= part;
        *w *= part;
    }
    for (i, row) in rows.iter_mut().enumerate() {
        for ((((f, excess), u), v), w) in row.iter_mut().zip(&*excess).zip(&*u).zip(&*v).zip(&*w) {
            *f += omega * (equilibrium(i, 1.0 + excess, [*u, *v, *w]) - *f);
        }
    }
}

/// Streams and collides the plane of cells at height `z`, row by row.
fn plane(from: &[f32], to: &mut [f32], n: usize, z: usize, (rows, moments): &mut Scratch) {
    let wrap = |at: usize, c: i32| (at + n).wrapping_add_signed(-c as isize) % n;
    let omega = 1.0 / (3.0 * VISCOSITY + 0.5);
    for y in 0..n {
        for i in 0..19 {
            let first = ((wrap(z, C[i][2]) * 19 + i) * n + wrap(y, C[i][1])) * n;
            let (source, cut) = (&from[first..first + n], wrap(0, C[i][0]));
            rows[i][..n - cut].copy_from_slice(&source[cut..]);
            rows[i][n - cut..].copy_from_slice(&source[..cut]);
        }
        collide(rows, moments, omega);
        for i in 0..19 {
            to[(i * n + y) * n..][..n].copy_from_slice(&rows[i]);
        }
    }
}

/// The 19 populations and the moments of a row of cells.
type Scratch = (Vec<Vec<f32>>, [Vec<f32>; 4]);

fn step(from: &[f32], to: &mut [f32], n: usize) {
    let scratch = || (vec![vec![0.0; n]; 19], std::array::from_fn(|_| vec![0.0; n]));
    to.par_chunks_mut(19 * n * n)
        .enumerate()
        .for_each_init(scratch, |scratch, (z, to)| plane(from, to, n, z, scratch));
}

/// The sum of the squares of the momenta.
fn energy(f: &[f32], n: usize) -> f64 {
    f.chunks(19 * n * n)
        .flat_map(|plane| {
            (0..n * n).map(move |cell| std::array::from_fn::<f32, 19, _>(|i| plane[i * n * n + cell]))
        })
        .map(|cell| {
            (0..3)
                .map(|axis| {
                    (0..19)
                        .map(|i| f64::from(C[i][axis] as f32 * cell[i]))
                        .sum::<f64>()
                        .powi(2)
                })
                .sum::<f64>()
        })
        .sum()
}

fn main() {
    // Cargo adds `--bench`.
    let numbers: Vec<usize> = std::env::args().filter_map(|text| text.parse().ok()).collect();
    let [n, steps, threads] = match numbers[..] {
        [] => [64, 150, 2],
        [n, steps, threads] => [n, steps, threads],
        _ => {
            eprintln!("usage: lbm_cpu CELLS STEPS THREADS");
            std::process::exit(2);
        }
    };
    if n < 8 || steps == 0 || threads == 0 {
        eprintln!("lbm_cpu: CELLS from 8, STEPS and THREADS from 1");
        std::process::exit(2);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool of threads");
    let k = std::f64::consts::TAU / n as f64;
    let mut f: Vec<f32> = (0..n * 19 * n * n)
        .map(|at| {
            let (i, x, y) = (at / (n * n) % 19, k * (at % n) as f64, k * (at / n % n) as f64);
            let u = [
                (-SPEED * x.cos() * y.sin()) as f32,
                (SPEED * x.sin() * y.cos()) as f32,
                0.0,
            ];
            let wave = (2.0 * x).cos() + (2.0 * y).cos();
            equilibrium(i, 1.0 - (0.75 * SPEED * SPEED * wave) as f32, u)
        })
        .collect();
    let mut next = f.clone();
    let before = energy(&f, n);
    let clock = Instant::now();
    pool.install(|| {
        for _ in 0..steps {
            step(&f, &mut next, n);
            std::mem::swap(&mut f, &mut next);
        }
    });
    let seconds = clock.elapsed().as_secs_f64();
    let decay = (before / energy(&f, n)).ln() / (4.0 * f64::from(VISCOSITY) * k * k * steps as f64);
    println!("{:.2} {decay:.5}", (n * n * n * steps) as f64 * 1e-6 / seconds);
}
