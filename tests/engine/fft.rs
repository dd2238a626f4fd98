//! `fft(...)` and its like: discrete Fourier transforms of fields on a device against transforms in double precision.

mod lengths;
mod shapes;
mod twin;
mod waves;

use sastrugi::gpu::Gpu;
use sastrugi::run::{Options, Simulation};
use serde_json::Value;

use super::common::{self, simulation::*};
use twin::Complex;

/// Largest relative error in the L2 norm: so many times 1e-7 log2(n).
const FACTOR: f64 = 1.0;

fn simulation(gpu: &Gpu, file: &Value, options: Options) -> Simulation {
    common::simulation::simulation(gpu, pipeline(file, &[]), options)
}

/// Complex numbers that look random, in -1 to 1, exact as floats.
fn random(count: usize, seed: u32) -> Vec<Complex> {
    let number = |i: u32| {
        let mut h = i.wrapping_add(seed.wrapping_mul(0x9e37_79b9)).wrapping_add(1);
        for _ in 0..2 {
            h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
            h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
        }
        f64::from((h >> 8) as f32 / 8_388_608.0 - 1.0)
    };
    (0..count as u32)
        .map(|i| Complex::new(number(2 * i), number(2 * i + 1)))
        .collect()
}

fn bytes(numbers: impl IntoIterator<Item = f64>) -> Vec<u8> {
    numbers
        .into_iter()
        .flat_map(|number| (number as f32).to_le_bytes())
        .collect()
}

fn write(simulation: &mut Simulation, field: &str, values: &[Complex]) {
    let parts = values.iter().flat_map(|value| [value.re, value.im]);
    simulation.write(field, &bytes(parts)).unwrap();
}

fn read(simulation: &mut Simulation, field: &str) -> Vec<Complex> {
    let numbers = read_doubles(simulation, field);
    numbers
        .chunks(2)
        .map(|pair| Complex::new(pair[0], pair[1]))
        .collect()
}

fn norm(values: &[Complex]) -> f64 {
    values.iter().map(Complex::norm_sqr).sum::<f64>().sqrt()
}

/// The relative error in the L2 norm.
fn error(found: &[Complex], expected: &[Complex]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let difference: Vec<Complex> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
    norm(&difference) / norm(expected)
}

/// Fails if a transform of `n` values differs from the expected one by more than rounding; `factor` times as much is
/// allowed as for a direct transform.
#[track_caller]
fn assert_close(found: &[Complex], expected: &[Complex], n: usize, factor: f64, what: &str) {
    let (error, most) = (
        error(found, expected),
        factor * FACTOR * 1e-7 * (n as f64).log2().max(1.0),
    );
    assert!(
        error <= most,
        "{what}: the relative error is {error:.2e}, more than {most:.2e}"
    );
}

#[test]
#[should_panic(expected = "the relative error is")]
fn control_comparison_detects_one_wrong_value() {
    let expected = random(4096, 1);
    let mut found = expected.clone();
    found[77] *= 1.001;
    assert_close(&found, &expected, 4096, 1.0, "one value 1e-3 too large");
}
