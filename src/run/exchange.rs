//! Exchanges of halos between ranks: messages that a kernel packs and unpacks.

mod messages;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use crate::gpu::{Buffer, BufferKind, ComputePipeline, Gpu, GpuError, Queue, Recorder, Recording};
use crate::plan::Want;

use super::built_in::built_in;
use super::error::RunError;
use super::prepared::Prepared;
use super::probe::Spoil;
pub use messages::Between;
use messages::{Message, Piece};

/// Bytes of the argument block of a piece.
const BLOCK_BYTES: u64 = 64;
/// Units that a workgroup moves, and the largest number of workgroups along x.
const LOCAL: u64 = 256;
const MAX_ACROSS: u64 = 1 << 15;

/// The exchanges of a run. Those that repeat are kept with their buffers.
#[derive(Default)]
pub struct Exchanges {
    /// Kernels by the bytes of their units.
    programs: HashMap<u32, ComputePipeline>,
    kept: HashMap<Vec<Want>, Vec<Round>>,
    /// Number of exchanges so far.
    pub count: u64,
}

/// One message between each two ranks.
pub struct Round {
    /// The ranks that receive from this one, and their messages in `outgoing`.
    pub sends: Vec<(usize, Range<usize>)>,
    /// The ranks that send to this one, and their messages in `incoming`.
    pub receives: Vec<(usize, Range<usize>)>,
    pub outgoing: Buffer,
    pub incoming: Buffer,
    pub pack: Recording,
    pub unpack: Recording,
    /// The value that the step lane signals when the last unpacking has ended.
    pub unpacked: u64,
}

impl Exchanges {
    /// The rounds of an exchange that serves `wants`. Give them back with [`Exchanges::keep`].
    pub fn rounds(
        &mut self,
        prepared: &Prepared,
        between: Between,
        wants: &[Want],
    ) -> Result<Vec<Round>, RunError> {
        if between.to.is_none()
            && between.spoil == Spoil::None
            && let Some(rounds) = self.kept.remove(wants)
        {
            return Ok(rounds);
        }
        let outgoing = messages::from(between, wants);
        let incoming = messages::to(between, wants);
        (0..messages::rounds(between, wants))
            .map(|round| {
                let of_round = |messages: &[Vec<Message>]| messages.get(round).cloned().unwrap_or_default();
                self.round(prepared, wants, &of_round(&outgoing), &of_round(&incoming))
            })
            .collect()
    }

    /// Keeps the rounds of an exchange for the next time.
    pub fn keep(&mut self, between: Between, wants: Vec<Want>, rounds: Vec<Round>) {
        if between.to.is_none() && between.spoil == Spoil::None {
            self.kept.insert(wants, rounds);
        }
    }

    fn round(
        &mut self,
        prepared: &Prepared,
        wants: &[Want],
        outgoing: &[Message],
        incoming: &[Message],
    ) -> Result<Round, RunError> {
        let gpu = &prepared.host.gpu;
        for want in wants {
            self.compile(gpu, unit(want))?;
        }
        let [sent, received] =
            [outgoing, incoming].map(|messages| messages.last().map_or(0, |last| last.first + last.bytes));
        let out = gpu.buffer("halos to other ranks", sent, BufferKind::Download)?;
        let into = gpu.buffer("halos from other ranks", received, BufferKind::Upload)?;
        let pack = self.record(prepared, wants, outgoing, &out, true)?;
        let unpack = self.record(prepared, wants, incoming, &into, false)?;
        let ranges = |messages: &[Message]| {
            let range = |of: &Message| of.first as usize..(of.first + of.bytes) as usize;
            messages.iter().map(|of| (of.rank, range(of))).collect()
        };
        Ok(Round {
            sends: ranges(outgoing),
            receives: ranges(incoming),
            outgoing: out,
            incoming: into,
            pack,
            unpack,
            unpacked: 0,
        })
    }

