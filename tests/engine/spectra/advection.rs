//! Stable fluids: advection against a twin in double precision, and the same in space.

use super::*;

fn noise(i: u32) -> f64 {
    f64::from(i.wrapping_mul(2_654_435_761) >> 8) / 8_388_608.0 - 1.0
}

/// Twin of stage `advect`: values of a periodic unit square of n x n cells at the upstream positions.
fn advect(velocity: &[f64], values: &[f64], parts: usize, n: usize, dt: f64) -> Vec<f64> {
    let mut found = Vec::new();
    for cell in 0..n * n {
        let from = [cell % n, cell / n].map(|i| i as f64);
        let from = [0, 1].map(|axis| from[axis] - dt * velocity[2 * cell + axis] * n as f64);
        let low = from.map(f64::floor);
        for part in 0..parts {
            let at = |x: f64, y: f64| {
                let [x, y] = [x, y].map(|i| i.rem_euclid(n as f64) as usize);
                values[parts * (y * n + x) + part]
            };
            let [s, t] = [from[0] - low[0], from[1] - low[1]];
            let row = |y: f64| (1.0 - s) * at(low[0], y) + s * at(low[0] + 1.0, y);
            found.push((1.0 - t) * row(low[1]) + t * row(low[1] + 1.0));
        }
    }
    found
}

#[test]
fn advection_matches_the_reference() {
    let Some(gpu) = common::gpu() else { return };
    for n in [11_u32, 16] {
        let mut simulation = still_square(&gpu, n);
        // Up to seven cells in a step, across the sides too.
        let velocity: Vec<f64> = (0..2 * n * n).map(|i| 28.0 * noise(i) as f32 as f64).collect();
        let dye: Vec<f64> = (0..3 * n * n).map(|i| noise(i + 7).abs() as f32 as f64).collect();
        write(&mut simulation, "box.v", velocity.iter().copied());
        write(&mut simulation, "box.dye", dye.iter().copied());
        advance(&mut simulation, 1);
        let found = [
            read_doubles(&mut simulation, "box.v_next"),
            read_doubles(&mut simulation, "box.dye"),
        ];
        let fading = (-0.06_f64 / 64.0).exp();
        let error = |dt: f64| {
            let wanted = [
                advect(&velocity, &velocity, 2, n as usize, dt),
                advect(&velocity, &dye, 3, n as usize, dt)
                    .iter()
                    .map(|dye| fading * dye)
                    .collect(),
            ];
            let pairs = found.iter().flatten().zip(wanted.iter().flatten());
            pairs
                .map(|(found, wanted)| (found - wanted).abs())
                .fold(0.0, f64::max)
        };
        // A place is known to 1e-6 of a cell, and values differ by up to 56 from cell to cell.
        assert!(error(1.0 / 64.0) < 1e-3, "n = {n}: {}", error(1.0 / 64.0));
        assert!(error(1.01 / 64.0) > 0.1, "control: another time step");
    }
}

/// The stirred cube with nobody stirring, of n^3 cells and steps of 1/64 s.
fn still_cube(gpu: &Gpu, n: u32) -> Simulation {
    let file = json!({
        "extends": "pipelines/fluids_3d.json", "run": {"dt": "1/64"},
        "parameters": {"n": n, "viscosity": 0.002, "stir": {"push": 0, "feed": 0}}
    });
    simulation(gpu, &file)
}

#[test]
fn shear_flow_modes_decay_by_their_factors_in_3d() {
    let Some(gpu) = common::gpu() else { return };
    let (n, wave) = (12_u32, 2.0);
    for (part, axis) in [(0, 1), (1, 2), (2, 0)] {
        let mut simulation = still_cube(&gpu, n);
        let place = |i: u32| f64::from(i / n.pow(axis) % n) + 0.5;
        let speed = |i: u32| (TAU * wave * place(i) / f64::from(n)).sin();
        let values = (0..n.pow(3)).flat_map(|i| [0, 1, 2, 3].map(|k| if k == part { speed(i) } else { 0.0 }));
        write(&mut simulation, "box.v", values);
        advance(&mut simulation, 6);
        let found = read_doubles(&mut simulation, "box.v");
        let error = |viscosity: f64| {
            let factor = (1.0 + viscosity * (TAU * wave).powi(2) / 64.0).powi(-6);
            let wanted = (0..n.pow(3))
                .flat_map(|i| [0, 1, 2, 3].map(|k| if k == part { factor * speed(i) } else { 0.0 }));
            wanted
                .zip(&found)
                .map(|(wanted, found)| (wanted - found).abs())
                .fold(0.0, f64::max)
        };
        assert!(error(0.002) < 1e-5, "{part} along {axis}: {}", error(0.002));
        assert!(error(0.0021) > 1e-4, "control: another viscosity");
    }
}

#[test]
fn spectral_projection_removes_divergence_in_3d() {
    let Some(gpu) = common::gpu() else { return };
    let n = 8_u32;
    let mut simulation = still_cube(&gpu, n);
    let noise = (0..4 * n.pow(3)).map(|i| if i % 4 == 3 { 0.0 } else { noise(i) });
    write(&mut simulation, "box.v", noise);
    advance(&mut simulation, 1);
    let mut divergence = |field: &str| {
        let values = read_doubles(&mut simulation, field);
        let slope = |i: u32| match (2 * i).cmp(&n) {
            std::cmp::Ordering::Less => f64::from(i),
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => f64::from(i) - f64::from(n),
        };
        let (mut sum, mut whole) = (0.0, 0.0);
        for i in 0..n.pow(3) {
            let wave = [i % n, i / n % n, i / n / n];
            let [x, y, z] = wave.map(|k| (n - k) % n);
            let [own, other] = [i, (z * n + y) * n + x].map(|i| &values[4 * i as usize..4 * i as usize + 4]);
            // U = (F(k) + F(-k)*) / 2, V = (F(k) - F(-k)*) / 2i; W is the second transform.
            let u = [(own[0] + other[0]) / 2.0, (own[1] - other[1]) / 2.0];
            let v = [(own[1] + other[1]) / 2.0, (other[0] - own[0]) / 2.0];
            let k = wave.map(slope);
            for part in 0..2 {
                let terms = [k[0] * u[part], k[1] * v[part], k[2] * own[2 + part]];
                sum += terms.iter().sum::<f64>().powi(2);
                whole += terms.iter().map(|term| term * term).sum::<f64>();
            }
        }
        (sum / whole).sqrt()
    };
    let after = divergence("waves.projected");
    assert!(after < 1e-6, "{after}");
    let before = divergence("waves.v");
    assert!(before > 0.1, "control: {before}");
}
