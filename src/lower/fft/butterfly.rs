//! GLSL statements of small transforms in registers.

use std::f64::consts::TAU;
use std::fmt::Write;

/// Statements, each of which defines a value.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub text: String,
    values: usize,
}

impl Code {
    /// Defines a value; returns its name.
    pub(super) fn value(&mut self, expression: &str) -> String {
        let name = format!("t{}", self.values);
        self.values += 1;
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "        vec2 {name} = {expression};");
        name
    }

    /// The transform of complex values, by Cooley and Tukey's method down to prime lengths.
    pub(super) fn transform(&mut self, values: &[String]) -> Vec<String> {
        let n = values.len();
        let Some(first) = factor(n) else {
            return self.prime(values);
        };
        let second = n / first;
        // Value second * i + j is the i-th of column j.
        let columns: Vec<Vec<String>> = (0..second)
            .map(|j| {
                let column: Vec<String> = (0..first).map(|i| values[second * i + j].clone()).collect();
                let column = self.transform(&column);
                let rotated = column.iter().enumerate();
                rotated.map(|(k, value)| self.rotated(value, j * k, n)).collect()
            })
            .collect();
        let mut result = vec![String::new(); n];
        for k in 0..first {
            let row: Vec<String> = columns.iter().map(|column| column[k].clone()).collect();
            for (m, value) in self.transform(&row).into_iter().enumerate() {
                result[k + first * m] = value;
            }
        }
        result
    }

    /// A value times exp(-2 pi i k / n).
    fn rotated(&mut self, value: &str, k: usize, n: usize) -> String {
        let k = k % n;
        match (k, 4 * k / n, 4 * k % n) {
            (0, ..) => value.to_string(),
            (_, 1, 0) => self.value(&format!("vec2({value}.y, -{value}.x)")),
            (_, 2, 0) => self.value(&format!("-{value}")),
            (_, 3, 0) => self.value(&format!("vec2(-{value}.y, {value}.x)")),
            _ => {
                let angle = -TAU * k as f64 / n as f64;
                let factor = format!("vec2({}, {})", float(angle.cos()), float(angle.sin()));
                self.value(&format!("times({value}, {factor})"))
            }
        }
    }

    /// A transform of prime length, by sums and differences of values whose numbers add up to the length.
    fn prime(&mut self, values: &[String]) -> Vec<String> {
        let n = values.len();
        if n == 1 {
            return values.to_vec();
        }
        if n == 2 {
            let [a, b] = [&values[0], &values[1]];
            return ["+", "-"]
                .map(|sign| self.value(&format!("{a} {sign} {b}")))
                .to_vec();
        }
        let half = n / 2;
        let pairs: Vec<[String; 2]> = (1..=half)
            .map(|j| ["+", "-"].map(|sign| self.value(&format!("{} {sign} {}", values[j], values[n - j]))))
            .collect();
        let sum: Vec<&str> = pairs.iter().map(|[sum, _]| sum.as_str()).collect();
        let mut result = vec![String::new(); n];
        result[0] = self.value(&format!("{} + ({})", values[0], sum.join(" + ")));
        for k in 1..=half {
            let mut even = values[0].clone();
            let mut odd = String::new();
            for (j, [sum, difference]) in (1..).zip(&pairs) {
                let angle = TAU * ((j * k) % n) as f64 / n as f64;
                let [cos, sin] = [angle.cos(), angle.sin()].map(|number| format!("vec2({})", float(number)));
                even = self.value(&format!("fma({sum}, {cos}, {even})"));
                odd = if odd.is_empty() {
                    self.value(&format!("{difference} * {sin}"))
                } else {
                    self.value(&format!("fma({difference}, {sin}, {odd})"))
                };
            }
            // Times -i.
            result[k] = self.value(&format!("{even} + vec2({odd}.y, -{odd}.x)"));
            result[n - k] = self.value(&format!("{even} - vec2({odd}.y, -{odd}.x)"));
        }
        result
    }
}

/// The first of two factors of a length that is not prime: 4 if possible, because its twiddle factors cost nothing.
fn factor(n: usize) -> Option<usize> {
    [4, 2, 3]
        .into_iter()
        .find(|factor| n > *factor && n.is_multiple_of(*factor))
}

/// A number in GLSL, with the digits of a float.
pub(super) fn float(number: f64) -> String {
    format!("{:?}", number as f32)
}