    /// Records the copies between fields and a buffer of messages.
    fn record(
        &self,
        prepared: &Prepared,
        wants: &[Want],
        messages: &[Message],
        buffer: &Buffer,
        out_of_field: bool,
    ) -> Result<Recording, RunError> {
        let pieces = || {
            let of = |message: &Message| -> Vec<(u64, Piece)> {
                message
                    .pieces
                    .iter()
                    .map(|piece| (message.first, *piece))
                    .collect()
            };
            messages.iter().flat_map(of)
        };
        let mut bytes = Vec::new();
        for (first, piece) in pieces() {
            let want = &wants[piece.want];
            let (field, copy) = want.at;
            let address = prepared.memory.field(field, copy).address();
            bytes.extend(block(
                want,
                &piece,
                [address, buffer.address() + first + piece.offset],
                out_of_field,
            ));
        }
        let gpu = &prepared.host.gpu;
        let blocks = gpu.buffer("pieces of halos", bytes.len() as u64, BufferKind::Upload)?;
        blocks.write(0, &bytes)?;
        let name = if out_of_field {
            "pack halos"
        } else {
            "unpack halos"
        };
        let recorded = gpu.record(name, Queue::Compute, |recorder| {
            prepared.hold(recorder)?;
            recorder.hold(buffer)?;
            recorder.hold(&blocks)?;
            recorder.full_barrier();
            for (number, (_, piece)) in pieces().enumerate() {
                let address = blocks.address() + BLOCK_BYTES * number as u64;
                self.dispatch(recorder, &wants[piece.want], &piece, address)?;
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
        let groups = (piece.bytes / u64::from(unit(want))).div_ceil(LOCAL);
        let across = groups.clamp(1, MAX_ACROSS);
        let groups = [across as u32, groups.div_ceil(across) as u32, 1];
        match self.programs.get(&unit(want)) {
            Some(program) => recorder.dispatch(program, address, groups),
            None => Ok(()),
        }
    }

    /// Compiles the kernel for units of a number of bytes, unless that is done.
    fn compile(&mut self, gpu: &Gpu, unit: u32) -> Result<(), RunError> {
        if let Entry::Vacant(place) = self.programs.entry(unit) {
            place.insert(program(gpu, unit)?);
        }
        Ok(())
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
        _ => ("move_halo_4", "uint", ""),
    };
    let aligned = |bytes: u32| format!("buffer_reference_align = {bytes}) buffer Units");
    let text = include_str!("move_halo.comp")
        .replace("UNIT_BYTES", &format!("{unit}ul"))
        .replace("EXTENSION", extension)
        .replace(&aligned(4), &aligned(unit))
        .replace("UNIT at", &format!("{kind} at"));
    built_in(gpu, name, text.as_bytes())
}

/// Bytes of the units in which a field is moved: the largest integer that divides an element.
fn unit(want: &Want) -> u32 {
    match want.layout.bytes {
        bytes if bytes.is_multiple_of(4) => 4,
        bytes if bytes.is_multiple_of(2) => 2,
        _ => 1,
    }
}

/// The argument block of a piece. `addresses` are those of the field and of the piece in its message.
fn block(want: &Want, piece: &Piece, addresses: [u64; 2], out_of_field: bool) -> Vec<u8> {
    let layout = &want.layout;
    let unit = u64::from(unit(want));
    let units = |of: [u64; 3]| [of[0] * u64::from(layout.bytes) / unit, of[1], of[2]];
    let mut block: Vec<u8> = addresses
        .iter()
        .flat_map(|address| address.to_le_bytes())
        .collect();
    let words = [piece.area.low, piece.area.size, layout.sides]
        .map(units)
        .concat();
    let rest = [layout.entries.into(), u64::from(out_of_field), piece.bytes / unit];
    block.extend(
        words
            .iter()
            .chain(&rest)
            .flat_map(|word| (*word as u32).to_le_bytes()),
    );
    block
}
