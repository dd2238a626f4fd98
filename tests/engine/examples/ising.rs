//! The Ising model beside the exact energy of Onsager 1944 and the magnetization of Yang 1952.

use std::f64::consts::PI;

use sastrugi::gpu::Gpu;
use serde_json::json;

use super::*;

const N: usize = 96;
/// Sweeps before the first look, and from one to the next; looks of a block, and number of blocks.
const BEFORE: usize = 200;
const BETWEEN: usize = 4;
const BLOCK: usize = 16;
const BLOCKS: usize = 16;

/// Energy per spin over J: Onsager's equation with the elliptic integral by the arithmetic-geometric mean.
fn exact_energy(temperature: f64) -> f64 {
    let x = 2.0 / temperature;
    let k = 2.0 * x.sinh() / x.cosh().powi(2);
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    let integral = PI / (2.0 * a);
    -(1.0 + 2.0 / PI * (2.0 * x.tanh().powi(2) - 1.0) * integral) / x.tanh()
}

fn exact_magnetization(temperature: f64) -> f64 {
    let x = 1.0 - (2.0 / temperature).sinh().powi(-4);
    if x > 0.0 { x.powf(0.125) } else { 0.0 }
}

/// A mean and its standard error, from the means of blocks, which are longer than correlations in time.
struct Mean {
    mean: f64,
    error: f64,
}

impl Mean {
    fn of(blocks: &[f64]) -> Mean {
        let n = blocks.len() as f64;
        let mean = blocks.iter().sum::<f64>() / n;
        let squares: f64 = blocks.iter().map(|x| (x - mean).powi(2)).sum();
        let error = (squares / (n * (n - 1.0))).sqrt();
        Mean { mean, error }
    }

    fn is_near(&self, value: f64) -> bool {
        (self.mean - value).abs() < 4.0 * self.error
    }
}

/// Energy and magnetization per spin from a start with all spins up.
fn sampled(gpu: &Gpu, temperature: f64) -> [Mean; 2] {
    let changes = json!({
        "use": {"magnet": {"parameters": {"temperature": temperature, "up": 1}}},
        "parameters": {"n": N},
        "buffers": {"total": "int"},
        "step": ["magnet.step", {"every": BETWEEN, "stages": ["magnet.measure", {"set": "total", "to": "sum(lattice.spin)"}]}]
    });
    let mut simulation = shipped(gpu, "ising", changes, Options::PLAIN);
    (0..BEFORE).for_each(|_| simulation.step(false).unwrap());
    let mut blocks = [vec![], vec![]];
    for _ in 0..BLOCKS {
        let mut sums = [0.0; 2];
        for _ in 0..BLOCK {
            (0..BETWEEN).for_each(|_| simulation.step(false).unwrap());
            for (sum, field) in sums.iter_mut().zip(["magnet.bonds", "total"]) {
                *sum += f64::from(read_words(&mut simulation, field)[0] as i32);
            }
        }
        blocks[0].push(-sums[0] / (BLOCK * N * N) as f64);
        blocks[1].push(sums[1] / (BLOCK * N * N) as f64);
    }
    // The next look is in this step.
    simulation.step(false).unwrap();
    let spins = read_words(&mut simulation, "lattice.spin");
    let spin = |x: usize, y: usize| spins[y % N * N + x % N] as i32;
    let all = || (0..N * N).map(|i| (i % N, i / N));
    let bonds: i32 = all()
        .map(|(x, y)| spin(x, y) * (spin(x + 1, y) + spin(x, y + 1)))
        .sum();
    assert_eq!(read_words(&mut simulation, "magnet.bonds")[0] as i32, bonds);
    assert!(spins.iter().all(|spin| (*spin as i32).abs() == 1));
    blocks.map(|blocks| Mean::of(&blocks))
}

#[test]
fn ising_energy_and_magnetization_are_exact() {
    let Some(gpu) = common::gpu() else { return };
    // Correlations reach a few cells, so the size of the lattice does not matter.
    let mut cases = common::sweep(1, 3);
    for temperature in [2.0, 2.8, 3.6] {
        if cases.skips() {
            continue;
        }
        let [energy, magnetization] = sampled(&gpu, temperature);
        let (exact, other) = (exact_energy(temperature), exact_energy(1.02 * temperature));
        let found = format!(
            "{temperature}: {} +- {}, exact {exact}",
            energy.mean, energy.error
        );
        assert!(energy.error < 2e-3, "{found}");
        assert!(energy.is_near(exact), "{found}");
        assert!(!energy.is_near(other), "control: another temperature, {found}");
        let exact = exact_magnetization(temperature);
        let found = format!(
            "{temperature}: {} +- {}, exact {exact}",
            magnetization.mean, magnetization.error
        );
        assert!(magnetization.error < 5e-3, "{found}");
        assert!(magnetization.is_near(exact), "{found}");
        let other = exact_magnetization(1.02 * temperature);
        assert!(
            other == exact || !magnetization.is_near(other),
            "control: {found}"
        );
    }
    let ordered = exact_magnetization(2.0);
    assert!((ordered - 0.9113).abs() < 1e-4, "{ordered}");
}

#[test]
fn ising_spins_start_as_asked() {
    let Some(gpu) = common::gpu() else { return };
    let changes = json!({"use": {"magnet": {"parameters": {"up": 0.25}}}, "parameters": {"n": N}});
    let mut simulation = shipped(&gpu, "ising", changes, CHECKED);
    let spins = read_words(&mut simulation, "lattice.spin");
    let up = spins.iter().filter(|spin| **spin == 1).count() as f64 / (N * N) as f64;
    // Four standard deviations of a binomial.
    let deviation = (0.25 * 0.75 / (N * N) as f64).sqrt();
    assert!((up - 0.25).abs() < 4.0 * deviation, "{up}");
    advance(&mut simulation, 3);
    assert_ne!(read_words(&mut simulation, "lattice.spin"), spins);
}
