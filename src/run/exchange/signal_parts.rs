//! The recordings of an exchange in which devices wait for each other, and the words that they share: see [`super::signals`].

use std::collections::HashMap;

use crate::gpu::Access::*;
use crate::gpu::{Buffer, ComputePipeline, GpuError, Queue, Recorder, Recording};
use crate::plan::Want;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::content::{Content, end};
use super::messages::Message;
use super::peers::stride;
use super::piece_blocks::{Direction, placed};
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

/// The recordings and argument blocks of the even or of the odd uses of a round.
pub struct Use {
    pub recordings: Signalled,
    /// Packing and unpacking, each with the addresses of the messages by rank.
    pieces: [(PlacedPieces, HashMap<usize, u64>); 2],
}

impl Use {
    /// Takes other pieces, of messages that leave and that arrive: see [`PlacedPieces::refill`].
    pub fn refill(&self, prepared: &Prepared, wants: &[Want], all: [&[Message]; 2]) -> Result<(), RunError> {
        for ((pieces, addresses), messages) in self.pieces.iter().zip(all) {
            pieces.refill(prepared, wants, placed(messages, addresses))?;
        }
        Ok(())
    }
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
    /// Even or odd uses.
    pub fn of_use(&self, half: usize) -> Result<Use, RunError> {
        let (incoming, outgoing) = (self.content.incoming, self.content.outgoing);
        let first = self.packed.address() + half as u64 * stride(end(outgoing));
        let to = outgoing
            .iter()
            .map(|message| (message.rank, first + message.first));
        let address = |source: &Source| source.buffer.address() + source.here[half];
        let from = self.sources.iter().map(|source| (source.rank, address(source)));
        let pack = self.place(outgoing, to.collect(), Direction::Pack)?;
        let unpack = self.place(incoming, from.collect(), Direction::Unpack)?;
        Ok(Use {
            recordings: Signalled {
                pack: self.packing(&pack.0)?,
                unpack: self.unpacking(&unpack.0)?,
            },
            pieces: [pack, unpack],
        })
    }

    fn place(
        &self,
        messages: &[Message],
        addresses: HashMap<usize, u64>,
        direction: Direction,
    ) -> Result<(PlacedPieces, HashMap<usize, u64>), RunError> {
        let pieces = placed(messages, &addresses);
        let to = (direction, self.words.address());
        let pieces = (self.movers).place(self.prepared, self.content.wants, pieces, to)?;
        Ok((pieces, addresses))
    }

    /// Packing, and the signal.
    fn packing(&self, pieces: &PlacedPieces) -> Result<Recording, RunError> {
        self.record(Direction::Pack.name(), |recorder| {
            recorder.hold(self.packed)?;
            recorder.barrier(&[ShaderWrite, TransferWrite], &[ShaderRead, ShaderWrite])?;
            pieces.dispatch(self.prepared, recorder)?;
            // Others see the signal after the messages.
            recorder.barrier(&[ShaderWrite], &[ShaderRead, ShaderWrite, HostRead])?;
            recorder.dispatch(self.post, self.words.address(), [1, 1, 1])
        })
    }

    /// The wait for messages, and unpacking. It needs no barrier: halos are free since the one before packing, and nothing between
    /// packing and this accesses them.
    fn unpacking(&self, pieces: &PlacedPieces) -> Result<Recording, RunError> {
        self.record(Direction::Unpack.name(), |recorder| {
            for source in self.sources {
                recorder.hold(&source.buffer)?;
            }
            pieces.dispatch(self.prepared, recorder)?;
            recorder.full_barrier();
            Ok(())
        })
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
