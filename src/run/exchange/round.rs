//! One message between each two ranks: buffers and recorded copies.
//!
//! A kernel packs all messages into one buffer of the device. Devices of the same host copy them from there, if they can. If
//! not, they are copied into shared memory, from which the devices of other ranks copy them, or into mapped memory, from which
//! they are sent. The receiver does the reverse. Copies run on a queue of their own, so that kernels run meanwhile.

use std::ops::Range;
use std::time::Duration;

use crate::gpu::{Buffer, BufferKind, Gpu, Queue, Recording};
use crate::plan::Want;
use crate::ranks::Ranks;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::content::{Content, Peer, Way, end, place};
use super::copies::Copies;
use super::messages::{Between, Message};
use super::peers::{Arrival, Peers, stride};
use super::piece_blocks::Direction;
use super::pieces::{Movers, Moves};
use super::windows::Windows;

/// One message between each two ranks.
pub struct Round {
    peers: Vec<Peer>,
    /// Packed messages in mapped memory, and messages that were received, for ranks without a window.
    sent: Buffer,
    received: Buffer,
    /// For even and for odd uses of the round, as the following.
    pack: [Moves; 2],
    unpack: Moves,
    /// Copies of the messages out of the device and into it, by way of the host.
    copies_out: [Recording; 2],
    copies_in: [Recording; 2],
    /// Messages that are copied directly from other devices.
    arrivals: [Vec<Arrival>; 2],
    /// Number of uses so far.
    uses: u64,
    /// Packed messages and messages to unpack on the device, and the bytes between the halves of the former.
    packed: [Buffer; 2],
    stride: u64,
    /// The values of lanes when the last copies into the device and the last unpacking have ended.
    pub copied_in: u64,
    pub unpacked: u64,
    direct: Peers,
    /// Other ranks open its memory as long as it lives.
    _windows: Windows,
}

/// Agrees with the ranks `numbers` on the ways of messages. `bytes` are those of the messages that leave and that arrive.
fn ways(
    gpu: &Gpu,
    ranks: &Ranks,
    numbers: &[usize],
    bytes: [u64; 2],
    timeout: Duration,
) -> Result<(Peers, Windows), RunError> {
    let direct = Peers::open(gpu, ranks, numbers, bytes, timeout)?;
    let others: Vec<usize> = (numbers.iter().copied())
        .filter(|rank| !direct.has(*rank))
        .collect();
    let bytes = if others.is_empty() { 0 } else { 2 * bytes[0] };
    let windows = Windows::open(gpu, ranks, &others, bytes, timeout)?;
    Ok((direct, windows))
}

impl Round {
    /// Prepares a round. With `ranks`, messages on one host go through shared memory, and all ranks must call it.
    pub fn new(
        prepared: &Prepared,
        movers: &Movers,
        between: Between,
        content: &Content,
        ranks: Option<&Ranks>,
    ) -> Result<Round, RunError> {
        let gpu = &prepared.host.gpu;
        let (wants, numbers) = (content.wants, content.peers());
        let bytes = [end(content.outgoing), end(content.incoming)];
        let (direct, windows) = match ranks {
            Some(ranks) => ways(gpu, ranks, &numbers, bytes, prepared.options.exchange_timeout())?,
            None => Default::default(),
        };
        let peers: Vec<Peer> = (numbers.iter())
            .map(|rank| Peer {
                rank: *rank,
                to: place(content.outgoing, *rank),
                from: place(content.incoming, *rank),
                way: match rank {
                    rank if direct.has(*rank) => Way::Direct,
                    rank if windows.with(*rank).is_some() => Way::Window,
                    _ => Way::Message,
                },
            })
            .collect();
        let needed = |bytes: u64| {
            if peers.iter().all(Peer::is_shared) {
                0
            } else {
                bytes
            }
        };
        let [out, into] = match direct.buffers() {
            Some(buffers) => buffers.map(Buffer::clone),
            None => [
                gpu.buffer("packed halos", bytes[0], BufferKind::Device)?,
                gpu.buffer("halos to unpack", bytes[1], BufferKind::Device)?,
            ],
        };
        let sent = gpu.buffer("halos to send", needed(bytes[0]), BufferKind::Download)?;
        let received = gpu.buffer("received halos", needed(bytes[1]), BufferKind::Upload)?;
        let copies = Copies {
            prepared,
            between,
            content,
            peers: &peers,
            windows: &windows,
            // Without peers that copy directly, the packed messages of a use are gone before the next.
            stride: direct.buffers().map_or(0, |_| stride(bytes[0])),
        };
        let pack = |uses: u64| {
            let mut outgoing = content.outgoing.to_vec();
            (outgoing.iter_mut()).for_each(|message| message.first += uses * copies.stride);
            movers.record(prepared, wants, &outgoing, &out, Direction::Pack, Queue::Compute)
        };
        let unpack = |incoming: &[Message]| {
            movers.record(
                prepared,
                wants,
                incoming,
                &into,
                Direction::Unpack,
                Queue::Compute,
            )
        };
        Ok(Round {
            pack: [pack(0)?, pack(1)?],
            unpack: unpack(content.incoming)?,
            copies_out: [copies.outward(&out, &sent, 0)?, copies.outward(&out, &sent, 1)?],
            copies_in: [
                copies.inward(&received, &into, 0)?,
                copies.inward(&received, &into, 1)?,
            ],
            arrivals: [copies.arrivals(0), copies.arrivals(1)],
            sent,
            received,
            uses: 0,
            packed: [out.clone(), into.clone()],
            stride: copies.stride,
            copied_in: 0,
            unpacked: 0,
            peers,
            direct,
            _windows: windows,
        })
    }

