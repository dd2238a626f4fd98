//! The messages of an exchange: pieces of fields, in an order that sender and receiver compute alike.

use crate::ir::{ElementBox, Partition, Runs, Slots, Valid};
use crate::plan::{Particles, Want};
use crate::run::probe::Spoil;

/// Pieces in a message start at multiples of this.
const ALIGNMENT: u64 = 16;
/// Bytes after which a message ends and the next round begins. MPI counts bytes in 31 bits.
const MAX_MESSAGE: u64 = 256 << 20;

/// The participants of an exchange.
#[derive(Clone, Copy)]
pub struct Between<'a> {
    pub partition: &'a Partition,
    pub particles: &'a Particles,
    pub rank: usize,
    /// The only rank that receives, or all.
    pub to: Option<usize>,
    /// The mistake that a test makes.
    pub spoil: Spoil,
    /// The runs of particles that ranks exchange instead of halos.
    pub runs: Option<&'a Runs>,
}

/// The side of an exchange: a run of particles has other places where it arrives.
#[derive(Clone, Copy)]
enum Side {
    Leaving,
    Arriving,
}

/// A box of a field in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Number of the want.
    pub want: usize,
    pub slots: Slots,
    /// Its first byte in the message, and its length.
    pub offset: u64,
    pub bytes: u64,
}

/// The message of a round between this rank and another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub rank: usize,
    /// Its first byte in the buffer with all messages, and its length.
    pub first: u64,
    pub bytes: u64,
    pub pieces: Vec<Piece>,
}

/// The messages from this rank, by round.
pub(super) fn from(between: Between, wants: &[Want]) -> Vec<Vec<Message>> {
    by_round(between, |other| {
        pieces(between, wants, [between.rank, other], Side::Leaving)
    })
}

/// The messages to this rank, by round.
pub(super) fn to(between: Between, wants: &[Want]) -> Vec<Vec<Message>> {
    by_round(between, |other| {
        pieces(between, wants, [other, between.rank], Side::Arriving)
    })
}

/// Number of rounds: equal on all ranks.
pub(super) fn rounds(between: Between, wants: &[Want]) -> usize {
    let ranks = between.partition.ranks();
    let pairs = (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to)));
    let of_pair = |(from, to)| pieces(between, wants, [from, to], Side::Leaving).len();
    pairs.map(of_pair).max().unwrap_or(0)
}

/// Arranges the messages with all other ranks in a buffer for each round.
fn by_round(between: Between, pieces: impl Fn(usize) -> Vec<Vec<Piece>>) -> Vec<Vec<Message>> {
    let mut rounds: Vec<Vec<Message>> = Vec::new();
    for rank in (0..between.partition.ranks()).filter(|other| *other != between.rank) {
        for (round, pieces) in pieces(rank).into_iter().enumerate() {
            if rounds.len() == round {
                rounds.push(Vec::new());
            }
            let last = rounds[round].last();
            let first = last.map_or(0, |last| (last.first + last.bytes).next_multiple_of(ALIGNMENT));
            let bytes = pieces.last().map_or(0, |last| last.offset + last.bytes);
            rounds[round].push(Message {
                rank,
                first,
                bytes,
                pieces,
            });
        }
    }
    rounds
}

