//! The kernels that copy pieces of fields into messages and back.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::gpu::{Buffer, BufferKind, ComputePipeline, Gpu, GpuError, Queue, Recorder, Recording};
use crate::plan::Want;

use super::messages::{Message, Piece};
use super::paged::{self, CHANNEL_BYTES};
use crate::run::built_in::built_in;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

/// Bytes of the argument block of a piece, and the first byte of its workgroup counts.
const BLOCK_BYTES: u64 = 96;
const COUNTS: u64 = 80;
/// Units that a workgroup moves, four by each invocation, and the largest number of workgroups along x.
const LOCAL: u64 = 4 * 256;
const MAX_ACROSS: u64 = 1 << 15;

/// The bytes of the units that a kernel moves, and how it treats those of the field.
type Kind = (u32, Units);

/// The units of a field that a kernel moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Units {
    /// Consecutive along x.
    Rows,
    /// In blocks of a sparse grid.
    Paged,
    /// As rows, and messages are added to them.
    Added,
}

/// Kernels by their kind.
#[derive(Default)]
pub struct Movers {
    programs: HashMap<Kind, ComputePipeline>,
}

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

impl Movers {
    /// Compiles the kernels that fields need, unless that is done.
    pub fn compile(
        &mut self,
        prepared: &Prepared,
        wants: &[Want],
        messages: &[Message],
    ) -> Result<(), RunError> {
        for piece in messages.iter().flat_map(|message| &message.pieces) {
            let kind = kind(prepared, &wants[piece.want], piece);
            if let Entry::Vacant(place) = self.programs.entry(kind) {
                place.insert(program(&prepared.host.gpu, kind)?);
            }
        }
        Ok(())
    }

    /// Writes the argument blocks of the copies between fields and a buffer of messages.
    pub fn place(
        &self,
        prepared: &Prepared,
        wants: &[Want],
        messages: &[Message],
        (buffer, direction): (&Buffer, Direction),
    ) -> Result<PlacedPieces, RunError> {
        let pieces: Vec<Placed> = pieces_of(messages).collect();
        // The argument blocks, and then for each piece the numbers of the entries and the place of a channel.
        let lists = pieces.iter().map(|Placed { piece, .. }| {
            let is_paged = paged::is_paged(prepared, &wants[piece.want]);
            4 * piece.slots.entries.len() as u64 + if is_paged { CHANNEL_BYTES } else { 0 }
        });
        let length = BLOCK_BYTES * pieces.len() as u64 + lists.sum::<u64>();
        let blocks = (prepared.host.gpu).buffer("pieces of halos", length, BufferKind::Upload)?;
        let all: Vec<Option<Placed>> = pieces.iter().cloned().map(Some).collect();
        write_blocks(prepared, wants, &blocks, &all, (buffer, direction))?;
        let pieces = pieces.iter();
        let groups = |placed: &Placed| {
            let (unit, _) = kind(prepared, &wants[placed.piece.want], &placed.piece);
            counts(placed.piece.bytes / u64::from(unit)).map(|count| count as u32)
        };
        Ok(PlacedPieces {
            blocks,
            groups: pieces.clone().map(groups).collect(),
            kinds: pieces
                .clone()
                .map(|Placed { piece, .. }| kind(prepared, &wants[piece.want], piece))
                .collect(),
            places: pieces.map(|placed| (placed.rank, placed.piece.want)).collect(),
        })
    }

    /// Dispatches the copies of pieces, which must not change later: counts that the device reads take longer. The recording must
    /// hold the buffer of messages.
    pub fn dispatch(
        &self,
        prepared: &Prepared,
        recorder: &mut Recorder,
        PlacedPieces {
            blocks,
            kinds,
            groups,
            ..
        }: &PlacedPieces,
    ) -> Result<(), GpuError> {
        prepared.hold(recorder)?;
        recorder.hold(blocks)?;
        for (number, (kind, groups)) in kinds.iter().zip(groups).enumerate() {
            let address = blocks.address() + BLOCK_BYTES * number as u64;
            if let Some(program) = self.programs.get(kind) {
                recorder.dispatch(program, address, *groups)?;
            }
        }
        Ok(())
    }