    /// Takes other pieces for the next use. The messages must have the places and at most the bytes of those of the round.
    /// The last use must have ended.
    pub fn refill(
        &mut self,
        prepared: &Prepared,
        wants: &[Want],
        [outgoing, incoming]: [&[Message]; 2],
    ) -> Result<(), RunError> {
        let half = self.half();
        let [out, into] = &self.packed;
        let placed = |messages: &[Message], moved: u64, place: fn(&Peer) -> &Range<usize>| -> Vec<Message> {
            let found = |rank| self.peers.iter().find(|peer| peer.rank == rank);
            let messages = messages.iter().cloned();
            let placed = messages.filter_map(|message| {
                let first = place(found(message.rank)?).start as u64 + moved;
                Some(Message { first, ..message })
            });
            placed.collect()
        };
        let outgoing = placed(outgoing, half as u64 * self.stride, |peer| &peer.to);
        let incoming = placed(incoming, 0, |peer| &peer.from);
        self.pack[half].refill(prepared, wants, &outgoing, out)?;
        self.unpack.refill(prepared, wants, &incoming, into)
    }

    /// True if this rank sends something.
    pub fn sends(&self) -> bool {
        self.peers.iter().any(|peer| !peer.to.is_empty())
    }

    /// True if this rank receives something.
    pub fn receives(&self) -> bool {
        self.peers.iter().any(|peer| !peer.from.is_empty())
    }

    /// True if devices copy messages of this round directly: before [`Round::swap`], the packing must have ended, and the last
    /// unpacking.
    pub fn is_direct(&self) -> bool {
        self.direct.buffers().is_some()
    }

    /// The packing for this use of the round.
    pub fn pack(&self) -> &Recording {
        &self.pack[self.half()].recording
    }

    /// The unpacking.
    pub fn unpack(&self) -> &Recording {
        &self.unpack.recording
    }

    /// The copies out of the device for this use, if there are any.
    pub fn copies_out(&self) -> Option<&Recording> {
        let is_used = |peer: &Peer| peer.way != Way::Direct && !peer.to.is_empty();
        (self.peers.iter().any(is_used)).then(|| &self.copies_out[self.half()])
    }

    /// The copies into the device for this use, if there are any.
    pub fn copies_in(&self) -> Option<&Recording> {
        let is_used = |peer: &Peer| peer.way != Way::Direct && !peer.from.is_empty();
        (self.peers.iter().any(is_used)).then(|| &self.copies_in[self.half()])
    }

    /// Copies messages directly from other devices, and waits for the end.
    pub fn copy_directly(&self, timeout: Duration) -> Result<(), RunError> {
        self.direct.copy(&self.arrivals[self.half()], timeout)
    }

    fn half(&self) -> usize {
        (self.uses % 2) as usize
    }

    /// Exchanges the messages, whose copies out of the device have ended, with all ranks of the round. If the device of the
    /// receiver reads the message where it is, only the news travels that it is there.
    pub fn swap(
        &mut self,
        ranks: &Ranks,
        what: &str,
        digest: u64,
        timeout: Duration,
    ) -> Result<(), RunError> {
        let bytes = self.sent.bytes()?;
        let mut arrived: Vec<Vec<u8>> = (self.peers.iter())
            .map(|peer| vec![0; if peer.is_shared() { 0 } else { peer.from.len() }])
            .collect();
        let sends: Vec<(usize, &[u8])> = (self.peers.iter())
            .filter(|peer| peer.is_shared() || !peer.to.is_empty())
            .map(|peer| {
                let none = &bytes[..0];
                let content = if peer.is_shared() {
                    none
                } else {
                    &bytes[peer.to.clone()]
                };
                (peer.rank, content)
            })
            .collect();
        let mut receives: Vec<(usize, &mut [u8])> = (self.peers.iter().zip(&mut arrived))
            .filter(|(peer, _)| peer.is_shared() || !peer.from.is_empty())
            .map(|(peer, bytes)| (peer.rank, bytes.as_mut_slice()))
            .collect();
        ranks.exchange(what, digest, &sends, &mut receives, timeout)?;
        for (peer, bytes) in self
            .peers
            .iter()
            .zip(&arrived)
            .filter(|(_, bytes)| !bytes.is_empty())
        {
            self.received.write(peer.from.start as u64, bytes)?;
        }
        Ok(())
    }

    /// Notes that the round was used.
    pub fn used(&mut self, copied_in: u64, unpacked: u64) {
        self.uses += 1;
        (self.copied_in, self.unpacked) = (copied_in, unpacked);
    }
}
