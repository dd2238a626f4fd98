//! Messages between ranks of one host without copies on the host: each device writes its messages into memory that the
//! devices of the receivers read.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use crate::gpu::{Buffer, Gpu};
use crate::ranks::{Ranks, SharedMemory, TICKET_BYTES};
use crate::run::error::RunError;

use super::talk::Talk;

/// The shared memory of the messages of a round, as the devices see it.
#[derive(Default)]
pub struct Windows {
    /// The memory of this rank, if other ranks open it, and its buffer.
    own: Option<(SharedMemory, Buffer)>,
    /// The buffers with the messages of other ranks. Without one, messages are sent.
    theirs: HashMap<usize, Buffer>,
}

impl Windows {
    /// Offers `bytes` bytes to the ranks `peers`, and opens what they offer. These ranks must call it as well, and all others
    /// with no peers. Both sides use a window, or none: a pair of ranks without one sends messages.
    pub fn open(
        gpu: &Gpu,
        ranks: &Ranks,
        peers: &[usize],
        bytes: u64,
        timeout: Duration,
    ) -> Result<Windows, RunError> {
        let talk = Talk {
            what: "of shared memory",
            ranks,
            peers,
            timeout,
        };
        let own = offered(gpu, bytes)?;
        let ticket = own
            .as_ref()
            .map_or([0; TICKET_BYTES], |(memory, _)| memory.ticket());
        let tickets: Vec<[u8; TICKET_BYTES]> = talk.swap(1, &vec![ticket; peers.len()])?;
        let host = ranks.host(ranks.rank());
        let mut theirs = Vec::new();
        for (peer, ticket) in peers.iter().zip(&tickets) {
            let near = ranks.host(*peer) == host && own.is_some();
            let map = near.then(|| SharedMemory::open(ticket)).flatten();
            theirs.push(match map {
                Some(map) => gpu.import("halos of another rank", &map)?,
                None => None,
            });
        }
        let opened: Vec<[u8; 1]> = theirs.iter().map(|of| [u8::from(of.is_some())]).collect();
        let answers = talk.swap(2, &opened)?;
        let theirs = (peers.iter().zip(theirs).zip(answers))
            .filter_map(|((peer, buffer), [answer])| Some((*peer, buffer.filter(|_| answer != 0)?)))
            .collect();
        Ok(Windows { own, theirs })
    }

    /// The buffers with the messages to and from a rank. `None` if messages are sent.
    pub fn with(&self, rank: usize) -> Option<(&Buffer, &Buffer)> {
        let (_, own) = self.own.as_ref()?;
        Some((own, self.theirs.get(&rank)?))
    }
}

/// Memory for the messages of this rank, as a buffer; `None` if the system or the device has no such memory.
fn offered(gpu: &Gpu, bytes: u64) -> Result<Option<(SharedMemory, Buffer)>, RunError> {
    if bytes == 0 {
        return Ok(None);
    }
    let Ok(memory) = SharedMemory::new(bytes) else {
        return Ok(None);
    };
    let buffer = gpu.import("halos to other ranks", &memory.map)?;
    Ok(buffer.map(|buffer| (memory, buffer)))
}

/// A part of a buffer, moved to the half that the n-th use of a round takes: the halves alternate, because the receiver may
/// still read the messages of the last use.
pub fn half(range: &Range<usize>, bytes: u64, uses: u64) -> Range<u64> {
    let first = uses % 2 * bytes;
    first + range.start as u64..first + range.end as u64
}