    /// Records the copies between fields and a buffer of messages, for a queue. [`Moves::refill`] may change the pieces later.
    pub fn record(
        &self,
        prepared: &Prepared,
        wants: &[Want],
        messages: &[Message],
        buffer: &Buffer,
        direction: Direction,
        queue: Queue,
    ) -> Result<Moves, RunError> {
        let placed = self.place(prepared, wants, messages, (buffer, direction))?;
        let recorded = (prepared.host.gpu).record(direction.name(), queue, |recorder| {
            recorder.hold(buffer)?;
            recorder.full_barrier();
            prepared.hold(recorder)?;
            let blocks = &placed.blocks;
            for (number, kind) in placed.kinds.iter().enumerate() {
                let first = BLOCK_BYTES * number as u64;
                if let Some(program) = self.programs.get(kind) {
                    recorder.dispatch_indirect(program, blocks.address() + first, blocks, first + COUNTS)?;
                }
            }
            recorder.full_barrier();
            Ok(())
        });
        Ok(Moves {
            recording: recorded?,
            placed,
        })
    }
}

/// Pieces with their argument blocks.
pub struct PlacedPieces {
    blocks: Buffer,
    /// Of each block: the kernel and its workgroups; the other rank, and the number of the want.
    kinds: Vec<Kind>,
    groups: Vec<[u32; 3]>,
    places: Vec<(usize, usize)>,
}

/// Recorded copies of pieces.
pub struct Moves {
    pub recording: Recording,
    placed: PlacedPieces,
}

impl Moves {
    /// Takes other pieces of the same wants, at most as many of each. The device must be done with the last ones.
    pub fn refill(
        &self,
        prepared: &Prepared,
        wants: &[Want],
        messages: &[Message],
        (buffer, direction): (&Buffer, Direction),
    ) -> Result<(), RunError> {
        let mut left: Vec<Placed> = pieces_of(messages).collect();
        let mut take = |(rank, want): &(usize, usize)| {
            let is_one = |placed: &Placed| (placed.rank, placed.piece.want) == (*rank, *want);
            left.iter().position(is_one).map(|number| left.remove(number))
        };
        let pieces: Vec<Option<Placed>> = self.placed.places.iter().map(&mut take).collect();
        write_blocks(prepared, wants, &self.placed.blocks, &pieces, (buffer, direction))
    }
}

/// A piece, with the other rank and the first byte of its message.
#[derive(Clone)]
struct Placed {
    rank: usize,
    first: u64,
    piece: Piece,
}

/// The pieces of messages.
fn pieces_of(messages: &[Message]) -> impl Iterator<Item = Placed> {
    messages.iter().flat_map(|message| {
        let pieces = message.pieces.iter();
        pieces.map(|piece| Placed {
            rank: message.rank,
            first: message.first,
            piece: piece.clone(),
        })
    })
}

