//! Exchanges of particles that have changed parts: their runs differ each time, so that buffers have some more room, and are kept.

use crate::gpu::{Buffer, BufferKind, Queue, Recording};
use crate::ir::{ElementBox, Runs, Slots};
use crate::plan::Want;
use crate::ranks::Ranks;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::Exchanges;
use super::ghosts::with_room;
use super::messages::{self, Between, Message, Piece};
use super::piece_blocks::Direction;
use super::pieces::Moves;
use super::round::Round;

/// Room is given back if it is this many times what is needed.
const MAX_EXCESS: u64 = 8;

/// Buffers and recordings that the exchanges of the runs of a set use again.
#[derive(Default)]
pub struct KeptRuns {
    /// The room of the round, by sender and receiver. The round is `None` while it is in use, and for long runs.
    room: Vec<Vec<u64>>,
    round: Option<Round>,
    stays: Option<Stays>,
}

/// Consecutive particles that take another place on their rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    pub from: u64,
    pub to: u64,
    pub count: u64,
}

/// Moves particles that stay on this rank to their new places, one attribute after the other.
struct Stays {
    /// Runs, and the room for each.
    runs: usize,
    room: u64,
    scratch: Buffer,
    /// By attribute, into the scratch memory and back.
    moves: Vec<[Moves; 2]>,
}

impl Exchanges {
    /// The rounds that exchange the runs of `between`. Give a single one back with [`KeptRuns::keep`]. All ranks must call it.
    pub fn runs(
        &mut self,
        prepared: &Prepared,
        between: Between,
        wants: &[Want],
        ranks: &Ranks,
        kept: &mut KeptRuns,
    ) -> Result<Vec<Round>, RunError> {
        let Some(runs) = between.runs else {
            return Ok(Vec::new());
        };
        let counts = runs.counts();
        let round = match kept.round.take().filter(|_| has_room(&kept.room, &counts)) {
            Some(round) => Some(round),
            None => {
                kept.room = counts
                    .iter()
                    .map(|of| of.iter().map(|count| with_room(*count)).collect())
                    .collect();
                let most = Runs::with_counts(&kept.room);
                let most = Between {
                    runs: Some(&most),
                    ..between
                };
                match self.count_rounds(most, wants) {
                    1 => Some(self.round(prepared, most, wants, 0, Some(ranks))?),
                    _ => None,
                }
            }
        };
        let Some(mut round) = round else {
            let rounds = 0..self.count_rounds(between, wants);
            return rounds
                .map(|number| self.round(prepared, between, wants, number, None))
                .collect();
        };
        let first = |rounds: Vec<Vec<Message>>| rounds.into_iter().next().unwrap_or_default();
        let outgoing = first(messages::from(between, wants));
        let incoming = first(messages::to(between, wants));
        round.refill(prepared, wants, [&outgoing, &incoming])?;
        Ok(vec![round])
    }

    /// The recordings that move particles that stay on this rank to their new places, in order. The device must be done with the
    /// last ones.
    pub fn stays<'a>(
        &mut self,
        prepared: &Prepared,
        wants: &[Want],
        kept: &'a mut KeptRuns,
        moved: &[Moved],
    ) -> Result<Vec<&'a Recording>, RunError> {
        if moved
            .iter()
            .all(|moved| moved.from == moved.to || moved.count == 0)
        {
            return Ok(Vec::new());
        }
        let count = moved.iter().map(|moved| moved.count).max().unwrap_or(0);
        let has_room = |stays: &Stays| stays.room >= count && stays.runs >= moved.len();
        let stays = match kept.stays.take().filter(has_room) {
            Some(stays) => stays,
            None => self.new_stays(prepared, wants, moved.len(), with_room(count))?,
        };
        for (want, [out, back]) in stays.moves.iter().enumerate() {
            let at = |place: fn(&Moved) -> u64| {
                let runs = moved.iter().map(|moved| (place(moved), moved.count));
                [run(wants, want, runs)]
            };
            let (leaves, arrives) = (at(|moved| moved.from), at(|moved| moved.to));
            out.refill(prepared, wants, &leaves, &stays.scratch)?;
            back.refill(prepared, wants, &arrives, &stays.scratch)?;
        }
        let stays = kept.stays.insert(stays);
        Ok(stays
            .moves
            .iter()
            .flatten()
            .map(|moves| &moves.recording)
            .collect())
    }

    fn new_stays(
        &mut self,
        prepared: &Prepared,
        wants: &[Want],
        runs: usize,
        room: u64,
    ) -> Result<Stays, RunError> {
        let of_want = |want| run(wants, want, std::iter::repeat_n((0, room), runs));
        let messages: Vec<Message> = (0..wants.len()).map(of_want).collect();
        self.movers.compile(prepared, wants, &messages)?;
        let bytes = messages.iter().map(|message| message.bytes).max().unwrap_or(0);
        let scratch = prepared
            .host
            .gpu
            .buffer("particles that stay", bytes, BufferKind::Device)?;
        let moves = messages.chunks(1).map(|of_attribute| {
            let record = |direction| {
                self.movers
                    .record(prepared, wants, of_attribute, &scratch, direction, Queue::Compute)
            };
            Ok([record(Direction::Pack)?, record(Direction::Unpack)?])
        });
        Ok(Stays {
            runs,
            room,
            moves: moves.collect::<Result<_, RunError>>()?,
            scratch,
        })
    }
}

impl KeptRuns {
    /// Keeps a round for the next time.
    pub fn keep(&mut self, round: Round) {
        self.round = Some(round);
    }
}

/// The values of an attribute as a message: of runs of particles, each with its first one and its length.
fn run(wants: &[Want], want: usize, runs: impl Iterator<Item = (u64, u64)>) -> Message {
    let layout = &wants[want].layout;
    let mut end = 0;
    let pieces = runs.map(|(first, count)| {
        let slots = Slots {
            area: ElementBox {
                low: [first, 0, 0],
                size: [count, 1, 1],
            },
            entries: (0..layout.entries).collect(),
        };
        let bytes = slots.count() * u64::from(layout.bytes);
        end += bytes;
        Piece {
            want,
            slots,
            offset: end - bytes,
            bytes,
        }
    });
    let pieces = pieces.collect();
    Message {
        rank: 0,
        first: 0,
        bytes: end,
        pieces,
    }
}

/// True if there is room for all runs, and not far too much.
fn has_room(room: &[Vec<u64>], counts: &[Vec<u64>]) -> bool {
    let mut pairs = room.iter().flatten().zip(counts.iter().flatten());
    pairs.all(|(room, count)| count <= room && *room <= with_room(count * MAX_EXCESS))
}
