//! The recordings of an exchange in which devices wait for each other, and the words that they share: see [`super::signals`].

use crate::gpu::Access::*;
use crate::gpu::{Buffer, ComputePipeline, Gpu, GpuError, Queue, Recorder, Recording};
use crate::run::built_in::built_in;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::content::{Content, end};
use super::messages::Message;
use super::peers::stride;
use super::pieces::{Direction, Movers, PlacedPieces};
use super::signal_ways::Source;

/// The words of a round, by byte: the number of exchanges so far, of those whose messages were copied, and one that ends all
/// waits; and then the argument blocks of both kernels.
pub const COPIED: u64 = 4;
pub const ENDED: u64 = 8;
const POST: u64 = 16;
const AWAIT: u64 = 32;

/// The kernels that write and await signals.
pub struct SignalKernels {
    post: ComputePipeline,
    wait: ComputePipeline,
}

impl SignalKernels {
    pub fn new(gpu: &Gpu) -> Result<SignalKernels, RunError> {
        Ok(SignalKernels {
            post: built_in(gpu, "post_signal", include_bytes!("../post_signal.comp"))?,
            wait: built_in(gpu, "await_signals", include_bytes!("../await_signals.comp"))?,
        })
    }
}

/// The bytes of the words of a round that awaits `signals`.
pub fn words_bytes(signals: usize) -> u64 {
    AWAIT + 24 + 8 * signals as u64
}

/// The words of a round at an address, with those of the own signal and of those to await.
pub fn words(at: u64, signal: u64, awaited: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; POST as usize];
    let post = [at, signal];
    let wait = [at, at + ENDED, awaited.len() as u64];
    for word in post.iter().chain(&wait).chain(awaited) {
        bytes.extend(word.to_le_bytes());
    }
    bytes
}

/// The recordings of an exchange, in the order of their submission.
#[derive(Clone)]
pub struct Signalled {
    /// Packing, and the signal.
    pub pack: Recording,
    pub wait: Recording,
    pub unpack: Recording,
}

/// The input of the recordings of a round.
pub struct Parts<'a> {
    pub prepared: &'a Prepared,
    pub movers: &'a Movers,
    pub kernels: &'a SignalKernels,
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
            wait: self.waiting()?,
            unpack: self.unpacking(half)?,
        })
    }

    /// Packing, and the signal.
    fn packing(&self, half: u64) -> Result<Recording, RunError> {
        let mut messages = self.content.outgoing.to_vec();
        let first = half * stride(end(&messages));
        messages.iter_mut().for_each(|message| message.first += first);
        let pack = self.moves(&messages, (self.packed, Direction::Pack))?;
        self.record(Direction::Pack.name(), |recorder| {
            recorder.hold(self.packed)?;
            recorder.barrier(&[ShaderWrite, TransferWrite], &[ShaderRead, ShaderWrite])?;
            self.movers.dispatch(self.prepared, recorder, &pack)?;
            // Others see the signal after the messages.
            recorder.barrier(&[ShaderWrite], &[ShaderRead, ShaderWrite, HostRead])?;
            recorder.dispatch(&self.kernels.post, self.words.address() + POST, [1, 1, 1])
        })
    }

    /// The wait for messages.
    fn waiting(&self) -> Result<Recording, RunError> {
        self.record("wait for halos", |recorder| {
            let shader = [ShaderRead, ShaderWrite];
            recorder.barrier(&shader, &shader)?;
            recorder.dispatch(&self.kernels.wait, self.words.address() + AWAIT, [1, 1, 1])
        })
    }

    fn unpacking(&self, half: usize) -> Result<Recording, RunError> {
        let of_source = |source: &Source| {
            let of_rank = |message: &&Message| message.rank == source.rank;
            let messages = self.content.incoming.iter().filter(of_rank);
            let first = source.here[half];
            let messages: Vec<Message> = messages
                .map(|message| Message {
                    first,
                    ..message.clone()
                })
                .collect();
            self.moves(&messages, (&source.buffer, Direction::Unpack))
        };
        let unpack: Vec<PlacedPieces> = self.sources.iter().map(of_source).collect::<Result<_, _>>()?;
        self.record(Direction::Unpack.name(), |recorder| {
            let all = [ShaderRead, ShaderWrite, TransferRead, TransferWrite];
            recorder.barrier(&all, &[ShaderRead, ShaderWrite])?;
            for (source, pieces) in self.sources.iter().zip(&unpack) {
                recorder.hold(&source.buffer)?;
                self.movers.dispatch(self.prepared, recorder, pieces)?;
            }
            recorder.full_barrier();
            Ok(())
        })
    }

    /// The copies between fields and a buffer of messages.
    fn moves(&self, messages: &[Message], to: (&Buffer, Direction)) -> Result<PlacedPieces, RunError> {
        self.movers.place(self.prepared, self.content.wants, messages, to)
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
