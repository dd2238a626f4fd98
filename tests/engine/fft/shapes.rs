//! Axes, arrays and components, real numbers, and what every transform has in common.

use serde_json::json;

use super::*;

/// Sides of the boxes.
const SIZE: [usize; 3] = [6, 10, 4];
const VALUES: usize = 240;

pub(super) fn real(count: usize, seed: u32) -> Vec<Complex> {
    random(count, seed)
        .into_iter()
        .map(|value| Complex::new(value.re, 0.0))
        .collect()
}

pub(super) fn write_real(simulation: &mut Simulation, field: &str, values: &[Complex]) {
    simulation
        .write(field, &bytes(values.iter().map(|value| value.re)))
        .unwrap();
}

pub(super) fn read_real(simulation: &mut Simulation, field: &str) -> Vec<Complex> {
    read_doubles(simulation, field)
        .into_iter()
        .map(|value| Complex::new(value, 0.0))
        .collect()
}

/// The values of the first half along an axis.
fn half(values: &[Complex], size: [usize; 3], axis: usize) -> Vec<Complex> {
    let low: usize = size[..axis].iter().product();
    let is_in = |i: usize| i / low % size[axis] <= size[axis] / 2;
    (0..values.len())
        .filter(|i| is_in(*i))
        .map(|i| values[i])
        .collect()
}

#[test]
fn all_axis_sets_agree_in_all_run_modes() {
    let Some(gpu) = common::gpu() else { return };
    let sets: [&[usize]; 7] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
    let letters = |axes: &[usize]| {
        axes.iter()
            .map(|axis| ["x", "y", "z"][*axis])
            .collect::<Vec<_>>()
            .join(", ")
    };
    let values = random(VALUES, 2);
    let mut first: Option<Vec<Vec<Complex>>> = None;
    for options in crate::loops::all_options() {
        let mut channels = json!({"given": {"type": "vec2", "background": 0}});
        let mut step = Vec::new();
        for (number, axes) in sets.iter().enumerate() {
            channels[format!("found_{number}")] = json!("vec2");
            let to = format!("fft(g.given, {})", letters(axes));
            step.push(json!({"set": format!("g.found_{number}"), "to": to}));
        }
        let file = json!({"run": {"dt": 1}, "step": step,
            "grids": {"g": {"cells": SIZE, "cell_size": 1, "channels": channels}}});
        let mut sim = simulation(&gpu, &file, options);
        write(&mut sim, "g.given", &values);
        sim.step(false).unwrap();
        assert!(sim.fault().unwrap().is_none());
        let found: Vec<Vec<Complex>> = (0..sets.len())
            .map(|number| read(&mut sim, &format!("g.found_{number}")))
            .collect();
        for (axes, found) in sets.iter().zip(&found) {
            let expected = twin::transform(&values, SIZE, axes, false);
            let n = axes.iter().map(|axis| SIZE[*axis]).product();
            assert_close(found, &expected, n, 1.0, &format!("axes {axes:?}"));
        }
        match &first {
            Some(first) => assert_eq!(*first, found, "not a bit may differ"),
            None => first = Some(found),
        }
    }
}

#[test]
fn array_entries_and_components_transform_independently() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "run": {"dt": 1},
        "grids": {"g": {"cells": SIZE, "cell_size": 1, "channels": {
            "v": {"type": "vec4", "count": 2, "background": 0}, "h": {"type": "hvec2", "background": 0}}}},
        "step": [{"set": "g.v", "to": "fft(g.v)"}, {"set": "g.h", "to": "fft(g.h)"}]
    });
    let mut sim = simulation(&gpu, &file, Options::default());
    let values = random(4 * VALUES, 3);
    write(&mut sim, "g.v", &values);
    let halves: Vec<half::f16> = (random(VALUES, 4).iter())
        .flat_map(|value| [value.re, value.im])
        .map(half::f16::from_f64)
        .collect();
    let bits: Vec<u8> = halves.iter().flat_map(|number| number.to_le_bytes()).collect();
    sim.write("g.h", &bits).unwrap();
    sim.step(false).unwrap();
    let found = read(&mut sim, "g.v");
    for (entry, part) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let one = |values: &[Complex]| -> Vec<Complex> {
            (0..VALUES)
                .map(|i| values[2 * (entry * VALUES + i) + part])
                .collect()
        };
        let expected = twin::transform(&one(&values), SIZE, &[0, 1, 2], false);
        assert_close(
            &one(&found),
            &expected,
            VALUES,
            1.0,
            &format!("entry {entry}, part {part}"),
        );
    }
    let stored = sim.read("g.h").unwrap();
    let numbers: Vec<f64> = stored
        .chunks(2)
        .map(|two| half::f16::from_le_bytes([two[0], two[1]]).to_f64())
        .collect();
    let found: Vec<Complex> = numbers
        .chunks(2)
        .map(|pair| Complex::new(pair[0], pair[1]))
        .collect();
    let given: Vec<Complex> = halves
        .chunks(2)
        .map(|pair| Complex::new(pair[0].to_f64(), pair[1].to_f64()))
        .collect();
    let error = error(&found, &twin::transform(&given, SIZE, &[0, 1, 2], false));
    // Three roundings to 11 bits, one for each axis.
    assert!((1e-5..6e-4).contains(&error), "{error}");
}

