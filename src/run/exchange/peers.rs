//! Messages between NVIDIA devices of one host: each device copies what it receives from the memory of the senders.
//!
//! Vulkan shares no memory between devices, so CUDA makes these copies. The order of accesses holds as follows. A sender packs
//! its messages by a submission that ends with a full barrier, waits for it on the host, and only then sends the news. A
//! receiver starts its copies after the news, waits for them on the host, and only then submits the unpacking. Where devices
//! wait for each other ([`super::signals`]), the news is a word that a kernel writes after the packing and a barrier, and the
//! unpacking waits for a word that the host writes after the copies. NVIDIA's driver demands nothing else of memory that Vulkan
//! and CUDA share: all engines of a device, and its peers, access it through the cache of that device.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::gpu::{Buffer, CudaCopies, CudaCopy, CudaDevice, CudaMemory, Gpu};
use crate::ranks::{Failure, Ranks};
use crate::run::error::RunError;

use super::hand_over::hand_over;
use super::talk::Talk;

/// Switches these copies off if it is 0.
const SWITCH: &str = "SASTRUGI_PEER_COPIES";
/// The second half of the packed messages starts at a multiple of this.
const ALIGNMENT: u64 = 256;

/// False if the user has switched copies between devices off.
pub fn are_wanted() -> bool {
    std::env::var_os(SWITCH).is_none_or(|value| value != "0")
}

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
        let is_wanted = are_wanted() && peers.iter().any(|peer| talk.is_near(*peer));
        let own = is_wanted.then(|| Own::new(gpu, bytes)).flatten();
        let memory = own.as_ref().map(|own| &own.packed.1);
        let theirs = hand_over(&talk, memory, |file, bytes| {
            CudaMemory::open(&own.as_ref()?.device, &file, bytes)
        })?;
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
}
