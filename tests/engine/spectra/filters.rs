//! Modules that any pipeline may use: filters, convolutions, power spectra.

use super::*;

/// Runs the groups of a module once on a grid `a`; returns the simulation.
fn ran(
    gpu: &Gpu,
    module: &str,
    group: &str,
    parameters: &Value,
    cells: &[u64],
    fields: &[(&str, Vec<f64>)],
) -> Simulation {
    let mut channels = json!({});
    for (name, _) in fields {
        channels[*name] = json!({"type": "float", "at": "centre", "background": 0});
    }
    let file = json!({
        "run": {"dt": 1},
        "use": {"it": {"module": format!("modules/{module}.json"), "roles": {"grid": "a"}, "parameters": parameters}},
        "grids": {"a": {"cells": cells, "cell_size": vec![0.25; cells.len()], "channels": channels}},
        "step": [format!("it.{group}")]
    });
    let mut simulation = simulation(gpu, &file);
    for (name, values) in fields {
        write(&mut simulation, &format!("a.{name}"), values.iter().copied());
    }
    advance(&mut simulation, 1);
    simulation
}

#[test]
fn filter_scales_each_mode() {
    let Some(gpu) = common::gpu() else { return };
    // A wave along x between mirrors, with slope 0 at both sides; a periodic one; and the mean. Cells of 0.25 m.
    let (nx, ny) = (12_u32, 10_u32);
    let along_x = |i: u32| (TAU / 2.0 * 3.0 * (f64::from(i % nx) + 0.5) / f64::from(nx)).cos();
    let along_y = |i: u32| (TAU * 2.0 * f64::from(i / nx) / f64::from(ny)).sin();
    let values: Vec<f64> = (0..nx * ny).map(|i| 0.5 + along_x(i) + along_y(i)).collect();
    let [kx, ky] = [TAU / 2.0 * 3.0 / 3.0, TAU * 2.0 / 2.5];
    for (fine, coarse) in [(0.3, 0.0), (0.0, 0.4), (0.2, 0.5)] {
        let parameters =
            json!({"fine": fine, "coarse": coarse, "sides": {"low": [0, 2, 0], "high": [0, 2, 0]}});
        let fields = [("value", values.clone())];
        let cells = [u64::from(nx), u64::from(ny)];
        let mut simulation = ran(&gpu, "spectral_filter", "filter", &parameters, &cells, &fields);
        let found = read_doubles(&mut simulation, "a.value");
        let passed = |k: f64, fine: f64| {
            let long = if coarse > 0.0 {
                (-0.5 * (k * coarse).powi(2)).exp()
            } else {
                0.0
            };
            (-0.5 * (k * fine).powi(2)).exp() - long
        };
        let error = |fine: f64| {
            let wanted = (0..nx * ny).map(|i| {
                0.5 * passed(0.0, fine) + passed(kx, fine) * along_x(i) + passed(ky, fine) * along_y(i)
            });
            wanted
                .zip(&found)
                .map(|(wanted, found)| (wanted - found).abs())
                .fold(0.0, f64::max)
        };
        assert!(error(fine) < 2e-6, "{fine} {coarse}: {}", error(fine));
        assert!(error(fine + 0.05) > 1e-3, "control: another length");
    }
}

#[test]
fn convolution_equals_the_direct_sum() {
    let Some(gpu) = common::gpu() else { return };
    for cells in [vec![7, 5], vec![4, 6, 5]] {
        let count: u64 = cells.iter().product();
        let noise = |i: u64, seed: u32| f64::from((i as u32 + 1).wrapping_mul(seed) >> 8) / 16_777_216.0;
        let value: Vec<f64> = (0..count).map(|i| noise(i, 2_654_435_761)).collect();
        let kernel: Vec<f64> = (0..count).map(|i| noise(i, 2_246_822_519) - 0.3).collect();
        let fields = [("value", value.clone()), ("kernel", kernel.clone())];
        let mut simulation = ran(&gpu, "convolution", "convolve", &json!({}), &cells, &fields);
        let found = read_doubles(&mut simulation, "a.value");
        let place = |i: u64| -> Vec<u64> {
            let mut rest = i;
            cells.iter().map(|n| (rest % n, rest /= n).0).collect()
        };
        let number = |place: &[u64]| {
            place
                .iter()
                .zip(&cells)
                .rev()
                .fold(0, |sum, (at, n)| sum * n + at)
        };
        let error = |way: i64| {
            let sums = (0..count).map(|i| -> f64 {
                let terms = (0..count).map(|j| {
                    let from: Vec<u64> = (place(i).iter().zip(place(j)).zip(&cells))
                        .map(|((i, j), n)| (*i as i64 - way * j as i64).rem_euclid(*n as i64) as u64)
                        .collect();
                    kernel[j as usize] * value[number(&from) as usize]
                });
                terms.sum()
            });
            sums.zip(&found)
                .map(|(sum, found)| (sum - found).abs())
                .fold(0.0, f64::max)
        };
        assert!(error(1) < 2e-5, "{cells:?}: {}", error(1));
        assert!(error(-1) > 0.1, "control: the kernel mirrored, a correlation");
    }
}

#[test]
fn power_spectrum_bins_modes_by_shell_and_sums_to_the_mean_square() {
    let Some(gpu) = common::gpu() else { return };
    // 2 sin: a mean square of 2. Along y the grid is half as long, so its third wave is in shell 6.
    let (nx, ny) = (24_u32, 12_u32);
    let x = |i: u32| TAU * f64::from(i % nx) / f64::from(nx);
    let y = |i: u32| TAU * f64::from(i / nx) / f64::from(ny);
    let value = |i: u32| 3.0 + 2.0 * (5.0 * x(i)).sin() + (3.0 * y(i)).cos();
    let noise = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / 8_388_608.0 - 1.0;
    let cells = [u64::from(nx), u64::from(ny)];
    let power = |parameters: Value, value: &dyn Fn(u32) -> f64| {
        let fields = [("value", (0..nx * ny).map(value).collect())];
        let mut simulation = ran(&gpu, "power_spectrum", "measure", &parameters, &cells, &fields);
        read_doubles(&mut simulation, "it.power")
    };
    for (shell, found) in power(json!({}), &value).into_iter().enumerate() {
        let wanted = [0.0, 2.0, 0.5][usize::from(shell == 5) + 2 * usize::from(shell == 6)];
        assert!(
            (found - wanted).abs() < 1e-5,
            "shell {shell}: {found}, not {wanted}"
        );
    }
    let mean = (0..nx * ny).map(noise).sum::<f64>() / f64::from(nx * ny);
    let square = (0..nx * ny).map(|i| (noise(i) - mean).powi(2)).sum::<f64>() / f64::from(nx * ny);
    let sum: f64 = power(json!({}), &noise).iter().sum();
    assert!((sum / square - 1.0).abs() < 1e-5, "{sum}, not {square}");
    // The window spreads a wave over its neighbours and keeps its mean square.
    let faded = power(json!({"window": 1}), &value);
    let near: f64 = faded[3..=9].iter().sum();
    assert!((near / 2.5 - 1.0).abs() < 1e-4, "{near}");
    assert!(faded[4] > 0.1, "control: without the window shell 4 is empty");
}
