//! One message between each two ranks, for which their devices wait: see [`super::signals`].

use std::sync::Arc;

use crate::gpu::Access::*;
use crate::gpu::{Buffer, BufferKind, ComputePipeline, Gpu, GpuError, Queue, Recorder, Recording};
use crate::plan::Want;
use crate::ranks::Ranks;
use crate::run::built_in::built_in;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::content::{Content, end, place};
use super::messages::{self, Between, Message};
use super::peers::stride;
use super::pieces::{Direction, Movers, PlacedPieces};
use super::relay::{Inlet, Relay, Source};
use super::windows::{Windows, half};

/// The words of a round, by byte: the number of exchanges so far, of those whose messages have arrived, and one that ends all
/// waits; and then the argument blocks of both kernels.
const ARRIVED: u64 = 4;
const ENDED: u64 = 8;
const POST: u64 = 16;
const AWAIT: u64 = 32;
const WORDS_BYTES: u64 = 56;

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

/// The recordings of an exchange, in the order of their submission.
pub struct SignalRound {
    /// For even and for odd uses: packing and the signal; the wait and unpacking. `None` if this rank exchanges nothing.
    leaving: [Option<Recording>; 2],
    arriving: [Option<Recording>; 2],
    uses: u32,
    words: Buffer,
    inlet: Arc<Inlet>,
    /// Other ranks open its memory as long as it lives.
    _windows: Windows,
}

/// True if each rank sends at most `limit` bytes, in one round. Equal on all ranks.
pub fn are_small(between: Between, wants: &[Want], limit: u64) -> bool {
    let ranks = 0..between.partition.ranks();
    ranks.into_iter().all(|rank| {
        let rounds = messages::from(Between { rank, ..between }, wants);
        rounds.len() <= 1 && rounds.iter().all(|messages| end(messages) <= limit)
    })
}

impl SignalRound {
    /// Prepares an exchange with one round. `None` if ranks lack memory that all their devices map. All ranks must call it.
    pub fn new(
        prepared: &Prepared,
        movers: &Movers,
        kernels: &SignalKernels,
        between: Between,
        content: &Content,
        ranks: &Ranks,
    ) -> Result<Option<SignalRound>, RunError> {
        let (peers, timeout) = (content.peers(), prepared.options.exchange_timeout());
        let signal = signal_of(content.outgoing);
        let bytes = if peers.is_empty() { 0 } else { signal + 4 };
        let windows = Windows::open(&prepared.host.gpu, ranks, &peers, bytes, timeout)?;
        let works = peers.iter().all(|rank| windows.with(*rank).is_some());
        let answers = ranks.gather("of windows", &[u8::from(works)], timeout)?;
        if answers.iter().any(|answer| answer != &[1]) {
            return Ok(None);
        }
        let gpu = &prepared.host.gpu;
        let words = gpu.buffer("words of signals", WORDS_BYTES, BufferKind::Upload)?;
        let arrived = 2 * stride(end(content.incoming));
        let arrived = gpu.buffer("arrived halos", arrived, BufferKind::Upload)?;
        let parts = Parts {
            prepared,
            movers,
            kernels,
            content,
            window: peers.first().and_then(|peer| Some(windows.with(*peer)?.0)),
            words: &words,
            arrived: &arrived,
        };
        parts.write_words()?;
        let sources = peers
            .iter()
            .filter_map(|peer| source(*peer, between, content, &windows));
        Ok(Some(SignalRound {
            leaving: [parts.leaving(0)?, parts.leaving(1)?],
            arriving: [parts.arriving(0)?, parts.arriving(1)?],
            uses: 0,
            inlet: Arc::new(Inlet {
                sources: sources.collect(),
                arrived: arrived.clone(),
                word: (words.clone(), ARRIVED),
            }),
            words,
            _windows: windows,
        }))
    }

    /// The recordings of the next use, before and after what may run while messages travel.
    pub fn take(&mut self, relay: &Relay) -> [Option<Recording>; 2] {
        self.uses = self.uses.wrapping_add(1);
        relay.expect(&self.inlet, self.uses);
        let half = (self.uses % 2) as usize;
        [self.leaving[half].clone(), self.arriving[half].clone()]
    }

    /// Ends all waits of the device, of this use and of later ones.
    pub fn end(&self) {
        // A device that is lost waits for nothing.
        let _ = self.words.write(ENDED, &1u32.to_le_bytes());
    }

