//! Planes for parts of unequal cost: the costs of parts in steps so far predict those of others. Pure numbers.

use super::boxes::Partition;
use super::planes::{Planes, widths};

/// The slowest step must become shorter by this part of it: smaller differences are noise, and change soon.
const MIN_GAIN: f64 = 0.1;

/// The portions of the way to equal costs that are tried: parts may be too thin for halos or levels farther on.
const PORTIONS: [f64; 4] = [1.0, 0.75, 0.5, 0.25];

/// The time of a step on one rank, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Stages on its part: in proportion to its cells.
    pub parts: f64,
    /// Stages that run whole: equal with any cut.
    pub whole: f64,
}

/// A division with a shorter step than another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Rebalanced {
    /// The planes near which it was cut.
    pub wished: Planes,
    pub partition: Partition,
    /// The step of the slowest rank, in milliseconds: with the old parts, and as predicted with the new ones.
    pub slowest: [f64; 2],
}

/// The division that makes the step of the slowest rank shortest, if that is clearly shorter than now. `loads` are the times of
/// the ranks, `least_gain` milliseconds that a move must save in a step; `cut` divides near planes, and refuses what cannot be cut.
pub fn rebalanced(
    now: &Partition,
    loads: &[Load],
    least_gain: f64,
    cut: impl Fn(&Planes) -> Option<Partition>,
) -> Option<Rebalanced> {
    let whole = loads.iter().map(|load| load.whole).fold(0.0, f64::max);
    let mean = loads.iter().map(|load| load.parts).sum::<f64>() / loads.len().max(1) as f64;
    let steps = loads.iter().map(|load| load.parts + load.whole);
    let before = steps.fold(0.0, f64::max);
    let limit = before - least_gain.max(MIN_GAIN * before);
    if mean + whole > limit {
        return None;
    }
    let equal = now.balanced(loads);
    let tried = PORTIONS.into_iter().filter_map(|portion| {
        let wished = between(&now.planes, &equal, portion);
        let partition = cut(&wished)?;
        let after = now.predicted(loads, &partition).into_iter().fold(0.0, f64::max) + whole;
        Some(Rebalanced {
            wished,
            partition,
            slowest: [before, after],
        })
    });
    let best = tried.min_by(|a, b| a.slowest[1].total_cmp(&b.slowest[1]))?;
    (best.slowest[1] <= limit).then_some(best)
}

impl Partition {
    /// Planes between which parts cost the same along each axis, if all cells of a part cost the same.
    fn balanced(&self, loads: &[Load]) -> Planes {
        std::array::from_fn(|axis| {
            let mut slabs = vec![0.0; self.parts[axis]];
            for (rank, load) in loads.iter().enumerate() {
                slabs[self.position(rank)[axis]] += load.parts;
            }
            divided(&self.planes[axis], &slabs)
        })
    }

    /// The cost of the parts of another division, by rank.
    fn predicted(&self, loads: &[Load], other: &Partition) -> Vec<f64> {
        let ranks = 0..other.ranks();
        let of_rank = |rank: usize| {
            let costs = loads.iter().enumerate().map(|(old, load)| {
                let shares = (0..3).map(|axis| {
                    let [low, end] = self.ends(old, axis);
                    let [other_low, other_end] = other.ends(rank, axis);
                    end.min(other_end).saturating_sub(low.max(other_low)) as f64 / (end - low).max(1) as f64
                });
                load.parts * shares.product::<f64>()
            });
            costs.sum()
        };
        ranks.map(of_rank).collect()
    }

    /// The cells of a part along an axis.
    fn ends(&self, rank: usize, axis: usize) -> [u64; 2] {
        let place = self.position(rank)[axis];
        [self.planes[axis][place], self.planes[axis][place + 1]]
    }
}

/// Planes that divide the sum of the costs of slabs equally.
fn divided(planes: &[u64], slabs: &[f64]) -> Vec<u64> {
    let end = planes.last().copied().unwrap_or(0);
    let total: f64 = slabs.iter().sum();
    let plane = |number: usize| {
        let mut left = total * number as f64 / slabs.len() as f64;
        for ((slab, low), width) in slabs.iter().zip(planes).zip(widths(planes)) {
            if left < *slab {
                return low + (width as f64 * left / slab).round() as u64;
            }
            left -= slab;
        }
        end
    };
    (0..slabs.len()).map(plane).chain([end]).collect()
}

