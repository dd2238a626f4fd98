//! One message between each two ranks, for which their devices wait: see [`super::signals`].

use crate::gpu::{Buffer, BufferKind, ComputePipeline, Gpu, Queue, Recording};
use crate::plan::Want;
use crate::ranks::Ranks;
use crate::run::built_in::built_in;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::content::{Content, end, place};
use super::messages::{self, Between, Message};
use super::peers::stride;
use super::pieces::{Direction, Movers};
use super::windows::{Windows, half};

/// Words of a round, in bytes from the first, which is the number of exchanges: one that ends all waits, and the argument blocks
/// of both kernels.
const ENDED: u64 = 4;
const POST: u64 = 8;
const AWAIT: u64 = 24;

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
    /// For even and for odd uses: packing and the signal; the wait and unpacking.
    leaving: [Vec<Recording>; 2],
    arriving: [Vec<Recording>; 2],
    uses: usize,
    words: Buffer,
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
        let length = AWAIT + 24 + 8 * peers.len() as u64;
        let words = prepared.host.gpu.buffer("words of signals", length, BufferKind::Upload)?;
        let parts = Parts {
            prepared,
            movers,
            kernels,
            between,
            content,
            peers: &peers,
            windows: &windows,
            words: &words,
        };
        parts.write_words()?;
        Ok(Some(SignalRound {
            leaving: [parts.leaving(0)?, parts.leaving(1)?],
            arriving: [parts.arriving(0)?, parts.arriving(1)?],
            uses: 0,
            words,
            _windows: windows,
        }))
    }

    /// The recordings of the next use, before and after what may run while messages travel.
    pub fn take(&mut self) -> [Vec<Recording>; 2] {
        let half = self.uses % 2;
        self.uses += 1;
        [self.leaving[half].clone(), self.arriving[half].clone()]
    }

    #[cfg(feature = "internals")]
    pub fn uses(&self) -> u64 {
        self.uses as u64
    }

    /// Ends all waits of the device, of this use and of later ones.
    pub fn end(&self) {
        // A device that is lost waits for nothing.
        let _ = self.words.write(ENDED, &1u32.to_le_bytes());
    }
}

/// The place of the signal in a window, after both halves of messages.
fn signal_of(outgoing: &[Message]) -> u64 {
    2 * stride(end(outgoing))
}

/// What the recordings of a round are made of.
struct Parts<'a> {
    prepared: &'a Prepared,
    movers: &'a Movers,
    kernels: &'a SignalKernels,
    between: Between<'a>,
    content: &'a Content<'a>,
    peers: &'a [usize],
    windows: &'a Windows,
    words: &'a Buffer,
}

impl Parts<'_> {
    /// Writes the words of the kernels, and their argument blocks.
    fn write_words(&self) -> Result<(), RunError> {
        let own = self.words.address();
        let signal = match self.peers.first().and_then(|peer| self.windows.with(*peer)) {
            Some((window, _)) => window.address() + signal_of(self.content.outgoing),
            None => 0,
        };
        let mut bytes = vec![0; POST as usize];
        for address in [own, signal, own, own + ENDED, self.peers.len() as u64] {
            bytes.extend(address.to_le_bytes());
        }
        for peer in self.peers {
            let theirs = self.windows.with(*peer).map_or(0, |(_, theirs)| theirs.address());
            bytes.extend((theirs + signal_of(&self.sent_by(*peer))).to_le_bytes());
        }
        Ok(self.words.write(0, &bytes)?)
    }

    /// Packing, and the signal.
    fn leaving(&self, half: u64) -> Result<Vec<Recording>, RunError> {
        let Some((window, _)) = self.peers.first().and_then(|peer| self.windows.with(*peer)) else {
            return Ok(Vec::new());
        };
        let mut messages = self.content.outgoing.to_vec();
        let first = half * stride(end(&messages));
        messages.iter_mut().for_each(|message| message.first += first);
        let post = self.kernel("post signal", &self.kernels.post, POST, &[window])?;
        if messages.is_empty() {
            return Ok(vec![post]);
        }
        Ok(vec![self.moves(&messages, window, Direction::Pack)?, post])
    }

    /// The wait for signals, and unpacking.
    fn arriving(&self, uses: u64) -> Result<Vec<Recording>, RunError> {
        let windows: Vec<(usize, &Buffer)> = (self.peers.iter())
            .filter_map(|peer| Some((*peer, self.windows.with(*peer)?.1)))
            .collect();
        if windows.is_empty() {
            return Ok(Vec::new());
        }
        let theirs: Vec<&Buffer> = windows.iter().map(|(_, window)| *window).collect();
        let mut recordings = vec![self.kernel("await signals", &self.kernels.wait, AWAIT, &theirs)?];
        for (peer, window) in windows {
            let incoming = self.content.incoming.iter();
            let mut messages: Vec<Message> = incoming.filter(|message| message.rank == peer).cloned().collect();
            let sent = self.sent_by(peer);
            let range = place(&sent, self.between.rank);
            let first = half(&range, stride(end(&sent)), uses).start;
            messages.iter_mut().for_each(|message| message.first = first);
            if !messages.is_empty() {
                recordings.push(self.moves(&messages, window, Direction::Unpack)?);
            }
        }
        Ok(recordings)
    }

    /// The messages that another rank sends.
    fn sent_by(&self, rank: usize) -> Vec<Message> {
        let theirs = Between { rank, ..self.between };
        messages::from(theirs, self.content.wants).into_iter().next().unwrap_or_default()
    }

    fn moves(&self, messages: &[Message], window: &Buffer, direction: Direction) -> Result<Recording, RunError> {
        let moves = (self.movers).record(self.prepared, self.content.wants, messages, window, direction)?;
        Ok(moves.recording)
    }

    /// One workgroup of a kernel, with its argument block among the words, after all before it.
    fn kernel(
        &self,
        name: &str,
        kernel: &ComputePipeline,
        block: u64,
        windows: &[&Buffer],
    ) -> Result<Recording, RunError> {
        let recorded = self.prepared.host.gpu.record(name, Queue::Compute, |recorder| {
            recorder.hold(self.words)?;
            windows.iter().try_for_each(|window| recorder.hold(window))?;
            recorder.full_barrier();
            recorder.dispatch(kernel, self.words.address() + block, [1, 1, 1])?;
            recorder.full_barrier();
            Ok(())
        });
        Ok(recorded?)
    }
}
