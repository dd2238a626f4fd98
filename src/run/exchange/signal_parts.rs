//! The recordings of an exchange in which devices wait for each other, and the words that they share: see [`super::signals`].

use crate::gpu::Access::*;
use crate::gpu::{Buffer, ComputePipeline, GpuError, Queue, Recorder, Recording};
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::content::{Content, end};
use super::peers::stride;
use super::piece_blocks::{Direction, Placed, placed};
use super::pieces::{Movers, PlacedPieces};
use super::signal_ways::Source;

/// Words of a round, by byte, as in engine/signals.glsl: of exchanges whose messages were copied, and one that ends all waits.
pub const COPIED: u64 = 4;
pub const ENDED: u64 = 8;

/// The bytes of the words of a round that awaits some signals.
pub fn words_bytes(awaited: usize) -> u64 {
    24 + 8 * awaited as u64
}

/// The words of a round, with the addresses of the own signal and of those to await.
pub fn words(own: u64, awaited: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; 12];
    bytes.extend((awaited.len() as u32).to_le_bytes());
    for address in [own].iter().chain(awaited) {
        bytes.extend(address.to_le_bytes());
    }
    bytes
}

/// The recordings of an exchange, in the order of their submission.
#[derive(Clone)]
pub struct Signalled {
    /// Packing, and the signal.
    pub pack: Recording,
    /// The wait, and unpacking.
    pub unpack: Recording,
}

/// The input of the recordings of a round.
pub struct Parts<'a> {
    pub prepared: &'a Prepared,
    pub movers: &'a Movers,
    /// The kernel that writes the signal.
    pub post: &'a ComputePipeline,
    pub content: &'a Content<'a>,
    pub sources: &'a [Source],
    /// The buffer for packed messages.
    pub packed: &'a Buffer,
    pub words: &'a Buffer,
}

impl Parts<'_> {
    /// The recordings of even or odd uses.
    pub fn recordings(&self, half: usize) -> Result<Signalled, RunError> {
        Ok(Signalled {
            pack: self.packing(half as u64)?,
            unpack: self.unpacking(half)?,
        })
    }

    /// Packing, and the signal.
    fn packing(&self, half: u64) -> Result<Recording, RunError> {
        let messages = self.content.outgoing;
        let first = self.packed.address() + half * stride(end(messages));
        let pack = self.place(placed(messages, first), Direction::Pack)?;
        self.record(Direction::Pack.name(), |recorder| {
            recorder.hold(self.packed)?;
            recorder.barrier(&[ShaderWrite, TransferWrite], &[ShaderRead, ShaderWrite])?;
            pack.dispatch(self.prepared, recorder)?;
            // Others see the signal after the messages.
            recorder.barrier(&[ShaderWrite], &[ShaderRead, ShaderWrite, HostRead])?;
            recorder.dispatch(self.post, self.words.address(), [1, 1, 1])
        })
    }

    /// The wait for messages, and unpacking. It needs no barrier: halos are free since the one before packing, and nothing between
    /// packing and this accesses them.
    fn unpacking(&self, half: usize) -> Result<Recording, RunError> {
        let mut pieces = Vec::new();
        for source in self.sources {
            let mut messages = self.content.incoming.to_vec();
            messages.retain(|message| message.rank == source.rank);
            messages
                .iter_mut()
                .for_each(|message| message.first = source.here[half]);
            pieces.extend(placed(&messages, source.buffer.address()));
        }
        let unpack = self.place(pieces, Direction::Unpack)?;
        self.record(Direction::Unpack.name(), |recorder| {
            for source in self.sources {
                recorder.hold(&source.buffer)?;
            }
            unpack.dispatch(self.prepared, recorder)?;
            recorder.full_barrier();
            Ok(())
        })
    }

    fn place(&self, pieces: Vec<Placed>, direction: Direction) -> Result<PlacedPieces, RunError> {
        let to = (direction, self.words.address());
        self.movers.place(self.prepared, self.content.wants, pieces, to)
    }

    /// A recording with what the kernels access.
    fn record(
        &self,
        name: &str,
        commands: impl FnOnce(&mut Recorder) -> Result<(), GpuError>,
    ) -> Result<Recording, RunError> {
        let gpu = &self.prepared.host.gpu;
        let recorded = gpu.record(name, Queue::Compute, |recorder| {
            recorder.hold(self.words)?;
            commands(recorder)
        });
        Ok(recorded?)
    }
}
