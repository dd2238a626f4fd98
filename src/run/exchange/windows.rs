//! Messages between ranks of one host without copies on the host: each device writes its messages into memory that the
//! devices of the receivers read.

use std::ops::Range;
use std::time::Duration;

use crate::gpu::{Buffer, Gpu};
use crate::ranks::{Failure, Ranks, SharedMemory, TICKET_BYTES};
use crate::run::error::RunError;

/// The shared memory of the messages of a round, as the devices see it.
#[derive(Default)]
pub struct Windows {
    /// The memory of this rank, if other ranks open it, and its buffer.
    own: Option<(SharedMemory, Buffer)>,
    /// By number among the other ranks: the buffer with the messages of that rank. Without one, messages are sent.
    theirs: Vec<Option<Buffer>>,
}

/// An agreement with the other ranks of a round.
struct Talk<'a> {
    ranks: &'a Ranks,
    peers: &'a [usize],
    timeout: Duration,
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
        for (of, [answer]) in theirs.iter_mut().zip(answers) {
            if answer == 0 {
                *of = None;
            }
        }
        Ok(Windows { own, theirs })
    }

    /// The buffers with the messages to and from a rank, by its number among the others. `None` if messages are sent.
    pub fn with(&self, number: usize) -> Option<(&Buffer, &Buffer)> {
        let (_, own) = self.own.as_ref()?;
        Some((own, self.theirs.get(number)?.as_ref()?))
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

impl Talk<'_> {
    /// Sends each of the other ranks its bytes, and returns what they send.
    fn swap<const N: usize>(&self, digest: u64, own: &[[u8; N]]) -> Result<Vec<[u8; N]>, Failure> {
        let mut all = vec![[0; N]; self.peers.len()];
        let sends: Vec<(usize, &[u8])> = (self.peers.iter().zip(own))
            .map(|(to, bytes)| (*to, &bytes[..]))
            .collect();
        let mut receives: Vec<(usize, &mut [u8])> = (self.peers.iter().zip(&mut all))
            .map(|(from, bytes)| (*from, &mut bytes[..]))
            .collect();
        (self.ranks).exchange("of shared memory", digest, &sends, &mut receives, self.timeout)?;
        Ok(all)
    }
}

/// A part of a buffer, moved to the half that the n-th use of a round takes: the halves alternate, because the receiver may
/// still read the messages of the last use.
pub fn half(range: &Range<usize>, bytes: u64, uses: u64) -> Range<u64> {
    let first = uses % 2 * bytes;
    first + range.start as u64..first + range.end as u64
}
