//! The planes of cells of particles that are sorted by cell: where each begins, and how far particles have moved.

use crate::gpu::{Buffer, BufferKind, ComputePipeline, Queue, Recorder, Recording};
use crate::ir::{CutSet, Held};

use super::built_in::built_in;
use super::error::RunError;
use super::host::Host;

/// Bytes of an argument block, with padding.
const BLOCK_BYTES: u64 = 64;
/// Particles of a workgroup, and the largest number of workgroups along x.
const GROUP: u64 = 256;
const MAX_ACROSS: u64 = 1 << 15;

/// The planes of a set on a device.
pub struct Planes {
    find: ComputePipeline,
    drift: ComputePipeline,
    blocks: Buffer,
    /// The first particle of each plane, and the end: after the last sort, and after the one before it.
    now: Buffer,
    before: Buffer,
    farthest: Buffer,
    /// What the host reads of `now` and `farthest`.
    read: Buffer,
    has_before: bool,
    kept: Option<Recording>,
    plane: u64,
    count: u64,
}

impl Planes {
    pub fn new(host: &Host, set: &CutSet) -> Result<Planes, RunError> {
        let gpu = &host.gpu;
        let count = set.planes + 1;
        let words = |name, count: u64, kind| gpu.buffer(name, 4 * count, kind);
        Ok(Planes {
            find: built_in(gpu, "find_planes", include_bytes!("find_planes.comp"))?,
            drift: built_in(gpu, "find_drift", include_bytes!("find_drift.comp"))?,
            blocks: gpu.buffer("planes of particles", 2 * BLOCK_BYTES, BufferKind::Upload)?,
            now: words("planes now", count, BufferKind::Device)?,
            before: words("planes before", count, BufferKind::Device)?,
            farthest: words("farthest drift", 1, BufferKind::Device)?,
            read: words("planes to read", count + 1, BufferKind::Download)?,
            has_before: false,
            kept: None,
            plane: set.plane,
            count,
        })
    }

    /// The first particle of each plane after a sort, and the end; and the largest number of planes that a particle has
    /// crossed since the sort before, 0 at the first sort.
    pub fn find(
        &self,
        host: &Host,
        [keys, order]: [&Buffer; 2],
        held: Held,
    ) -> Result<(Vec<u32>, u32), RunError> {
        self.write_find(keys, &self.now, held)?;
        let addresses = [order, &self.before, &self.now, &self.farthest].map(Buffer::address);
        let words = [held.first as u32, held.end as u32, self.count as u32];
        self.blocks.write(BLOCK_BYTES, &block(&addresses, &words))?;
        let groups = (held.end - held.first).div_ceil(GROUP);
        let across = groups.clamp(1, MAX_ACROSS);
        host.run_once("find planes", |recorder| {
            self.hold(recorder, &[keys, order])?;
            recorder.fill(&self.farthest, 0)?;
            recorder.dispatch(&self.find, self.blocks.address(), self.groups())?;
            recorder.full_barrier();
            if self.has_before && groups > 0 {
                let groups = [across as u32, groups.div_ceil(across) as u32, 1];
                recorder.dispatch(&self.drift, self.blocks.address() + BLOCK_BYTES, groups)?;
                recorder.full_barrier();
            }
            recorder.copy(&self.now, 0, &self.read, 0, 4 * self.count)?;
            recorder.copy(&self.farthest, 0, &self.read, 4 * self.count, 4)
        })?;
        let bytes = self.read.bytes()?;
        let mut words: Vec<u32> = (bytes.chunks_exact(4))
            .map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()))
            .collect();
        let drift = words.pop().unwrap_or(0);
        Ok((words, drift))
    }

    /// Records what keeps the planes of the particles that this rank has now, for the next sort. The last one must have ended.
    pub fn keep(&mut self, host: &Host, keys: &Buffer, held: Held) -> Result<&Recording, RunError> {
        self.write_find(keys, &self.before, held)?;
        let recording = host.gpu.record("keep planes", Queue::Compute, |recorder| {
            self.hold(recorder, &[keys])?;
            recorder.full_barrier();
            recorder.dispatch(&self.find, self.blocks.address(), self.groups())?;
            recorder.full_barrier();
            Ok(())
        })?;
        self.has_before = true;
        Ok(self.kept.insert(recording))
    }

    fn write_find(&self, keys: &Buffer, into: &Buffer, held: Held) -> Result<(), RunError> {
        let plane = [self.plane as u32, (self.plane >> 32) as u32];
        let words = [
            held.first as u32,
            held.end as u32,
            plane[0],
            plane[1],
            self.count as u32,
        ];
        Ok(self
            .blocks
            .write(0, &block(&[keys.address(), into.address()], &words))?)
    }

    fn groups(&self) -> [u32; 3] {
        [self.count.div_ceil(64) as u32, 1, 1]
    }

    fn hold(&self, recorder: &mut Recorder, buffers: &[&Buffer]) -> Result<(), crate::gpu::GpuError> {
        let own = [&self.blocks, &self.now, &self.before, &self.farthest];
        own.iter()
            .chain(buffers)
            .try_for_each(|buffer| recorder.hold(buffer))
    }
}

/// An argument block: addresses, then words.
fn block(addresses: &[u64], words: &[u32]) -> Vec<u8> {
    let addresses = addresses.iter().flat_map(|address| address.to_le_bytes());
    addresses
        .chain(words.iter().flat_map(|word| word.to_le_bytes()))
        .collect()
}
