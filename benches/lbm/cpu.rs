//! A plain D3Q19 flow with one relaxation time on the processor, as a yardstick: 32 bits, two copies of the populations, rows of
//! cells. A vortex in a periodic box decays meanwhile, and its rate must be right.
//!
//! Usage: cpu CELLS STEPS THREADS; prints `MLUPs, decay / theory`. `benches/lbm/compare` builds and runs it.
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

/// Less the weight, as the populations are kept.
#[inline(always)]
fn equilibrium(i: usize, rho: f32, u: [f32; 3]) -> f32 {
    let along = C[i][0] as f32 * u[0] + C[i][1] as f32 * u[1] + C[i][2] as f32 * u[2];
    let square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    weight(i) * (rho - 1.0 + rho * (3.0 * along + 4.5 * along * along - 1.5 * square))
}

/// Collides a row of cells: `rows` holds its 19 populations, `moments` has room for the density less 1 and the velocity.
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

/// Streams and collides the planes from `low` on, as many as `to` has room for.
fn planes(from: &[Vec<f32>], to: &mut [&mut [f32]], n: usize, low: usize) {
    let wrap = |at: usize, c: i32| (at + n).wrapping_add_signed(-c as isize) % n;
    let omega = 1.0 / (3.0 * VISCOSITY + 0.5);
    let mut rows = vec![vec![0.0; n]; 19];
    let mut moments = std::array::from_fn(|_| vec![0.0; n]);
    for row in 0..to[0].len() / n {
        let (y, z) = (row % n, low + row / n);
        for i in 0..19 {
            let first = (wrap(z, C[i][2]) * n + wrap(y, C[i][1])) * n;
            let (source, cut) = (&from[i][first..first + n], wrap(0, C[i][0]));
            rows[i][..n - cut].copy_from_slice(&source[cut..]);
            rows[i][n - cut..].copy_from_slice(&source[..cut]);
        }
        collide(&mut rows, &mut moments, omega);
        for i in 0..19 {
            to[i][row * n..][..n].copy_from_slice(&rows[i]);
        }
    }
}

fn step(from: &[Vec<f32>], to: &mut [Vec<f32>], n: usize, threads: usize) {
    let deep = n.div_ceil(threads);
    let mut parts: Vec<Vec<&mut [f32]>> = (0..threads).map(|_| Vec::new()).collect();
    for population in to {
        for (part, chunk) in parts.iter_mut().zip(population.chunks_mut(deep * n * n)) {
            part.push(chunk);
        }
    }
    std::thread::scope(|scope| {
        for (thread, mut part) in parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            scope.spawn(move || planes(from, &mut part, n, thread * deep));
        }
    });
}

/// The sum of the squares of the momenta.
fn energy(f: &[Vec<f32>]) -> f64 {
    (0..f[0].len())
        .map(|cell| {
            (0..3)
                .map(|axis| {
                    (0..19)
                        .map(|i| f64::from(C[i][axis] as f32 * f[i][cell]))
                        .sum::<f64>()
                        .powi(2)
                })
                .sum::<f64>()
        })
        .sum()
}

fn main() {
    let numbers: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok())
        .collect();
    let &[n, steps, threads] = &numbers[..] else {
        eprintln!("usage: cpu CELLS STEPS THREADS");
        std::process::exit(2);
    };
    if n < 8 || steps == 0 || threads == 0 || threads > n {
        eprintln!("cpu: CELLS from 8, STEPS from 1, THREADS from 1 to CELLS");
        std::process::exit(2);
    }
    let k = std::f64::consts::TAU / n as f64;
    let start = |i: usize| {
        (0..n * n * n)
            .map(|cell| {
                let (x, y) = (k * (cell % n) as f64, k * (cell / n % n) as f64);
                let u = [
                    (-SPEED * x.cos() * y.sin()) as f32,
                    (SPEED * x.sin() * y.cos()) as f32,
                    0.0,
                ];
                equilibrium(
                    i,
                    1.0 - (0.75 * SPEED * SPEED * ((2.0 * x).cos() + (2.0 * y).cos())) as f32,
                    u,
                )
            })
            .collect::<Vec<f32>>()
    };
    let mut f: Vec<Vec<f32>> = (0..19).map(start).collect();
    let mut next = f.clone();
    let before = energy(&f);
    let clock = Instant::now();
    for _ in 0..steps {
        step(&f, &mut next, n, threads);
        std::mem::swap(&mut f, &mut next);
    }
    let seconds = clock.elapsed().as_secs_f64();
    let decay = (before / energy(&f)).ln() / (4.0 * f64::from(VISCOSITY) * k * k * steps as f64);
    println!("{:.2} {decay:.5}", (n * n * n * steps) as f64 * 1e-6 / seconds);
}
