//! The planes of cells of particles that are sorted by cell: where each begins, and how far particles have moved.

use std::collections::HashMap;
use std::ops::Range;

use crate::gpu::{Buffer, BufferKind, ComputePipeline, GpuError, Queue, Recorder, Recording};
use crate::ir::{CutSet, Held};

use super::built_in::built_in;
use super::error::RunError;
use super::host::Host;

/// Bytes of an argument block, and the first byte of its workgroup counts.
const BLOCK_BYTES: u64 = 80;
const COUNTS: u64 = 64;
/// Particles of a workgroup, and the largest number of workgroups along x.
const GROUP: u64 = 256;
const MAX_ACROSS: u64 = 1 << 15;

/// The planes of a set on a device.
pub struct Planes {
    find: ComputePipeline,
    find_kept: ComputePipeline,
    find_drift: ComputePipeline,
    blocks: Buffer,
    /// The first particle of each plane, and the end: after the last sort, and after the one before it.
    now: Buffer,
    before: Buffer,
    farthest: Buffer,
    /// Copies of `now` and `farthest` for the host.
    read: Buffer,
    has_before: bool,
    /// The recordings of [`Planes::find`] and of [`Planes::keep`], by the buffers of keys and of the order.
    recorded: HashMap<[u64; 2], [Recording; 2]>,
    plane: u64,
    /// The largest number of planes that a particle may cross.
    drift: u64,
    count: u64,
    /// The value of the lane of steps after which the device is done with the last recording.
    pub used: u64,
}

impl Planes {
    pub fn new(host: &Host, set: &CutSet) -> Result<Planes, RunError> {
        let gpu = &host.gpu;
        let count = set.rows + 1;
        let words = |name, count: u64, kind| gpu.buffer(name, 4 * count, kind);
        Ok(Planes {
            find: built_in(gpu, "find_planes", include_bytes!("find_planes.comp"))?,
            find_kept: built_in(gpu, "find_kept", include_bytes!("find_kept.comp"))?,
            find_drift: built_in(gpu, "find_drift", include_bytes!("find_drift.comp"))?,
            blocks: gpu.buffer("planes of particles", 4 * BLOCK_BYTES, BufferKind::Upload)?,
            now: words("planes now", count, BufferKind::Device)?,
            before: words("planes before", count, BufferKind::Device)?,
            farthest: words("farthest drift", 1, BufferKind::Device)?,
            read: words("planes to read", count + 1, BufferKind::Download)?,
            has_before: false,
            recorded: HashMap::new(),
            plane: set.row,
            drift: set.drift,
            count,
            used: 0,
        })
    }

    /// The recording that finds the planes of the particles of this rank after a sort, and how far particles have moved since the
    /// sort before. Run it before [`Planes::found`].
    pub fn find(&mut self, host: &Host, buffers: [&Buffer; 2], held: Held) -> Result<&Recording, RunError> {
        let [keys, order] = buffers;
        self.write_find(0, keys, &self.now, held)?;
        let addresses = [order, &self.before, keys, &self.farthest].map(Buffer::address);
        // Nothing is compared with the first sort.
        let count = if self.has_before { held.count() } else { 0 };
        let [low, high] = self.plane_words();
        let words = [
            held.first as u32,
            held.end as u32,
            held.new_first as u32,
            count as u32,
            low,
            high,
            self.count as u32,
            self.drift as u32,
        ];
        let mut content = block(&addresses, &words);
        content.resize(COUNTS as usize, 0);
        let groups = count.div_ceil(GROUP);
        let across = groups.clamp(1, MAX_ACROSS);
        let counts = [across as u32, groups.div_ceil(across) as u32, 1];
        content.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        self.blocks.write(BLOCK_BYTES, &content)?;
        Ok(&self.recordings(host, buffers)?[0])
    }

