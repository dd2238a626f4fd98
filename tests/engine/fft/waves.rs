//! Transforms of real numbers to real numbers: cosines, sines and both.

use std::f64::consts::PI;

use serde_json::json;

use super::shapes::{read_real, real, write_real};
use super::*;

/// A kind of transform by the name of its function, and its definition in one value: the part of value `i` of `n` in
/// coefficient `k`.
struct Kind {
    name: &'static str,
    part: fn(usize, usize, usize) -> f64,
    /// Length of the Fourier transform that it takes.
    length: fn(usize) -> usize,
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "hartley",
        part: |i, k, n| {
            let angle = 2.0 * PI * (i * k) as f64 / n as f64;
            angle.cos() + angle.sin()
        },
        length: |n| n,
    },
    Kind {
        name: "cosine",
        part: |i, k, n| 2.0 * (PI * (k * (2 * i + 1)) as f64 / (2 * n) as f64).cos(),
        length: |n| n,
    },
    Kind {
        name: "sine",
        part: |i, k, n| 2.0 * (PI * ((k + 1) * (2 * i + 1)) as f64 / (2 * n) as f64).sin(),
        length: |n| n,
    },
    Kind {
        name: "cosine1",
        part: |i, k, n| {
            let ends = if i == 0 || i + 1 == n { 1.0 } else { 2.0 };
            ends * (PI * (i * k) as f64 / (n - 1) as f64).cos()
        },
        length: |n| 2 * n - 2,
    },
    Kind {
        name: "sine1",
        part: |i, k, n| 2.0 * (PI * ((i + 1) * (k + 1)) as f64 / (n + 1) as f64).sin(),
        length: |n| 2 * n + 2,
    },
    Kind {
        name: "sine7",
        part: |i, k, n| 2.0 * (PI * ((i + 1) * (2 * k + 1)) as f64 / (2 * n + 1) as f64).sin(),
        length: |n| 2 * n + 1,
    },
    Kind {
        name: "cosine8",
        part: |i, k, n| 2.0 * (PI * ((2 * i + 1) * (2 * k + 1)) as f64 / (4 * n + 2) as f64).cos(),
        length: |n| 2 * n + 1,
    },
];

/// Lines along the first axis and columns along the second one, forth and back.
fn check(n: usize, kinds: &[Kind]) {
    let Some(gpu) = common::gpu() else { return };
    let float = json!({"type": "float", "background": 0});
    let (mut channels, mut step) = (json!({"v": float}), Vec::new());
    for Kind { name, .. } in kinds {
        let [found, back] = [name.to_string(), format!("{name}_back")];
        channels[&found] = float.clone();
        channels[&back] = float.clone();
        for grid in ["lines", "columns"] {
            let axis = if grid == "lines" { "x" } else { "y" };
            step.push(json!({"set": format!("{grid}.{found}"), "to": format!("{name}({grid}.v, {axis})")}));
            step.push(json!({"set": format!("{grid}.{back}"),
                             "to": format!("inverse_{name}({grid}.{found}, {axis})")}));
        }
    }
    let file = json!({"run": {"dt": 1}, "step": step, "grids": {
        "lines": {"cells": [n, 3], "cell_size": 1, "channels": channels},
        "columns": {"cells": [3, n], "cell_size": 1, "channels": channels}}});
    let mut sim = simulation(&gpu, &file, Options::default());
    let values = real(3 * n, 7);
    // The same three lines as columns.
    let turned =
        |values: &[Complex]| -> Vec<Complex> { (0..3 * n).map(|i| values[i % 3 * n + i / 3]).collect() };
    write_real(&mut sim, "lines.v", &values);
    write_real(&mut sim, "columns.v", &turned(&values));
    sim.step(false).unwrap();
    for Kind { name, part, length } in kinds {
        let sum = |line: &[Complex], k: usize| -> Complex {
            line.iter()
                .enumerate()
                .map(|(i, value)| value * part(i, k, n))
                .sum()
        };
        let lines = values.chunks(n);
        let expected: Vec<Complex> = lines.flat_map(|line| (0..n).map(move |k| sum(line, k))).collect();
        let length = length(n);
        let factor = if lengths::is_direct(length) { 1.0 } else { 3.0 };
        let mut close = |grid: &str, field: &str, expected: &[Complex], factor: f64| {
            let field = format!("{grid}.{field}");
            let found = read_real(&mut sim, &field);
            assert_close(&found, expected, length, factor, &format!("{field} of {n}"));
        };
        let back = format!("{name}_back");
        close("lines", name, &expected, factor);
        close("columns", name, &turned(&expected), factor);
        close("lines", &back, &values, 2.0 * factor);
        close("columns", &back, &turned(&values), 2.0 * factor);
    }
}

#[test]
fn sine_and_cosine_transforms_equal_direct_sums() {
    for n in [5, 8] {
        check(n, &KINDS);
    }
}

#[test]
#[ignore = "long: kernels for each length"]
fn sine_and_cosine_transforms_of_more_lengths_equal_direct_sums() {
    for n in [2, 17, 2100] {
        check(n, &KINDS);
    }
}

#[test]
fn sine_and_cosine_transforms_of_one_value_equal_direct_sums() {
    // The slope at both ends of one value is that of nothing.
    let others = KINDS.iter().position(|kind| kind.name == "cosine1").unwrap();
    check(1, &KINDS[..others]);
    check(1, &KINDS[others + 1..]);
}
