//! The particles that ranks exchange when they divide a set anew that each of them has sorted.

use std::ops::Range;

use super::Slots;
use super::particles::slots_of;

/// The runs of particles that ranks send each other. A rank keeps the particles of others in the order of ranks: sorted once
/// more, they have the order of one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs {
    /// By sender and receiver: where a run is before the exchange, and after it.
    leaving: Vec<Vec<Range<u64>>>,
    arriving: Vec<Vec<Range<u64>>>,
    /// The first particle of each row after the division, and the end.
    rows: Vec<u64>,
}

impl Runs {
    /// `firsts` are the first particles of each row on each rank, and the end; the part of a rank ends before the row `ends[rank]`.
    pub fn new(firsts: &[Vec<u64>], ends: &[u64]) -> Runs {
        let count = firsts.iter().map(Vec::len).min().unwrap_or(0);
        let before = |row: usize| firsts.iter().map(|of_rank| of_rank[row] - of_rank[0]).sum();
        let starts = || [0].iter().chain(ends).zip(ends);
        let run = |of_rank: &Vec<u64>, start: u64, end: u64| of_rank[start as usize]..of_rank[end as usize];
        let of_sender =
            |of_rank: &Vec<u64>| starts().map(|(start, end)| run(of_rank, *start, *end)).collect();
        let counts = Runs::of_counts(firsts.iter().map(of_sender).collect::<Vec<Vec<Range<u64>>>>());
        Runs {
            rows: (0..count).map(before).collect(),
            ..counts
        }
    }

    /// Runs of which each rank sends so many, from 0 on.
    pub fn with_counts(counts: &[Vec<u64>]) -> Runs {
        let ranges = |counts: &Vec<u64>| {
            let mut end = 0;
            let next = |count: &u64| {
                end += count;
                end - count..end
            };
            counts.iter().map(next).collect()
        };
        Runs::of_counts(counts.iter().map(ranges).collect())
    }

    /// Arranges the runs that leave one after the other, by receiver.
    fn of_counts(leaving: Vec<Vec<Range<u64>>>) -> Runs {
        let mut arriving = leaving.clone();
        let mut end = 0;
        for to in 0..leaving.len() {
            for (from, runs) in leaving.iter().enumerate() {
                let length = runs[to].end - runs[to].start;
                arriving[from][to] = end..end + length;
                end += length;
            }
        }
        Runs {
            leaving,
            arriving,
            rows: Vec::new(),
        }
    }

    /// The number of particles from one rank to another, by sender and receiver.
    pub fn counts(&self) -> Vec<Vec<u64>> {
        let count = |runs: &Vec<Range<u64>>| runs.iter().map(|run| run.end - run.start).collect();
        self.leaving.iter().map(count).collect()
    }

    /// The particles of a rank after the division.
    pub fn own(&self, rank: usize) -> Range<u64> {
        let last = self.arriving.len().saturating_sub(1);
        self.arriving[0][rank].start..self.arriving[last][rank].end
    }

    /// The first particle of a row after the division.
    pub fn first_of(&self, row: u64) -> u64 {
        self.rows[row as usize]
    }

    /// Where a run is before the exchange, and after it.
    pub fn run(&self, [from, to]: [usize; 2]) -> [Range<u64>; 2] {
        [self.leaving[from][to].clone(), self.arriving[from][to].clone()]
    }

    /// The pieces of a run where its sender has them, and where its receiver has them.
    pub fn slots(&self, ranks: [usize; 2], entries: u32) -> [Vec<Slots>; 2] {
        self.run(ranks).map(|run| slots_of(run, entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_a_second_sort_give_the_order_of_one_rank() {
        let (rows, ranks, count) = (7u64, 3usize, 200u64);
        let random = |i: u64, salt: u64| (i * 7919 + salt * 104_729 + (i * i) % 31) % rows;
        // Each rank sorts its particles by the new row: (row, number).
        let all: Vec<(u64, u64)> = (0..count).map(|i| (random(i, 5), i)).collect();
        let start = |rank: usize| count as usize * rank / ranks;
        let mut held: Vec<Vec<(u64, u64)>> = (0..ranks)
            .map(|rank| all[start(rank)..start(rank + 1)].to_vec())
            .collect();
        held.iter_mut().for_each(|own| own.sort_by_key(|(row, _)| *row));
        let firsts: Vec<Vec<u64>> = (held.iter().enumerate())
            .map(|(rank, own)| {
                let below = |row| own.iter().filter(|(of, _)| *of < row).count();
                (0..=rows).map(|row| (start(rank) + below(row)) as u64).collect()
            })
            .collect();
        let ends = [2, 2, rows];
        let runs = Runs::new(&firsts, &ends);
        let mut after = vec![(0, 0); count as usize];
        for from in 0..ranks {
            for to in 0..ranks {
                let [leaves, arrives] = runs.run([from, to]);
                let sent =
                    &held[from][leaves.start as usize - start(from)..leaves.end as usize - start(from)];
                after[arrives.start as usize..arrives.end as usize].copy_from_slice(sent);
            }
        }
        for rank in 0..ranks {
            let own = runs.own(rank);
            after[own.start as usize..own.end as usize].sort_by_key(|(row, _)| *row);
        }
        let mut whole = all;
        whole.sort_by_key(|(row, _)| *row);
        assert_eq!(after, whole);
        assert_eq!(runs.own(1).end - runs.own(1).start, 0);
        let first = whole.iter().position(|(row, _)| *row == 4).unwrap();
        assert_eq!(runs.first_of(4), first as u64);
        assert_eq!(Runs::with_counts(&runs.counts()).counts(), runs.counts());
    }
}
