//! The argument blocks of move_halos.comp: a head, and a block for each piece.

use std::collections::HashMap;

use crate::plan::Want;
use crate::run::prepared::Prepared;

use super::messages::{Message, Piece};
use super::paged::{self, CHANNEL_BYTES};

/// Bytes of the head, which begins with the counts of workgroups, and of a block.
const HEAD_BYTES: u64 = 24;
const BLOCK_BYTES: u64 = 88;
/// Invocations of a workgroup, and the largest number of workgroups along x.
const LOCAL: u64 = 256;
const MAX_ACROSS: u64 = 1 << 15;
/// Units that an invocation copies of pieces with at least so many units. Of others it copies one, so that more invocations wait for
/// memory at once.
const TURNS: u64 = 4;
const MANY: u64 = 1 << 20;
/// Values of `what` in a block, as in move_halos.comp.
const PAGED: u32 = 1;
const ADDED: u32 = 2;

/// The direction of copies between fields and messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Pack,
    Unpack,
}

impl Direction {
    /// The name of recordings, for traces and debuggers.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Pack => "pack halos",
            Direction::Unpack => "unpack halos",
        }
    }
}

/// A piece, with the other rank and the address of its message.
#[derive(Clone)]
pub struct Placed {
    pub rank: usize,
    pub message: u64,
    pub piece: Piece,
}

/// The pieces of messages with addresses by rank. Messages without an address are left out.
pub fn placed(messages: &[Message], addresses: &HashMap<usize, u64>) -> Vec<Placed> {
    let found = messages.iter().filter_map(|message| {
        let address = addresses.get(&message.rank)?;
        Some((message, *address))
    });
    pieces(found)
}

/// The pieces of messages in a buffer with an address.
pub fn placed_in(buffer: u64, messages: &[Message]) -> Vec<Placed> {
    pieces((messages.iter()).map(|message| (message, buffer + message.first)))
}

fn pieces<'a>(messages: impl Iterator<Item = (&'a Message, u64)>) -> Vec<Placed> {
    let of_message = |(of, message): (&'a Message, u64)| {
        let pieces = of.pieces.iter().cloned();
        pieces.map(move |piece| Placed {
            rank: of.rank,
            message,
            piece,
        })
    };
    messages.flat_map(of_message).collect()
}

/// Bytes of the argument blocks of pieces.
pub fn length(prepared: &Prepared, wants: &[Want], pieces: &[Placed]) -> u64 {
    // The blocks are followed by the numbers of the entries of each piece and the place of a channel.
    let lists = pieces.iter().map(|Placed { piece, .. }| {
        let is_paged = paged::is_paged(prepared, &wants[piece.want]);
        4 * piece.slots.entries.len() as u64 + if is_paged { CHANNEL_BYTES } else { 0 }
    });
    HEAD_BYTES + BLOCK_BYTES * pieces.len().max(1) as u64 + lists.sum::<u64>()
}

/// Where argument blocks are, and what is the same for all of them.
pub struct Head {
    pub address: u64,
    pub direction: Direction,
    /// The address of the words by which devices wait for each other, or 0.
    pub signals: u64,
    /// The workgroups of a dispatch that does not read its counts.
    pub groups: Option<[u32; 3]>,
}

/// The argument blocks of pieces. Places without a piece move nothing.
pub fn blocks(prepared: &Prepared, wants: &[Want], pieces: &[Option<Placed>], head: &Head) -> Vec<u8> {
    let Head {
        address,
        direction,
        signals,
        groups: fixed,
    } = *head;
    let most = fixed.map_or(u64::MAX, |[across, _, down]| u64::from(across) * u64::from(down));
    let first_list = address + HEAD_BYTES + BLOCK_BYTES * pieces.len().max(1) as u64;
    let (mut blocks, mut lists) = (Vec::new(), Vec::new());
    for placed in pieces {
        let Some(Placed { message, piece, .. }) = placed else {
            blocks.resize(blocks.len() + BLOCK_BYTES as usize, 0);
            continue;
        };
        let want = &wants[piece.want];
        let (field, copy) = want.at;
        let of_field = match paged::channel(prepared, want) {
            Some(channel) => {
                lists.extend(channel);
                first_list + lists.len() as u64 - CHANNEL_BYTES
            }
            None => prepared.memory.field(field, copy).address(),
        };
        let addresses = [of_field, message + piece.offset, first_list + lists.len() as u64];
        blocks.extend(block(prepared, want, piece, addresses, most));
        lists.extend(piece.slots.entries.iter().flat_map(|entry| entry.to_le_bytes()));
    }
    if pieces.is_empty() {
        blocks.resize(BLOCK_BYTES as usize, 0);
    }
    let mut bytes = words(&groups(prepared, wants, pieces));
    bytes.extend(u32::from(direction == Direction::Pack).to_le_bytes());
    bytes.extend(signals.to_le_bytes());
    bytes.extend(blocks);
    bytes.extend(lists);
    bytes
}

