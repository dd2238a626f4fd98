//! Pearson's chi-square test.

/// The statistic of observed counts against expected ones. Bins that expect fewer than 5 do not follow the
/// distribution; having one is a mistake in the test.
pub fn chi_square(observed: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(observed.len(), expected.len(), "as many counts as expectations");
    assert!(
        expected.iter().all(|e| *e >= 5.0),
        "a bin expects fewer than 5: {expected:?}"
    );
    observed
        .iter()
        .zip(expected)
        .map(|(o, e)| (o - e).powi(2) / e)
        .sum()
}

/// The value that chi-square exceeds with probability 0.001 (Wilson and Hilferty's cube-root approximation,
/// better than 1 % from 3 degrees of freedom on).
pub fn critical(degrees: usize) -> f64 {
    let n = degrees as f64;
    let spread = 2.0 / (9.0 * n);
    n * (1.0 - spread + 3.0902 * spread.sqrt()).powi(3)
}

/// Counts of values of [0, 1) in equal bins; others count to the nearest bin.
pub fn histogram(values: impl IntoIterator<Item = f64>, bins: usize) -> Vec<f64> {
    let mut counts = vec![0.0; bins];
    for value in values {
        counts[((value * bins as f64) as usize).min(bins - 1)] += 1.0;
    }
    counts
}

/// The statistic of values against the uniform distribution over [0, 1), and its critical value.
pub fn uniform(values: &[f64], bins: usize) -> (f64, f64) {
    let expected = vec![values.len() as f64 / bins as f64; bins];
    (
        chi_square(&histogram(values.iter().copied(), bins), &expected),
        critical(bins - 1),
    )
}

/// The same over the unit square, in bins x bins squares.
pub fn uniform_square(values: &[[f64; 2]], bins: usize) -> (f64, f64) {
    let cell = |v: &[f64; 2]| {
        let [x, y] = v.map(|c| ((c * bins as f64) as usize).min(bins - 1));
        (x + bins * y) as f64 + 0.5
    };
    let flat: Vec<f64> = values.iter().map(|v| cell(v) / (bins * bins) as f64).collect();
    uniform(&flat, bins * bins)
}
