//! Messages between NVIDIA devices of one host: each device copies what it receives from the memory of the senders.
//!
//! Vulkan shares no memory between devices, so CUDA makes these copies. The order of accesses holds as follows. A sender packs
//! its messages by a submission that ends with a full barrier, waits for it on the host, and only then sends the news. A
//! receiver starts its copies after the news, waits for them on the host, and only then submits the unpacking. NVIDIA's driver
//! demands nothing else of memory that Vulkan and CUDA share: all engines of a device, and its peers, access it through the cache
//! of that device.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::gpu::{Buffer, CudaCopies, CudaCopy, CudaDevice, CudaMemory, Gpu};
use crate::ranks::{ADDRESS_BYTES, Failure, Mailbox, Ranks};
use crate::run::error::RunError;

use super::talk::Talk;

/// Switches these copies off if it is 0.
const SWITCH: &str = "SASTRUGI_PEER_COPIES";
/// The second half of the packed messages starts at a multiple of this.
const ALIGNMENT: u64 = 256;
/// Bytes of a ticket: address of the mailbox for the handle of the memory, bytes of the memory. All zero if a rank does not take
/// part.
const TICKET_BYTES: usize = ADDRESS_BYTES + 8;

/// The memory of the messages of a round, as devices of one host see it.
#[derive(Default)]
pub struct Peers {
    /// The packed messages of other ranks.
    theirs: HashMap<usize, CudaMemory>,
    own: Option<Own>,
}

/// The memory of this rank for direct copies. The buffer of Vulkan and the mapping of CUDA each keep it allocated.
struct Own {
    /// Two halves with packed messages, used in turn.
    packed: (Buffer, CudaMemory),
    /// The messages to unpack.
    arrived: (Buffer, CudaMemory),
    copies: CudaCopies,
    device: Arc<CudaDevice>,
}

/// The messages of a peer: its rank, their place in its memory, and their first byte among those to unpack.
pub type Arrival = (usize, Range<u64>, u64);

impl Peers {
    /// Opens the memory of the ranks `peers` of this host. These ranks must call it as well, and all others with no peers. Both
    /// sides of a pair copy directly, or none. `bytes` are those of the messages that leave and of those that arrive.
    pub fn open(
        gpu: &Gpu,
        ranks: &Ranks,
        peers: &[usize],
        bytes: [u64; 2],
        timeout: Duration,
    ) -> Result<Peers, Failure> {
        let talk = Talk {
            what: "of memory of devices",
            ranks,
            peers,
            timeout,
        };
        let host = ranks.host(ranks.rank());
        let is_near = |peer: &usize| ranks.host(*peer) == host;
        let is_wanted =
            peers.iter().any(is_near) && std::env::var_os(SWITCH).is_none_or(|value| value != "0");
        let own = is_wanted.then(|| Own::new(gpu, bytes)).flatten();
        let mailboxes: Vec<Option<Mailbox>> = (peers.iter())
            .map(|peer| {
                own.as_ref()
                    .filter(|_| is_near(peer))
                    .and_then(|_| Mailbox::new())
            })
            .collect();
        let tickets: Vec<[u8; TICKET_BYTES]> = (mailboxes.iter())
            .map(|mailbox| ticket(own.as_ref(), mailbox.as_ref()))
            .collect();
        let answers = talk.swap(1, &tickets)?;
        let delivered: Vec<[u8; 1]> = (mailboxes.iter().zip(&answers))
            .map(|(mailbox, ticket)| match &own {
                Some(own) if mailbox.is_some() => [u8::from(own.deliver(ticket))],
                _ => [0],
            })
            .collect();
        // A rank reports a delivery after it has made it, so the file is in the mailbox now.
        let deliveries = talk.swap(2, &delivered)?;
        let mapped: Vec<Option<CudaMemory>> = (mailboxes.iter().zip(&answers).zip(deliveries))
            .map(|((mailbox, ticket), [is_there])| {
                let file = mailbox.as_ref().filter(|_| is_there != 0)?.take()?;
                CudaMemory::open(&own.as_ref()?.device, &file, bytes_in(ticket))
            })
            .collect();
        let agreed = talk.swap(3, &mapped.iter().map(flag).collect::<Vec<_>>())?;
        let theirs: HashMap<usize, CudaMemory> = (peers.iter().zip(mapped).zip(agreed))
            .filter_map(|((peer, memory), [agreed])| Some((*peer, memory.filter(|_| agreed != 0)?)))
            .collect();
        let own = own.filter(|_| !theirs.is_empty());
        Ok(Peers { theirs, own })
    }

