//! Transforms in double precision, along any axes.

use rustfft::FftPlanner;
pub(super) use rustfft::num_complex::Complex64 as Complex;

/// Transforms values along an axis of an array with `size` values, x fastest.
pub(super) fn along(values: &mut [Complex], size: [usize; 3], axis: usize, inverse: bool) {
    let n = size[axis];
    let low: usize = size[..axis].iter().product();
    let mut planner = FftPlanner::new();
    let plan = if inverse {
        planner.plan_fft_inverse(n)
    } else {
        planner.plan_fft_forward(n)
    };
    let scale = if inverse { 1.0 / n as f64 } else { 1.0 };
    for first in (0..values.len()).filter(|i| (i / low).is_multiple_of(n)) {
        let mut line: Vec<Complex> = (0..n).map(|j| values[first + j * low]).collect();
        plan.process(&mut line);
        (line.iter().enumerate()).for_each(|(j, value)| values[first + j * low] = value * scale);
    }
}

/// Transforms along several axes.
pub(super) fn transform(values: &[Complex], size: [usize; 3], axes: &[usize], inverse: bool) -> Vec<Complex> {
    let mut values = values.to_vec();
    for axis in axes {
        along(&mut values, size, *axis, inverse);
    }
    values
}
