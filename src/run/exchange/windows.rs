//! Messages between ranks of one host without copies on the host: each device writes its messages into memory that the
//! devices of the receivers read.
//!
//! NVIDIA devices keep what they read of memory that a process has mapped in their caches, so they see changes only in later
//! submissions. Memory of the host that CUDA allocates passes by these caches: kernels see there what other devices write
//! meanwhile (measured on two H200, driver 580).

use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use crate::gpu::{Buffer, CudaDevice, CudaMemory, DeviceKind, Gpu};
use crate::ranks::{Ranks, SharedMemory, TICKET_BYTES};
use crate::run::error::RunError;

use super::hand_over::hand_over;
use super::talk::Talk;

/// The shared memory of the messages of a round, as the devices see it.
#[derive(Default)]
pub struct Windows {
    /// The buffer of the memory of this rank, if other ranks open it.
    own: Option<Buffer>,
    /// Other ranks may open it as long as it lives.
    _shared: Option<SharedMemory>,
    /// The buffers with the messages of other ranks. Without one, messages are sent.
    theirs: HashMap<usize, Buffer>,
}

impl Windows {
    /// As [`Windows::open`], but kernels see what other devices write while they run. A pair of ranks on different hosts, or whose
    /// devices have no such memory, has no window.
    pub fn open_for_kernels(
        gpu: &Gpu,
        ranks: &Ranks,
        peers: &[usize],
        bytes: u64,
        timeout: Duration,
    ) -> Result<Windows, RunError> {
        if gpu.report().kind == DeviceKind::Cpu {
            return Windows::open(gpu, ranks, peers, bytes, timeout);
        }
        let talk = Talk {
            what: "of memory for kernels",
            ranks,
            peers,
            timeout,
        };
        let own = offered_by_cuda(gpu, bytes);
        let theirs = hand_over(&talk, own.as_ref().map(|(memory, _)| memory), |file, bytes| {
            gpu.import_file("halos of another rank", bytes, file, bytes)
                .ok()?
        })?;
        let own = own.map(|(_, buffer)| buffer);
        Ok(Windows {
            own,
            theirs,
            _shared: None,
        })
    }

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
        let mut theirs = Vec::new();
        for (peer, ticket) in peers.iter().zip(&tickets) {
            let near = talk.is_near(*peer) && own.is_some();
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
        let (shared, own) = own.unzip();
        Ok(Windows {
            own,
            theirs,
            _shared: shared,
        })
    }

    /// The buffer with the messages of this rank.
    pub fn own(&self) -> Option<&Buffer> {
        self.own.as_ref()
    }

    /// The buffers with the messages to and from a rank. `None` if messages are sent.
    pub fn with(&self, rank: usize) -> Option<(&Buffer, &Buffer)> {
        Some((self.own.as_ref()?, self.theirs.get(&rank)?))
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

/// Memory of CUDA for the messages of this rank, as a buffer; `None` if there is none.
fn offered_by_cuda(gpu: &Gpu, bytes: u64) -> Option<(CudaMemory, Buffer)> {
    if bytes == 0 {
        return None;
    }
    let memory = CudaMemory::on_host(&CudaDevice::open(gpu.uuid()?)?, bytes)?;
    let buffer = gpu
        .import_from_cuda("halos to other ranks", bytes, &memory)
        .ok()??;
    Some((memory, buffer))
}

/// A part of a buffer, moved to the half that the n-th use of a round takes: the halves alternate, because the receiver may
/// still read the messages of the last use.
pub fn half(range: &Range<usize>, bytes: u64, uses: u64) -> Range<u64> {
    let first = uses % 2 * bytes;
    first + range.start as u64..first + range.end as u64
}
