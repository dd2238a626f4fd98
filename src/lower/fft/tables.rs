//! Tables of transforms: computed in double precision, stored as pairs of floats.

use std::f64::consts::TAU;

use super::radices::radices;

/// A complex number.
type Complex = [f64; 2];

/// exp(-2 pi i k / n).
fn root(k: u64, n: u64) -> Complex {
    let angle = -TAU * (k % n) as f64 / n as f64;
    [angle.cos(), angle.sin()]
}

fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// The twiddle factors of a line, stage by stage: for each output q from 1 on of a butterfly of radix r, and each butterfly k
/// below the length l of the stages before, exp(-2 pi i k q / (l r)).
pub(super) fn twiddles(radices: &[u64]) -> Vec<Complex> {
    let mut table = Vec::new();
    let mut length = 1;
    for radix in radices {
        if length > 1 {
            table.extend((1..*radix).flat_map(|q| (0..length).map(move |k| root(k * q, length * radix))));
        }
        length *= radix;
    }
    table
}

/// Numbers in the first part of the table of [`split_roots`].
pub(super) fn low_roots(n: u64) -> u64 {
    1 << n.ilog2().div_ceil(2)
}

/// Two tables from which exp(-2 pi i m / n) follows for every m: of the low bits of m, then of the high ones.
pub(super) fn split_roots(n: u64) -> Vec<Complex> {
    let apart = low_roots(n);
    let low = (0..apart).map(|m| root(m, n));
    low.chain((0..n.div_ceil(apart)).map(|m| root(m * apart, n)))
        .collect()
}

/// exp(-pi i k^2 / n) for k below n.
pub(super) fn chirp(n: u64) -> Vec<Complex> {
    (0..n).map(|k| root(k * k % (2 * n), 2 * n)).collect()
}

/// The transform of the conjugate chirp, for cyclic convolutions of a length; divided by the length.
pub(super) fn kernel(n: u64, length: u64) -> Vec<Complex> {
    let mut values = vec![[0.0; 2]; length as usize];
    for (k, [re, im]) in chirp(n).into_iter().enumerate() {
        values[k] = [re, -im];
        let mirrored = (length as usize - k) % length as usize;
        values[mirrored] = [re, -im];
    }
    let scale = 1.0 / length as f64;
    transform(&values)
        .into_iter()
        .map(|[re, im]| [re * scale, im * scale])
        .collect()
}

/// exp(-pi i k / (2 n)) for k below n.
pub(super) fn quarters(n: u64) -> Vec<Complex> {
    (0..n).map(|k| root(k, 4 * n)).collect()
}

/// The discrete Fourier transform of a smooth length, in the order of its values.
fn transform(values: &[Complex]) -> Vec<Complex> {
    let n = values.len();
    let prime = (2..=13).find(|prime| n.is_multiple_of(*prime));
    let Some(prime) = prime.filter(|_| n > 1) else {
        return values.to_vec();
    };
    let parts: Vec<Vec<Complex>> = (0..prime)
        .map(|j| transform(&values.iter().skip(j).step_by(prime).copied().collect::<Vec<_>>()))
        .collect();
    let length = n / prime;
    let roots: Vec<Complex> = (0..n as u64).map(|k| root(k, n as u64)).collect();
    (0..n)
        .map(|k| {
            let terms = (0..prime).map(|j| times(parts[j][k % length], roots[j * k % n]));
            terms.fold([0.0; 2], |sum, term| [sum[0] + term[0], sum[1] + term[1]])
        })
        .collect()
}

/// The factors of a line of a smooth length.
pub(super) fn line(n: u64) -> Vec<Complex> {
    twiddles(&radices(n).unwrap_or_default())
}

/// The bytes of a table in memory.
pub(super) fn bytes(table: &[Complex]) -> Vec<u8> {
    let numbers = table.iter().flatten();
    numbers
        .flat_map(|number| (*number as f32).to_le_bytes())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_fft_equals_the_direct_sum() {
        let n = 60;
        let values: Vec<Complex> = (0..n)
            .map(|i| [f64::from(i % 7), f64::from(i % 5) - 1.0])
            .collect();
        for (k, found) in transform(&values).into_iter().enumerate() {
            let expected = values.iter().zip(0..).fold([0.0; 2], |sum, (value, i)| {
                let term = times(*value, root(i * k as u64, n as u64));
                [sum[0] + term[0], sum[1] + term[1]]
            });
            assert!(
                (found[0] - expected[0]).abs() + (found[1] - expected[1]).abs() < 1e-11,
                "{k}"
            );
        }
    }

    #[test]
    fn split_twiddle_tables_give_every_root() {
        for n in [4097, 65_536, 100_000] {
            let (table, apart) = (split_roots(n), low_roots(n));
            for m in (0..n).step_by(11) {
                let found = times(table[(m % apart) as usize], table[(apart + m / apart) as usize]);
                let expected = root(m, n);
                assert!((found[0] - expected[0]).abs() + (found[1] - expected[1]).abs() < 1e-14);
            }
        }
    }
}