/// The pieces from one rank to another, by round.
fn pieces(between: Between, wants: &[Want], [from, to]: [usize; 2], side: Side) -> Vec<Vec<Piece>> {
    let partition = between.partition;
    let receives = from != to && between.to.is_none_or(|only| only == to);
    let dropped = between.spoil == Spoil::NoCorners && partition.are_diagonal(from, to);
    let mut rounds: Vec<Vec<Piece>> = Vec::new();
    if !receives || dropped {
        return rounds;
    }
    for (number, want) in wants.iter().enumerate() {
        let mut changed = *want;
        match want.valid {
            Valid::Depth(depth) if between.spoil == Spoil::Shallow => {
                changed.valid = Valid::Depth(depth.saturating_sub(1));
            }
            Valid::Depth(_) if between.spoil == Spoil::NoGhosts && !want.is_of_cells() => continue,
            Valid::Depth(_) if between.spoil == Spoil::Unshifted => changed.owners = want.layout.owners,
            _ => {}
        }
        let each = u64::from(want.layout.bytes);
        let all = match between.runs {
            Some(runs) => {
                let [leaving, arriving] = runs.slots([from, to], want.layout.entries);
                match side {
                    Side::Leaving => leaving,
                    Side::Arriving => arriving,
                }
            }
            None => changed.pieces(partition, between.particles, [from, to]),
        };
        for mut slots in all {
            match want.valid {
                Valid::Lines(axis) if between.spoil == Spoil::ShortLines => slots.area.size[axis] -= 1,
                _ => {}
            }
            for slots in slabs(slots, each) {
                let bytes = slots.count() * each;
                let end = rounds.last().and_then(|round| round.last());
                let offset = end.map_or(0, |end| (end.offset + end.bytes).next_multiple_of(ALIGNMENT));
                let is_full = rounds.is_empty() || offset > 0 && offset + bytes > MAX_MESSAGE;
                if is_full {
                    rounds.push(Vec::new());
                }
                let piece = Piece {
                    want: number,
                    slots,
                    offset: if is_full { 0 } else { offset },
                    bytes,
                };
                if let Some(round) = rounds.last_mut() {
                    round.push(piece);
                }
            }
        }
    }
    rounds
}

/// Divides a box along z, so that no piece is longer than a message.
pub(super) fn slabs(slots: Slots, bytes_of_entry: u64) -> Vec<Slots> {
    let Slots { area, entries } = slots;
    let plane = area.size[0] * area.size[1] * entries.len() as u64 * bytes_of_entry;
    let thickness = (MAX_MESSAGE / plane.max(1)).max(1);
    let first = (0..area.size[2]).step_by(thickness as usize);
    let slab = |z| {
        let [x, y, low] = area.low;
        ElementBox {
            low: [x, y, low + z],
            size: [area.size[0], area.size[1], thickness.min(area.size[2] - z)],
        }
    };
    first
        .map(|z| Slots {
            area: slab(z),
            entries: entries.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Layout;

    fn wants(valid: Valid) -> Vec<Want> {
        let layout = |bytes, entries| Layout {
            sides: [7, 5, 6],
            entries,
            bytes,
            scale: Default::default(),
            owners: Default::default(),
            division: Default::default(),
        };
        let want = |field, layout| Want {
            at: (field, 0),
            valid,
            owners: Default::default(),
            layout,
        };
        vec![want(0, layout(1, 1)), want(1, layout(12, 3))]
    }

    #[test]
    fn sender_and_receiver_have_equal_messages() {
        let partition = Partition::new([7, 5, 6], [2, 1, 3], 1);
        for valid in [Valid::Depth(0), Valid::Depth(1), Valid::Depth(2), Valid::All] {
            for only in [None, Some(0)] {
                let particles = Particles::default();
                let between = |rank| Between {
                    partition: &partition,
                    particles: &particles,
                    rank,
                    to: only,
                    spoil: Spoil::None,
                    runs: None,
                };
                let wants = wants(valid);
                for rank in 0..6 {
                    for message in from(between(rank), &wants).concat() {
                        let theirs = to(between(message.rank), &wants).concat();
                        let found = theirs.iter().find(|theirs| theirs.rank == rank).unwrap();
                        assert_eq!((found.bytes, &found.pieces), (message.bytes, &message.pieces));
                        assert!(only.is_none_or(|only| message.rank == only));
                    }
                }
            }
        }
        let particles = Particles::default();
        let between = Between {
            partition: &partition,
            particles: &particles,
            rank: 0,
            to: None,
            spoil: Spoil::None,
            runs: None,
        };
        assert_eq!(rounds(between, &wants(Valid::Depth(0))), 0);
        assert_eq!(rounds(between, &wants(Valid::Depth(1))), 1);
    }

    #[test]
    fn long_boxes_are_divided_along_z() {
        let area = ElementBox {
            low: [0, 0, 3],
            size: [1 << 10, 1 << 10, 5],
        };
        let entries = vec![0, 1, 2, 3];
        let slabs = slabs(Slots { area, entries }, 32);
        let areas = slabs.iter().map(|slab| slab.area);
        let ends: Vec<_> = areas.map(|slab| (slab.low[2], slab.size[2])).collect();
        assert_eq!(ends, [(3, 2), (5, 2), (7, 1)]);
    }
}
