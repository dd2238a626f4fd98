//! The planes at which parts end: rounded to ends of tiles and of coarse cells, so that ranks exchange thinner halos.

/// Least cells of a part of a level along an axis that is cut, unless all ranks would repeat too many.
pub(super) const MIN_CELLS: u64 = 8;

/// The first cell of each part along each axis, and the end of the last.
pub type Planes = [Vec<u64>; 3];

/// Planes at ends of tiles, and of cells of levels as coarse as possible, that leave the largest part almost as small as an even
/// division. `wanted` are the cells of a box that is reduced, a multiple of those of a tile, these, and those of the
/// coarsest level, a power of two.
pub(super) fn preferred(cells: [u64; 3], parts: [usize; 3], align: u64, wanted: [[u64; 3]; 3]) -> Planes {
    std::array::from_fn(|axis| {
        let fits = |planes: &[u64], even: &[u64]| largest(planes) <= largest(even) * 9 / 8;
        let divide = |unit| even(cells[axis], parts[axis], unit);
        rounded(least_unit(axis, align), wanted[axis], divide, fits)
    })
}

/// As [`preferred`], near planes that are wished. No part grows by more than an eighth. `None` if one would have no cells.
pub(super) fn near(cells: [u64; 3], wished: &Planes, align: u64, wanted: [[u64; 3]; 3]) -> Option<Planes> {
    let planes: Planes = std::array::from_fn(|axis| {
        let fits = |planes: &[u64], exact: &[u64]| {
            let mut pairs = widths(planes).zip(widths(exact));
            pairs.all(|(width, exact)| width <= exact * 9 / 8)
        };
        let divide = |unit| nearest(cells[axis], &wished[axis], unit);
        rounded(least_unit(axis, align), wanted[axis], divide, fits)
    });
    (planes.iter().all(|planes| is_increasing(planes))).then_some(planes)
}

/// The number of parts along each axis.
pub(super) fn counts(planes: &Planes) -> [usize; 3] {
    [0, 1, 2].map(|axis| planes[axis].len().saturating_sub(1))
}

/// Planes in x are multiples of `align`.
fn least_unit(axis: usize, align: u64) -> u64 {
    if axis == 0 { align } else { 1 }
}

/// The planes of the first unit that fits, boxes that are reduced with coarse cells first; at last those of the least unit.
fn rounded(
    least: u64,
    [reduced, tile, coarsest]: [u64; 3],
    divide: impl Fn(u64) -> Vec<u64>,
    fits: impl Fn(&[u64], &[u64]) -> bool,
) -> Vec<u64> {
    let exact = divide(least);
    let levels = || (0..coarsest.max(1).ilog2() + 1).rev().map(|log2| 1 << log2);
    let units = [reduced, tile, 1]
        .into_iter()
        .flat_map(|unit| levels().map(move |level| lcm(unit, level)));
    let found = (units.filter(|unit| *unit > least && unit % least == 0))
        .map(divide)
        .find(|planes| is_increasing(planes) && fits(planes, &exact));
    found.unwrap_or(exact)
}

/// Equal parts that begin at multiples of `unit`.
fn even(cells: u64, parts: usize, unit: u64) -> Vec<u64> {
    let (units, count) = (cells / unit, parts as u64);
    let inner = (0..count).map(|q| (2 * q * units + count) / (2 * count) * unit);
    inner.chain([cells]).collect()
}

/// The multiples of `unit` nearest to planes, with the end as it is.
fn nearest(cells: u64, wished: &[u64], unit: u64) -> Vec<u64> {
    let inner = &wished[..wished.len().saturating_sub(1)];
    let inner = inner.iter().map(|plane| (plane + unit / 2) / unit * unit);
    inner.chain([cells]).collect()
}

/// The least common multiple of two numbers, not 0.
pub(super) fn lcm(a: u64, b: u64) -> u64 {
    let (mut gcd, mut rest) = (a, b);
    while rest != 0 {
        (gcd, rest) = (rest, gcd % rest);
    }
    (a / gcd).saturating_mul(b)
}

/// The cells of each part.
pub(super) fn widths(planes: &[u64]) -> impl Iterator<Item = u64> {
    planes.windows(2).map(|ends| ends[1].saturating_sub(ends[0]))
}

/// The cells of the largest part.
fn largest(planes: &[u64]) -> u64 {
    widths(planes).max().unwrap_or(0)
}

/// Returns true if no part is empty.
pub(super) fn is_increasing(planes: &[u64]) -> bool {
    planes.windows(2).all(|ends| ends[0] < ends[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wished_planes_are_rounded_where_no_part_grows_by_more_than_an_eighth() {
        let near = |wished: &[u64], align, wanted| {
            let end = *wished.last().unwrap();
            let all = [wished.to_vec(), vec![0, 1], vec![0, 1]];
            let found = super::near([end, 1, 1], &all, align, [wanted, [1; 3], [1; 3]]);
            found.map(|planes| planes[0].clone())
        };
        assert_eq!(near(&[0, 41, 64], 1, [1, 1, 1]), Some(vec![0, 41, 64]));
        assert_eq!(near(&[0, 41, 64], 1, [1, 1, 8]), Some(vec![0, 40, 64]));
        // A part of 13 cells may not become one of 16.
        assert_eq!(near(&[0, 13, 64], 1, [1, 1, 16]), Some(vec![0, 12, 64]));
        assert_eq!(near(&[0, 41, 64], 1, [6, 6, 1]), Some(vec![0, 42, 64]));
        assert_eq!(near(&[0, 21, 64], 4, [1, 1, 1]), Some(vec![0, 20, 64]));
        assert_eq!(near(&[0, 1, 64], 4, [1, 1, 1]), None);
        // An even division near its own planes is the same.
        let even = preferred([100, 1, 1], [3, 1, 1], 1, [[1, 1, 32], [1; 3], [1; 3]]);
        assert_eq!(near(&[0, 33, 67, 100], 1, [1, 1, 32]), Some(even[0].clone()));
    }
}