    /// True if messages from and to a rank are copied directly.
    pub fn has(&self, rank: usize) -> bool {
        self.theirs.contains_key(&rank)
    }

    /// The buffers for packed messages (two halves) and for messages to unpack; `None` if nothing is copied directly.
    pub fn buffers(&self) -> Option<[&Buffer; 2]> {
        let own = self.own.as_ref()?;
        Some([&own.packed.0, &own.arrived.0])
    }

    /// Copies messages of peers, and waits for the end. The caller ensures that they are packed, and that the unpacking of the
    /// last ones has ended.
    pub fn copy(&self, arrivals: &[Arrival], timeout: Duration) -> Result<(), RunError> {
        let Some(own) = &self.own else { return Ok(()) };
        let copies: Vec<CudaCopy> = (arrivals.iter())
            .filter_map(|(rank, range, to_byte)| {
                Some(CudaCopy {
                    from: self.theirs.get(rank)?,
                    from_byte: range.start,
                    to: &own.arrived.1,
                    to_byte: *to_byte,
                    bytes: range.end - range.start,
                })
            })
            .collect();
        Ok(own.copies.run(&copies, timeout)?)
    }
}

/// Bytes between the starts of the halves of packed messages: they are used in turn, because a peer may still copy the
/// messages of the last use. It has copied those of the last but one: it sends the news of a use after the copies of the use
/// before.
pub fn stride(bytes: u64) -> u64 {
    bytes.next_multiple_of(ALIGNMENT)
}

impl Own {
    /// `None` if the device shares no memory with CUDA, or anything fails: a lack of memory too, because messages need less on
    /// another way.
    fn new(gpu: &Gpu, bytes: [u64; 2]) -> Option<Own> {
        let device = CudaDevice::open(gpu.uuid()?)?;
        let [out, into] = bytes.map(|bytes| stride(bytes.max(1)));
        let buffer = |name, bytes| {
            let memory = CudaMemory::new(&device, bytes)?;
            let buffer = gpu.import_from_cuda(name, bytes, &memory).ok().flatten()?;
            Some((buffer, memory))
        };
        Some(Own {
            packed: buffer("packed halos", 2 * out)?,
            arrived: buffer("halos to unpack", into)?,
            copies: CudaCopies::new(&device)?,
            device,
        })
    }

    /// Delivers the handle of the packed messages to the rank of a ticket. False if that is not possible.
    fn deliver(&self, ticket: &[u8; TICKET_BYTES]) -> bool {
        let address = ticket.first_chunk().filter(|_| bytes_in(ticket) > 0);
        let file = self.packed.1.file();
        (address.zip(file)).is_some_and(|(address, file)| Mailbox::deliver(address, &file))
    }
}

/// The ticket for another rank: the mailbox to which that rank delivers the handle of its memory, and the bytes of this one's.
fn ticket(own: Option<&Own>, mailbox: Option<&Mailbox>) -> [u8; TICKET_BYTES] {
    let mut ticket = [0; TICKET_BYTES];
    if let (Some(own), Some(mailbox)) = (own, mailbox) {
        let (address, bytes) = ticket.split_at_mut(ADDRESS_BYTES);
        address.copy_from_slice(&mailbox.address());
        bytes.copy_from_slice(&own.packed.1.bytes().to_le_bytes());
    }
    ticket
}

/// The bytes of the memory of a ticket.
fn bytes_in(ticket: &[u8; TICKET_BYTES]) -> u64 {
    let bytes = ticket.last_chunk().copied();
    bytes.map_or(0, u64::from_le_bytes)
}

/// A byte that says whether a rank has something.
fn flag<T>(of: &Option<T>) -> [u8; 1] {
    [u8::from(of.is_some())]
}