    #[cfg(feature = "internals")]
    pub fn uses(&self) -> u64 {
        self.uses.into()
    }
}

/// The place of the signal in a window, after both halves of messages.
fn signal_of(outgoing: &[Message]) -> u64 {
    2 * stride(end(outgoing))
}

/// Where the thread of this rank finds the messages of another rank, and its signal.
fn source(rank: usize, between: Between, content: &Content, windows: &Windows) -> Option<Source> {
    let rounds = messages::from(Between { rank, ..between }, content.wants);
    let sent = rounds.into_iter().next().unwrap_or_default();
    let (theirs, own) = (place(&sent, between.rank), place(content.incoming, rank));
    let messages = [0, 1].map(|uses| {
        let first = half(&own, stride(end(content.incoming)), uses).start;
        (half(&theirs, stride(end(&sent)), uses), first)
    });
    Some(Source {
        window: windows.with(rank)?.1.clone(),
        signal: signal_of(&sent),
        messages,
    })
}

/// The parts of which the recordings of a round consist.
struct Parts<'a> {
    prepared: &'a Prepared,
    movers: &'a Movers,
    kernels: &'a SignalKernels,
    content: &'a Content<'a>,
    /// The window of this rank; `None` if it exchanges nothing.
    window: Option<&'a Buffer>,
    words: &'a Buffer,
    arrived: &'a Buffer,
}

impl Parts<'_> {
    /// Writes the words, and the argument blocks of the kernels.
    fn write_words(&self) -> Result<(), RunError> {
        let own = self.words.address();
        let signal = self.window.map_or(0, Buffer::address) + signal_of(self.content.outgoing);
        let mut bytes = vec![0; POST as usize];
        for address in [own, signal, own, own + ARRIVED, own + ENDED] {
            bytes.extend(address.to_le_bytes());
        }
        Ok(self.words.write(0, &bytes)?)
    }

    /// Packing, and the signal.
    fn leaving(&self, half: u64) -> Result<Option<Recording>, RunError> {
        let Some(window) = self.window else {
            return Ok(None);
        };
        let pack = self.moves(self.content.outgoing, half, (window, Direction::Pack))?;
        self.record(Direction::Pack, |recorder| {
            recorder.hold(window)?;
            recorder.barrier(&[ShaderWrite, TransferWrite], &[ShaderRead])?;
            self.movers.dispatch(self.prepared, recorder, &pack)?;
            // The thread of the receiver sees the signal after the messages.
            recorder.barrier(&[ShaderWrite], &[ShaderRead, ShaderWrite, HostRead])?;
            recorder.dispatch(&self.kernels.post, self.words.address() + POST, [1, 1, 1])
        })
    }

    /// The wait for messages, and unpacking.
    fn arriving(&self, half: u64) -> Result<Option<Recording>, RunError> {
        if self.window.is_none() {
            return Ok(None);
        }
        let unpack = self.moves(self.content.incoming, half, (self.arrived, Direction::Unpack))?;
        self.record(Direction::Unpack, |recorder| {
            recorder.hold(self.arrived)?;
            let shader = [ShaderRead, ShaderWrite];
            recorder.barrier(&shader, &shader)?;
            recorder.dispatch(&self.kernels.wait, self.words.address() + AWAIT, [1, 1, 1])?;
            recorder.barrier(&[ShaderRead, ShaderWrite, TransferRead, TransferWrite], &shader)?;
            self.movers.dispatch(self.prepared, recorder, &unpack)?;
            recorder.full_barrier();
            Ok(())
        })
    }

    /// The copies between fields and a half of a buffer of messages.
    fn moves(
        &self,
        messages: &[Message],
        half: u64,
        to: (&Buffer, Direction),
    ) -> Result<PlacedPieces, RunError> {
        let mut messages = messages.to_vec();
        let first = half * stride(end(&messages));
        messages.iter_mut().for_each(|message| message.first += first);
        self.movers
            .place(self.prepared, self.content.wants, &messages, to)
    }

    /// A recording with what the kernels access.
    fn record(
        &self,
        direction: Direction,
        commands: impl FnOnce(&mut Recorder) -> Result<(), GpuError>,
    ) -> Result<Option<Recording>, RunError> {
        let gpu = &self.prepared.host.gpu;
        let recorded = gpu.record(direction.name(), Queue::Compute, |recorder| {
            recorder.hold(self.words)?;
            commands(recorder)
        });
        Ok(Some(recorded?))
    }
}