    /// The first particle of each plane, and the end; and the largest number of planes that a particle has crossed, 0 if that is
    /// allowed.
    pub fn found(&self) -> Result<(Vec<u32>, u32), RunError> {
        let bytes = self.read.bytes()?;
        let mut words: Vec<u32> = (bytes.chunks_exact(4))
            .map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()))
            .collect();
        let drift = words.pop().unwrap_or(0);
        Ok((words, drift))
    }

    /// The recording that keeps the planes of the particles that this rank has now, for the next sort.
    pub fn keep(&mut self, host: &Host, buffers: [&Buffer; 2], held: Held) -> Result<&Recording, RunError> {
        self.write_find(2 * BLOCK_BYTES, buffers[0], &self.before, held)?;
        self.has_before = true;
        Ok(&self.recordings(host, buffers)?[1])
    }

    /// After a removal that has kept the particles in `kept`: the first of each plane among them, and the end. Waits for it. Say with
    /// [`Planes::moved`] where these particles are then.
    pub fn kept(&self, host: &Host, order: &Buffer, kept: Range<u64>) -> Result<Vec<u64>, RunError> {
        let first = 3 * BLOCK_BYTES;
        let addresses = [order, &self.before, &self.now].map(Buffer::address);
        let words = [kept.start as u32, kept.end as u32, self.count as u32];
        self.blocks.write(first, &block(&addresses, &words))?;
        host.run_once("find kept planes", |recorder| {
            self.hold(recorder, &[order])?;
            recorder.dispatch(&self.find_kept, self.blocks.address() + first, self.groups())?;
            recorder.full_barrier();
            recorder.copy(&self.now, 0, &self.read, 0, 4 * self.count)
        })?;
        let (planes, _) = self.found()?;
        Ok(planes.into_iter().map(u64::from).collect())
    }

    /// Takes the first particle of each plane, and the end, for the next sort.
    pub fn moved(&mut self, host: &Host, planes: &[u64]) -> Result<(), RunError> {
        self.has_before = true;
        let words = planes.iter().flat_map(|first| (*first as u32).to_le_bytes());
        host.upload(&self.before, &words.collect::<Vec<u8>>())
    }

    fn recordings(&mut self, host: &Host, buffers: [&Buffer; 2]) -> Result<&[Recording; 2], RunError> {
        let key = buffers.map(Buffer::address);
        if !self.recorded.contains_key(&key) {
            let recorded = [
                self.record_find(host, &buffers)?,
                self.record_keep(host, &buffers)?,
            ];
            self.recorded.insert(key, recorded);
        }
        Ok(&self.recorded[&key])
    }

    fn record_find(&self, host: &Host, buffers: &[&Buffer]) -> Result<Recording, RunError> {
        let recorded = host.gpu.record("find planes", Queue::Compute, |recorder| {
            self.hold(recorder, buffers)?;
            recorder.full_barrier();
            recorder.fill(&self.farthest, 0)?;
            recorder.dispatch(&self.find, self.blocks.address(), self.groups())?;
            recorder.full_barrier();
            let drift = self.blocks.address() + BLOCK_BYTES;
            recorder.dispatch_indirect(&self.find_drift, drift, &self.blocks, BLOCK_BYTES + COUNTS)?;
            recorder.full_barrier();
            recorder.copy(&self.now, 0, &self.read, 0, 4 * self.count)?;
            recorder.copy(&self.farthest, 0, &self.read, 4 * self.count, 4)?;
            recorder.full_barrier();
            Ok(())
        });
        Ok(recorded?)
    }

    fn record_keep(&self, host: &Host, buffers: &[&Buffer]) -> Result<Recording, RunError> {
        let recorded = host.gpu.record("keep planes", Queue::Compute, |recorder| {
            self.hold(recorder, buffers)?;
            recorder.full_barrier();
            recorder.dispatch(&self.find, self.blocks.address() + 2 * BLOCK_BYTES, self.groups())?;
            recorder.full_barrier();
            Ok(())
        });
        Ok(recorded?)
    }

    fn write_find(&self, first: u64, keys: &Buffer, into: &Buffer, held: Held) -> Result<(), RunError> {
        let [low, high] = self.plane_words();
        let words = [
            held.first as u32,
            held.end as u32,
            held.new_first as u32,
            held.count() as u32,
            low,
            high,
            self.count as u32,
        ];
        Ok(self
            .blocks
            .write(first, &block(&[keys.address(), into.address()], &words))?)
    }

    /// Cells of a plane, the lower word first.
    fn plane_words(&self) -> [u32; 2] {
        [self.plane as u32, (self.plane >> 32) as u32]
    }

    fn groups(&self) -> [u32; 3] {
        [self.count.div_ceil(64) as u32, 1, 1]
    }

    fn hold(&self, recorder: &mut Recorder, buffers: &[&Buffer]) -> Result<(), GpuError> {
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