/// The workgroup counts for pieces: along y one for each, and along x and z enough for the longest.
pub fn groups(prepared: &Prepared, wants: &[Want], pieces: &[Option<Placed>]) -> [u32; 3] {
    let groups = pieces.iter().flatten().map(|Placed { piece, .. }| {
        let units = piece.bytes / u64::from(unit(prepared, &wants[piece.want], piece));
        units.div_ceil(LOCAL * turns(units, u64::MAX))
    });
    let most = groups.max().unwrap_or(0).max(1);
    let across = most.min(MAX_ACROSS);
    [across, pieces.len().max(1) as u64, most.div_ceil(across)].map(|count| count as u32)
}

/// The units that an invocation copies of a piece with a number of units, if there are at most so many workgroups.
fn turns(units: u64, groups: u64) -> u64 {
    if units < MANY && units.div_ceil(LOCAL) <= groups {
        1
    } else {
        TURNS
    }
}

/// Bytes of the units in which a piece is moved.
pub fn unit(prepared: &Prepared, want: &Want, piece: &Piece) -> u32 {
    let bytes = want.layout.bytes;
    if paged::is_paged(prepared, want) {
        return paged::unit(prepared, want, &piece.slots.area);
    }
    if !want.is_of_cells() {
        // Other particles take the place of a piece: see `Moves::refill`. Shares are added word by word.
        let whole = [4, 2].into_iter().find(|unit| bytes.is_multiple_of(*unit));
        return whole.unwrap_or(1);
    }
    // The largest number that divides the rows of the piece and of the field.
    let area = &piece.slots.area;
    let rows = [area.low[0], area.size[0], want.layout.sides[0]].map(|length| length * u64::from(bytes));
    let divides = |unit: &u32| rows.iter().all(|row| row.is_multiple_of(u64::from(*unit)));
    let whole = [16, 4, 2].into_iter().find(divides);
    whole.unwrap_or(1)
}

/// The argument block of a piece. `addresses` are those of the field, or of the place of a channel, of the piece in its message, and
/// of the numbers of its entries; `groups` the workgroups that there are for it.
fn block(prepared: &Prepared, want: &Want, piece: &Piece, addresses: [u64; 3], groups: u64) -> Vec<u8> {
    let layout = &want.layout;
    let unit = unit(prepared, want, piece);
    let in_units = |of: [u64; 3]| [of[0] * u64::from(layout.bytes) / u64::from(unit), of[1], of[2]];
    let area = &piece.slots.area;
    let boxes = [area.low, area.size, layout.sides].map(in_units).concat();
    let boxes: Vec<u32> = boxes.into_iter().map(|length| length as u32).collect();
    let what = if paged::is_paged(prepared, want) {
        PAGED
    } else if want.is_of_shares() {
        ADDED
    } else {
        0
    };
    let total = piece.bytes / u64::from(unit);
    let rest = [
        layout.entries,
        piece.slots.entries.len() as u32,
        unit,
        what,
        total as u32,
        turns(total, groups) as u32,
        0,
    ];
    let mut block: Vec<u8> = (addresses.iter())
        .flat_map(|address| address.to_le_bytes())
        .collect();
    block.extend(words(&boxes));
    block.extend(words(&rest));
    block
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