#[test]
fn real_transforms_give_half_spectra_and_invert() {
    let Some(gpu) = common::gpu() else { return };
    let [nx, ny, nz] = SIZE;
    let line = 4100;
    let file = json!({
        "run": {"dt": 1},
        "grids": {
            "g": {"cells": SIZE, "cell_size": 1, "channels": {"v": {"type": "float", "background": 0}, "back": "float"}},
            "by_x": {"cells": [nx / 2 + 1, ny, nz], "cell_size": 1, "channels": {"v": "vec2"}},
            "by_y": {"cells": [nx, ny / 2 + 1, nz], "cell_size": 1, "channels": {"v": "vec2"}}
        },
        "buffers": {"line": {"type": "float", "length": line, "background": 0},
                    "spectrum": {"type": "vec2", "length": line / 2 + 1}, "line_back": {"type": "float", "length": line}},
        "step": [
            {"set": "by_x.v", "to": "fft(g.v)"}, {"set": "g.back", "to": "inverse_fft(by_x.v)"},
            {"set": "by_y.v", "to": "fft(g.v, z, y)"},
            {"set": "spectrum", "to": "fft(line)"}, {"set": "line_back", "to": "inverse_fft(spectrum)"}
        ]
    });
    let mut sim = simulation(&gpu, &file, Options::default());
    let (values, long) = (real(VALUES, 5), real(line, 6));
    write_real(&mut sim, "g.v", &values);
    write_real(&mut sim, "line", &long);
    sim.step(false).unwrap();
    for (field, axes, halved) in [("by_x.v", &[0, 1, 2][..], 0), ("by_y.v", &[1, 2], 1)] {
        let expected = half(&twin::transform(&values, SIZE, axes, false), SIZE, halved);
        assert_close(&read(&mut sim, field), &expected, VALUES, 1.0, field);
    }
    assert_close(&read_real(&mut sim, "g.back"), &values, VALUES, 2.0, "back");
    let size = [line, 1, 1];
    let expected = half(&twin::transform(&long, size, &[0], false), size, 0);
    assert_close(
        &read(&mut sim, "spectrum"),
        &expected,
        line,
        1.0,
        "a line of two passes",
    );
    assert_close(
        &read_real(&mut sim, "line_back"),
        &long,
        line,
        2.0,
        "a line of two passes and back",
    );
}

#[test]
fn transforms_are_linear_with_known_delta_and_wave() {
    let Some(gpu) = common::gpu() else { return };
    let n = 60;
    let mut channels = json!({});
    let mut step = Vec::new();
    let given = ["a", "b", "sum", "delta", "wave"];
    for name in given {
        channels[name] = json!({"type": "vec2", "background": 0});
        step.push(json!({"set": format!("t.{name}"), "to": format!("fft(t.{name})")}));
    }
    let file = json!({"run": {"dt": 1}, "buffers": {"t": {"length": n, "channels": channels}}, "step": step});
    let mut sim = simulation(&gpu, &file, Options::default());
    let (a, b) = (random(n, 8), random(n, 9));
    let sum: Vec<Complex> = a.iter().zip(&b).map(|(a, b)| a * 0.5 - b * 2.0).collect();
    let mut delta = vec![Complex::new(0.0, 0.0); n];
    delta[0] = Complex::new(1.0, 0.0);
    let angle = |i: usize| 7.0 * std::f64::consts::TAU * i as f64 / n as f64;
    let wave: Vec<Complex> = (0..n).map(|i| Complex::from_polar(1.0, angle(i))).collect();
    for (name, values) in given.iter().zip([&a, &b, &sum, &delta, &wave]) {
        write(&mut sim, &format!("t.{name}"), values);
    }
    sim.step(false).unwrap();
    let [fa, fb, fsum, fdelta, fwave] = given.map(|name| read(&mut sim, &format!("t.{name}")));
    let linear: Vec<Complex> = fa.iter().zip(&fb).map(|(a, b)| a * 0.5 - b * 2.0).collect();
    assert_close(&fsum, &linear, n, 2.0, "linearity");
    let parseval = norm(&fa) / (norm(&a) * (n as f64).sqrt());
    assert!((parseval - 1.0).abs() < 1e-6, "{parseval}");
    assert_eq!(
        fdelta,
        vec![Complex::new(1.0, 0.0); n],
        "a delta has all frequencies, exactly"
    );
    let mut line = vec![Complex::new(0.0, 0.0); n];
    line[7] = Complex::new(n as f64, 0.0);
    assert_close(&fwave, &line, n, 1.0, "a plane wave has one frequency");
}