/// Writes the argument blocks of pieces. Blocks without a piece move nothing.
fn write_blocks(
    prepared: &Prepared,
    wants: &[Want],
    blocks: &Buffer,
    pieces: &[Option<Placed>],
    (buffer, direction): (&Buffer, Direction),
) -> Result<(), RunError> {
    let (mut bytes, mut lists) = (Vec::new(), Vec::new());
    let first_list = blocks.address() + BLOCK_BYTES * pieces.len() as u64;
    for placed in pieces {
        let Some(Placed { first, piece, .. }) = placed else {
            bytes.resize(bytes.len() + BLOCK_BYTES as usize, 0);
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
        let addresses = [
            of_field,
            buffer.address() + first + piece.offset,
            first_list + lists.len() as u64,
        ];
        let (unit, _) = kind(prepared, want, piece);
        bytes.extend(block(want, piece, addresses, (unit, direction)));
        lists.extend(piece.slots.entries.iter().flat_map(|entry| entry.to_le_bytes()));
    }
    bytes.extend(lists);
    Ok(blocks.write(0, &bytes)?)
}

/// The workgroup counts for a number of units.
fn counts(units: u64) -> [u64; 3] {
    let groups = units.div_ceil(LOCAL);
    let across = groups.clamp(1, MAX_ACROSS);
    [across, groups.div_ceil(across), 1]
}

/// The kernel of a kind.
fn program(gpu: &Gpu, (unit, units): Kind) -> Result<ComputePipeline, RunError> {
    let (kind, extension) = match unit {
        1 => ("uint8_t", "#extension GL_EXT_shader_8bit_storage : require"),
        2 => ("uint16_t", "#extension GL_EXT_shader_16bit_storage : require"),
        16 => ("uvec4", ""),
        _ => ("uint", ""),
    };
    let (name, text) = match units {
        Units::Rows => ("move_halo", include_str!("../move_halo.comp").to_string()),
        Units::Paged => (
            "move_paged_halo",
            include_str!("../move_paged_halo.comp").to_string(),
        ),
        Units::Added => {
            // Messages of several ranks are unpacked at once.
            let (store, add) = (
                "in_field.at = in_message.at",
                "atomicAdd(in_field.at, in_message.at)",
            );
            (
                "add_shares",
                include_str!("../move_halo.comp").replace(store, add),
            )
        }
    };
    let aligned = |bytes: u32| format!("buffer_reference_align = {bytes}) buffer Units");
    let text = text
        .replace("UNIT_BYTES", &format!("{unit}ul"))
        .replace("EXTENSION", extension)
        .replace(&aligned(4), &aligned(unit))
        .replace("UNIT at", &format!("{kind} at"));
    built_in(gpu, &format!("{name}_{unit}"), text.as_bytes())
}

/// The kernel that moves a piece. Cells of blocks are not consecutive.
fn kind(prepared: &Prepared, want: &Want, piece: &Piece) -> Kind {
    if paged::is_paged(prepared, want) {
        (unit_of_element(want), Units::Paged)
    } else if want.is_of_shares() {
        (unit_of_element(want), Units::Added)
    } else {
        (unit(want, piece), Units::Rows)
    }
}

/// Bytes of the largest units of which an entry of an element consists, at most a word.
fn unit_of_element(want: &Want) -> u32 {
    let bytes = want.layout.bytes;
    let whole = [4, 2].into_iter().find(|unit| bytes.is_multiple_of(*unit));
    whole.unwrap_or(1)
}

/// Bytes of the units in which a piece is moved: the largest number that divides the rows of the piece and of the field.
fn unit(want: &Want, piece: &Piece) -> u32 {
    let bytes = u64::from(want.layout.bytes);
    if !want.is_of_cells() {
        // Other pieces take its place: see `Moves::refill`.
        return unit_of_element(want);
    }
    let area = &piece.slots.area;
    let rows = [area.low[0], area.size[0], want.layout.sides[0]].map(|length| length * bytes);
    let divides = |unit: &u32| rows.iter().all(|row| row.is_multiple_of(u64::from(*unit)));
    let whole = [16, 4, 2].into_iter().find(divides);
    whole.unwrap_or(1)
}

/// The argument block of a piece that is moved in units. `addresses` are those of the field, or of the place of a channel, of the
/// piece in its message, and of the numbers of its entries.
fn block(want: &Want, piece: &Piece, addresses: [u64; 3], (unit, direction): (u32, Direction)) -> Vec<u8> {
    let layout = &want.layout;
    let unit = u64::from(unit);
    let units = |of: [u64; 3]| [of[0] * u64::from(layout.bytes) / unit, of[1], of[2]];
    let mut block: Vec<u8> = addresses
        .iter()
        .flat_map(|address| address.to_le_bytes())
        .collect();
    let area = &piece.slots.area;
    let words = [area.low, area.size, layout.sides].map(units).concat();
    let rest = [
        layout.entries.into(),
        piece.slots.entries.len() as u64,
        u64::from(direction == Direction::Pack),
        piece.bytes / unit,
        // Counts begin at a multiple of 8 bytes.
        0,
    ];
    let [x, y, z] = counts(piece.bytes / unit);
    // Blocks are multiples of 8 bytes long.
    let counts = [x, y, z, 0];
    block.extend(
        words
            .iter()
            .chain(&rest)
            .chain(&counts)
            .flat_map(|word| (*word as u32).to_le_bytes()),
    );
    block
}
