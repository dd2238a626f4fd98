//! The kernels that copy pieces of fields into messages and back.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::gpu::{Buffer, BufferKind, ComputePipeline, Gpu, GpuError, Queue, Recorder, Recording};
use crate::plan::Want;

use super::messages::{Message, Piece};
use crate::run::built_in::built_in;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

/// Bytes of the argument block of a piece.
const BLOCK_BYTES: u64 = 80;
/// Units that a workgroup moves, and the largest number of workgroups along x.
const LOCAL: u64 = 256;
const MAX_ACROSS: u64 = 1 << 15;

/// Kernels by the bytes of their units.
#[derive(Default)]
pub struct Movers {
    programs: HashMap<u32, ComputePipeline>,
}

/// The direction of copies between fields and messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Pack,
    Unpack,
}

impl Movers {
    /// Compiles the kernels that fields need, unless that is done.
    pub fn compile(&mut self, gpu: &Gpu, wants: &[Want], messages: &[Message]) -> Result<(), RunError> {
        for piece in messages.iter().flat_map(|message| &message.pieces) {
            let unit = unit(&wants[piece.want], piece);
            if let Entry::Vacant(place) = self.programs.entry(unit) {
                place.insert(program(gpu, unit)?);
            }
        }
        Ok(())
    }

    /// Records the copies between fields and a buffer of messages.
    pub fn record(
        &self,
        prepared: &Prepared,
        wants: &[Want],
        messages: &[Message],
        buffer: &Buffer,
        direction: Direction,
    ) -> Result<Recording, RunError> {
        let of = |message: &Message| -> Vec<(u64, Piece)> {
            let pieces = message.pieces.iter();
            pieces.map(|piece| (message.first, piece.clone())).collect()
        };
        let pieces: Vec<(u64, Piece)> = messages.iter().flat_map(of).collect();
        // The argument blocks, and then the numbers of the entries of each piece.
        let entries = pieces
            .iter()
            .map(|(_, piece)| 4 * piece.slots.entries.len() as u64);
        let length = BLOCK_BYTES * pieces.len() as u64 + entries.sum::<u64>();
        let gpu = &prepared.host.gpu;
        let blocks = gpu.buffer("pieces of halos", length, BufferKind::Upload)?;
        let (mut bytes, mut lists) = (Vec::new(), Vec::new());
        let first_list = blocks.address() + BLOCK_BYTES * pieces.len() as u64;
        for (first, piece) in &pieces {
            let want = &wants[piece.want];
            let (field, copy) = want.at;
            let addresses = [
                prepared.memory.field(field, copy).address(),
                buffer.address() + first + piece.offset,
                first_list + lists.len() as u64,
            ];
            bytes.extend(block(want, piece, addresses, direction));
            lists.extend(piece.slots.entries.iter().flat_map(|entry| entry.to_le_bytes()));
        }
        bytes.extend(lists);
        blocks.write(0, &bytes)?;
        let name = match direction {
            Direction::Pack => "pack halos",
            Direction::Unpack => "unpack halos",
        };
        let recorded = gpu.record(name, Queue::Compute, |recorder| {
            prepared.hold(recorder)?;
            recorder.hold(buffer)?;
            recorder.hold(&blocks)?;
            recorder.full_barrier();
            for (number, (_, piece)) in pieces.iter().enumerate() {
                let address = blocks.address() + BLOCK_BYTES * number as u64;
                self.dispatch(recorder, &wants[piece.want], piece, address)?;
            }
            recorder.full_barrier();
            Ok(())
        });
        Ok(recorded?)
    }

    fn dispatch(
        &self,
        recorder: &mut Recorder,
        want: &Want,
        piece: &Piece,
        address: u64,
    ) -> Result<(), GpuError> {
        let unit = unit(want, piece);
        let groups = (piece.bytes / u64::from(unit)).div_ceil(LOCAL);
        let across = groups.clamp(1, MAX_ACROSS);
        let groups = [across as u32, groups.div_ceil(across) as u32, 1];
        match self.programs.get(&unit) {
            Some(program) => recorder.dispatch(program, address, groups),
            None => Ok(()),
        }
    }
}

/// The kernel that moves units of a number of bytes.
fn program(gpu: &Gpu, unit: u32) -> Result<ComputePipeline, RunError> {
    let (name, kind, extension) = match unit {
        1 => (
            "move_halo_1",
            "uint8_t",
            "#extension GL_EXT_shader_8bit_storage : require",
        ),
        2 => (
            "move_halo_2",
            "uint16_t",
            "#extension GL_EXT_shader_16bit_storage : require",
        ),
        16 => ("move_halo_16", "uvec4", ""),
        _ => ("move_halo_4", "uint", ""),
    };
    let aligned = |bytes: u32| format!("buffer_reference_align = {bytes}) buffer Units");
    let text = include_str!("../move_halo.comp")
        .replace("UNIT_BYTES", &format!("{unit}ul"))
        .replace("EXTENSION", extension)
        .replace(&aligned(4), &aligned(unit))
        .replace("UNIT at", &format!("{kind} at"));
    built_in(gpu, name, text.as_bytes())
}

/// Bytes of the units in which a piece is moved: the largest number that divides the rows of the piece and of the field.
fn unit(want: &Want, piece: &Piece) -> u32 {
    let bytes = u64::from(want.layout.bytes);
    let area = &piece.slots.area;
    let rows = [area.low[0], area.size[0], want.layout.sides[0]].map(|length| length * bytes);
    let divides = |unit: &u32| rows.iter().all(|row| row.is_multiple_of(u64::from(*unit)));
    let whole = [16, 4, 2].into_iter().find(divides);
    whole.unwrap_or(1)
}

/// The argument block of a piece. `addresses` are those of the field, of the piece in its message, and of the numbers of its
/// entries.
fn block(want: &Want, piece: &Piece, addresses: [u64; 3], direction: Direction) -> Vec<u8> {
    let layout = &want.layout;
    let unit = u64::from(unit(want, piece));
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
        // Blocks begin at multiples of 8 bytes.
        0,
    ];
    block.extend(
        words
            .iter()
            .chain(&rest)
            .flat_map(|word| (*word as u32).to_le_bytes()),
    );
    block
}
