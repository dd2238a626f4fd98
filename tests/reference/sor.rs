//! Twin of shaders/snow/sor.comp, in f32 or f64, and the operator it solves.

use super::{Air, Real};

/// One half-sweep over the cells of one colour. Pressure `p` and right side `b` stand in for the fields of
/// `air`.
pub fn sor<T: Real>(air: &Air, p: &mut [T], b: &[T], omega: T, color: usize) {
    let h2 = T::real(f64::from(air.dx)) * T::real(f64::from(air.dx));
    for cell in air.all() {
        if !air.fluid(cell) || cell.iter().sum::<usize>() % 2 != color {
            continue;
        }
        let i = air.index(cell);
        let [west, east, south, north, below, above] = air.open_neighbours(cell).map(|n| p[n.unwrap_or(i)]);
        let sum = west + east + (south + north) + (below + above);
        let relaxed = (sum - h2 * b[i]) / T::real(6.0);
        p[i] = (T::real(1.0) - omega) * p[i] + omega * relaxed;
    }
}

/// L p of one fluid cell: the sum over its open neighbours of (p_nb - p) / h^2.
pub fn laplacian<T: Real>(air: &Air, p: &[T], cell: [usize; 3]) -> T {
    let i = air.index(cell);
    let neighbours = air.open_neighbours(cell).into_iter().flatten();
    let sum = neighbours.fold(T::real(0.0), |sum, n| sum + (p[n] - p[i]));
    sum / (T::real(f64::from(air.dx)) * T::real(f64::from(air.dx)))
}