/// Planes on the way from one division to another.
fn between(from: &Planes, to: &Planes, portion: f64) -> Planes {
    let plane = |(from, to): (&u64, &u64)| {
        let [from, to] = [*from, *to].map(|plane| plane as f64);
        (from + portion * (to - from)).round() as u64
    };
    std::array::from_fn(|axis| from[axis].iter().zip(&to[axis]).map(plane).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS: [u64; 3] = [8, 16, 64];

    /// Costs of parts by a density along y and z, summed over their cells.
    fn loads(partition: &Partition, density: impl Fn(u64, u64) -> f64) -> Vec<Load> {
        let of_rank = |rank| {
            let [[low, end], [y_low, y_end]] = [2, 1].map(|axis| partition.ends(rank, axis));
            let sum: f64 = (low..end)
                .flat_map(|z| (y_low..y_end).map(move |y| (y, z)))
                .map(|(y, z)| density(y, z))
                .sum();
            Load {
                parts: sum,
                whole: 0.0,
            }
        };
        (0..partition.ranks()).map(of_rank).collect()
    }

    fn near(planes: &Planes) -> Option<Partition> {
        Partition::near(CELLS, planes, 1, [[1; 3]; 3])
    }

    #[test]
    fn parts_get_equal_shares_of_a_cost_that_is_constant_in_each() {
        let now = Partition::new(CELLS, [1, 1, 2], 1);
        // The lower half costs three times as much: 2/3 of it are half of the cost.
        let density = |_: u64, z: u64| if z < 32 { 3.0 } else { 1.0 };
        let moved = rebalanced(&now, &loads(&now, density), 0.0, near).unwrap();
        assert_eq!(moved.partition.planes[2], [0, 21, 64]);
        let [before, after] = moved.slowest;
        assert_eq!(before, 16.0 * 96.0);
        let measured = loads(&moved.partition, density);
        assert_eq!(after, measured.iter().map(|load| load.parts).fold(0.0, f64::max));
        // The new parts are balanced.
        assert_eq!(rebalanced(&moved.partition, &measured, 0.0, near), None);
    }

    #[test]
    fn repeated_moves_find_a_steep_cost() {
        let mut partition = Partition::new(CELLS, [1, 1, 4], 1);
        let density = |_: u64, z: u64| (-(z as f64) / 8.0).exp();
        let mut moves = 0;
        while let Some(moved) = rebalanced(&partition, &loads(&partition, density), 0.0, near) {
            partition = moved.partition;
            moves += 1;
        }
        // Closed form: a quarter of the integral ends at -8 ln(3/4), and so on.
        let expected = [1, 2, 3].map(|q| -8.0 * (1.0 - 0.25 * f64::from(q)).ln());
        for (plane, expected) in partition.planes[2][1..4].iter().zip(expected) {
            assert!((*plane as f64 - expected).abs() < 1.5, "{:?}", partition.planes);
        }
        assert!((2..6).contains(&moves), "{moves}");
    }

    #[test]
    fn parts_along_two_axes_move_along_both() {
        let now = Partition::new(CELLS, [1, 2, 2], 1);
        let density = |y: u64, z: u64| if y < 8 { 3.0 } else { 1.0 } * if z < 32 { 3.0 } else { 1.0 };
        let moved = rebalanced(&now, &loads(&now, density), 0.0, near).unwrap();
        assert_eq!(
            moved.partition.planes,
            [vec![0, 8], vec![0, 5, 16], vec![0, 21, 64]]
        );
        let measured = loads(&moved.partition, density);
        let slowest = measured.iter().map(|load| load.parts).fold(0.0, f64::max);
        assert!((moved.slowest[1] - slowest).abs() < 1e-9);
    }

    #[test]
    fn small_gains_and_stages_that_run_whole_move_nothing() {
        let now = Partition::new(CELLS, [1, 1, 2], 1);
        let pair = |a, b, whole| [a, b].map(|parts| Load { parts, whole });
        assert_eq!(rebalanced(&now, &pair(1.1, 1.0, 0.0), 0.0, near), None);
        assert!(rebalanced(&now, &pair(1.5, 1.0, 0.0), 0.0, near).is_some());
        // Equal parts would take 1.25 ms.
        assert!(rebalanced(&now, &pair(1.5, 1.0, 0.0), 0.2, near).is_some());
        assert_eq!(rebalanced(&now, &pair(1.5, 1.0, 0.0), 0.3, near), None);
        // The same difference beside a long time that no cut changes.
        assert_eq!(rebalanced(&now, &pair(1.5, 1.0, 5.0), 0.0, near), None);
    }

    #[test]
    fn planes_that_cannot_be_cut_are_approached() {
        let now = Partition::new(CELLS, [1, 1, 2], 1);
        let loads = loads(&now, |_, z| if z < 8 { 1.0 } else { 0.0 });
        let thick = |least| move |planes: &Planes| near(planes).filter(|found| found.thinnest() >= least);
        let low = |least| Some(rebalanced(&now, &loads, 0.0, thick(least))?.partition.planes[2][1]);
        assert_eq!(
            [low(1), low(17), low(21), low(25)],
            [Some(16), Some(20), Some(24), Some(28)]
        );
        assert_eq!(low(29), None);
    }

    /// Costs of the wrong ranks move planes the wrong way.
    #[test]
    fn control_costs_of_the_wrong_ranks_make_steps_longer() {
        let now = Partition::new(CELLS, [1, 1, 2], 1);
        let density = |_: u64, z: u64| if z < 32 { 3.0 } else { 1.0 };
        let mut wrong = loads(&now, density);
        wrong.reverse();
        let moved = rebalanced(&now, &wrong, 0.0, near).unwrap();
        let slowest = |partition: &Partition| {
            loads(partition, density)
                .iter()
                .map(|load| load.parts)
                .fold(0.0, f64::max)
        };
        assert!(slowest(&moved.partition) > slowest(&now));
    }
}
