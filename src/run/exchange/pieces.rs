//! The kernel that copies pieces of fields into messages and back.

use crate::gpu::{Buffer, BufferKind, ComputePipeline, Gpu, GpuError, Queue, Recorder, Recording};
use crate::plan::Want;

use super::messages::Message;
use super::piece_blocks::{Direction, Head, Placed, blocks, groups, length, placed_in, unit};
use crate::run::built_in::built_in;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

/// The units of pieces that not every device can address.
#[derive(Debug, Clone, Copy, Default)]
struct SmallUnits {
    halves: bool,
    bytes: bool,
}

impl SmallUnits {
    fn of(prepared: &Prepared, wants: &[Want], pieces: &[Placed]) -> SmallUnits {
        let units = (pieces.iter()).map(|Placed { piece, .. }| unit(prepared, &wants[piece.want], piece));
        units.fold(SmallUnits::default(), |small, unit| SmallUnits {
            halves: small.halves || unit == 2,
            bytes: small.bytes || unit == 1,
        })
    }

    fn contain(self, other: SmallUnits) -> bool {
        self.halves >= other.halves && self.bytes >= other.bytes
    }

    /// The kernel.
    fn program(self, gpu: &Gpu) -> Result<ComputePipeline, RunError> {
        let mut extensions = String::new();
        if self.halves {
            extensions += "#extension GL_EXT_shader_16bit_storage : require\n#define HALVES\n";
        }
        if self.bytes {
            extensions += "#extension GL_EXT_shader_8bit_storage : require\n#define BYTES\n";
        }
        let text = include_str!("../move_halos.comp").replace("EXTENSIONS", &extensions);
        built_in(gpu, "move_halos", text.as_bytes())
    }
}

/// Kernels by the units that they move.
#[derive(Default)]
pub struct Movers {
    programs: Vec<(SmallUnits, ComputePipeline)>,
}

impl Movers {
    /// Compiles the kernel that messages need, unless that is done. Do so before the following.
    pub fn compile(
        &mut self,
        prepared: &Prepared,
        wants: &[Want],
        messages: &[Message],
    ) -> Result<(), RunError> {
        let units = SmallUnits::of(prepared, wants, &placed_in(0, messages));
        if self.program(units).is_none() {
            self.programs.push((units, units.program(&prepared.host.gpu)?));
        }
        Ok(())
    }

    fn program(&self, units: SmallUnits) -> Option<&ComputePipeline> {
        let found = self.programs.iter().find(|(of, _)| of.contain(units));
        found.map(|(_, program)| program)
    }

    /// Writes the argument blocks of the copies between fields and messages. `signals` is the address of the words by which devices
    /// wait for each other, or 0.
    pub fn place(
        &self,
        prepared: &Prepared,
        wants: &[Want],
        pieces: Vec<Placed>,
        (direction, signals): (Direction, u64),
    ) -> Result<PlacedPieces, RunError> {
        let length = length(prepared, wants, &pieces);
        let program = (self.program(SmallUnits::of(prepared, wants, &pieces)))
            .ok_or_else(|| RunError::Failed("the kernel of messages is not compiled".into()))?;
        let places = pieces.iter().map(|placed| (placed.rank, placed.piece.want));
        let places = places.collect();
        let pieces: Vec<Option<Placed>> = pieces.into_iter().map(Some).collect();
        let groups = groups(prepared, wants, &pieces);
        let placed = PlacedPieces {
            blocks: (prepared.host.gpu).buffer("pieces of halos", length, BufferKind::Upload)?,
            direction,
            signals,
            program: program.clone(),
            places,
            groups,
        };
        placed.write(prepared, wants, &pieces)?;
        Ok(placed)
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
        let pieces = placed_in(buffer.address(), messages);
        let placed = self.place(prepared, wants, pieces, (direction, 0))?;
        let recorded = (prepared.host.gpu).record(direction.name(), queue, |recorder| {
            recorder.hold(buffer)?;
            recorder.full_barrier();
            prepared.hold(recorder)?;
            let blocks = &placed.blocks;
            recorder.dispatch_indirect(&placed.program, blocks.address(), blocks, 0)?;
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
    direction: Direction,
    signals: u64,
    program: ComputePipeline,
    /// The workgroups of [`PlacedPieces::dispatch`].
    groups: [u32; 3],
    /// Of each block: the other rank, and the number of the want.
    places: Vec<(usize, usize)>,
}

impl PlacedPieces {
    /// Dispatches the copies of pieces, with as many workgroups as they need at first: counts that the device reads take longer. The
    /// recording must hold the buffers of messages.
    pub fn dispatch(&self, prepared: &Prepared, recorder: &mut Recorder) -> Result<(), GpuError> {
        prepared.hold(recorder)?;
        recorder.hold(&self.blocks)?;
        recorder.dispatch(&self.program, self.blocks.address(), self.groups)
    }

    /// Takes other pieces of the same wants, at most as many and as long. The device must be done with the last ones.
    pub fn refill(
        &self,
        prepared: &Prepared,
        wants: &[Want],
        mut pieces: Vec<Placed>,
    ) -> Result<(), RunError> {
        let mut take = |(rank, want): &(usize, usize)| {
            let is_one = |placed: &Placed| (placed.rank, placed.piece.want) == (*rank, *want);
            let found = pieces.iter().position(is_one);
            found.map(|number| pieces.remove(number))
        };
        let pieces: Vec<Option<Placed>> = self.places.iter().map(&mut take).collect();
        self.write(prepared, wants, &pieces)
    }

    fn write(&self, prepared: &Prepared, wants: &[Want], pieces: &[Option<Placed>]) -> Result<(), RunError> {
        let head = Head {
            address: self.blocks.address(),
            direction: self.direction,
            signals: self.signals,
            // A dispatch without signals reads its counts.
            groups: (self.signals != 0).then_some(self.groups),
        };
        Ok(self.blocks.write(0, &blocks(prepared, wants, pieces, &head))?)
    }
}

/// Recorded copies of pieces.
pub struct Moves {
    pub recording: Recording,
    placed: PlacedPieces,
}

impl Moves {
    /// See [`PlacedPieces::refill`].
    pub fn refill(
        &self,
        prepared: &Prepared,
        wants: &[Want],
        messages: &[Message],
        buffer: &Buffer,
    ) -> Result<(), RunError> {
        self.placed
            .refill(prepared, wants, placed_in(buffer.address(), messages))
    }
}
