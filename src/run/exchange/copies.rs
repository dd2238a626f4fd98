//! The recorded copies of messages between a device and the memory from which they travel.

use std::ops::Range;

use crate::gpu::{Buffer, Queue, Recording};
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::content::{Content, Peer, Way, end, place};
use super::messages::{self, Between};
use super::peers::{Arrival, stride};
use super::windows::{Windows, half};

/// Records copies between the device and the memory of messages.
pub struct Copies<'a> {
    pub prepared: &'a Prepared,
    pub between: Between<'a>,
    pub content: &'a Content<'a>,
    pub peers: &'a [Peer],
    pub windows: &'a Windows,
    /// Bytes between the halves of packed messages.
    pub stride: u64,
}

/// A range of bytes in one buffer, and its first byte in another.
type Copy<'a> = (&'a Buffer, Range<u64>, &'a Buffer, u64);

impl Copies<'_> {
    /// From the packed messages to where other ranks find them.
    pub fn outward(&self, packed: &Buffer, sent: &Buffer, uses: u64) -> Result<Recording, RunError> {
        let all = end(self.content.outgoing);
        let copies = self.staged().map(|peer| {
            let range = half(&peer.to, self.stride, uses);
            match self.windows.with(peer.rank) {
                Some((own, _)) => (packed, range, own, half(&peer.to, all, uses).start),
                None => (packed, range, sent, peer.to.start as u64),
            }
        });
        self.record("copy halos out", copies.collect())
    }

    /// From where the messages of other ranks are to the buffer from which they are unpacked.
    pub fn inward(&self, received: &Buffer, arrived: &Buffer, uses: u64) -> Result<Recording, RunError> {
        let copies = self.staged().map(|peer| {
            let first = peer.from.start as u64;
            match self.windows.with(peer.rank) {
                Some((_, theirs)) => {
                    let (range, all) = self.sent_by(peer.rank);
                    (theirs, half(&range, all, uses), arrived, first)
                }
                None => (received, first..peer.from.end as u64, arrived, first),
            }
        });
        self.record("copy halos in", copies.collect())
    }

    /// The messages that are copied directly from other devices.
    pub fn arrivals(&self, uses: u64) -> Vec<Arrival> {
        let direct = self.peers.iter().filter(|peer| peer.way == Way::Direct);
        direct
            .map(|peer| {
                let (range, all) = self.sent_by(peer.rank);
                (peer.rank, half(&range, stride(all), uses), peer.from.start as u64)
            })
            .collect()
    }

    /// The other ranks whose messages pass through the memory of the host.
    fn staged(&self) -> impl Iterator<Item = &Peer> {
        self.peers.iter().filter(|peer| peer.way != Way::Direct)
    }

    /// The place of the message to this rank among the messages of another rank, and the bytes of all of them.
    fn sent_by(&self, rank: usize) -> (Range<usize>, u64) {
        let theirs = Between { rank, ..self.between };
        let rounds = messages::from(theirs, self.content.wants);
        let of_round = rounds.get(self.content.number).map_or(&[][..], Vec::as_slice);
        (place(of_round, self.between.rank), end(of_round))
    }

    fn record(&self, name: &str, copies: Vec<Copy>) -> Result<Recording, RunError> {
        let gpu = &self.prepared.host.gpu;
        let recorded = gpu.record(name, Queue::Transfer, |recorder| {
            for (from, range, to, at) in copies {
                recorder.copy(from, range.start, to, at, range.end - range.start)?;
            }
            recorder.full_barrier();
            Ok(())
        });
        Ok(recorded?)
    }
}
