//! Access to a simulation from outside its loop, for tests and tools.

use std::borrow::Cow;

use crate::gpu::Buffer;
use crate::ir::{FieldId, Home};
use crate::plan::Lane;

use super::super::error::RunError;
use super::Simulation;

impl Simulation {
    /// Begins to collect recent times of stages anew.
    pub(in crate::run) fn forget_recent_times(&mut self) {
        self.timing.forget_recent();
    }

    /// The newest values of a field after everything submitted; an array is returned entry by entry. For tests and tools,
    /// not for the loop. All ranks must call it.
    pub fn read(&mut self, field: &str) -> Result<Vec<u8>, RunError> {
        self.with_bytes(field, <[u8]>::to_vec)
    }

    /// As [`Simulation::read`], without a copy if the values are in mapped memory in that order.
    pub fn with_bytes<T>(&mut self, field: &str, use_bytes: impl FnOnce(&[u8]) -> T) -> Result<T, RunError> {
        let id = self.field(field)?;
        let memory = self.read_memory(id)?;
        let bytes = match &memory {
            Memory::Own(bytes) => bytes,
            Memory::Mapped(buffer) => match buffer.host_bytes() {
                Some(bytes) => bytes,
                None => buffer.bytes()?,
            },
        };
        let [planes, entries] = self.order_of(id);
        let pipeline = &self.prepared.pipeline;
        if pipeline.worlds() == 1 {
            return Ok(use_bytes(&exchanged(Cow::Borrowed(bytes), planes, entries)));
        }
        let own = pipeline.field_bytes(id) as usize;
        let each = bytes.chunks(pipeline.world_bytes(id).max(1) as usize);
        let each = each.map(|world| exchanged(Cow::Borrowed(&world[..own]), planes, entries));
        Ok(use_bytes(&each.collect::<Vec<_>>().concat()))
    }

    /// The numbers of planes in z and of entries of a field, in the order of its memory.
    fn order_of(&self, id: FieldId) -> [usize; 2] {
        let entries = self.prepared.pipeline.fields[id].entries();
        [self.prepared.pipeline.size_of(id)[2], entries].map(|number| number as usize)
    }

    fn read_memory(&mut self, id: FieldId) -> Result<Memory, RunError> {
        if self.prepared.pipeline.fields[id].home == Home::Pages {
            self.complete(id)?;
            self.finish()?;
            let pages = &self.prepared.pages;
            let bytes = pages.read(&self.prepared.host, &self.prepared.pipeline, id)?;
            return Ok(Memory::Own(bytes));
        }
        let newest = self.newest(id);
        if self.ranked.is_some() && self.prepared.pipeline.is_partial(newest.0) {
            return self.collect(id, newest, true).map(Memory::Own);
        }
        self.complete(id)?;
        let (memory, copy) = newest;
        let own = self.prepared.memory.field(memory, copy).clone();
        if own.host_address().is_some() {
            self.finish()?;
            self.prepared.host.run_once("before the host", |_| Ok(()))?;
            return Ok(Memory::Mapped(own));
        }
        // Kept for the next read of this size: new memory takes longer than the copy.
        let bytes = self.prepared.pipeline.bytes_of_worlds(id);
        let staging = self.staging.buffer(&self.prepared.host.gpu, "read back", bytes)?;
        let value = self.download(&[(id, 0, staging.clone())])?;
        self.recordings.forget_downloads(&staging);
        self.wait(Lane::Download, value)?;
        Ok(Memory::Mapped(staging))
    }

    /// Replaces the newest values of a field; an array is given entry by entry. For tests and tools. All ranks
    /// must write the same.
    pub fn write(&mut self, field: &str, bytes: &[u8]) -> Result<(), RunError> {
        let id = self.field(field)?;
        let pipeline = &self.prepared.pipeline;
        let own = pipeline.field_bytes(id);
        let wanted = own * pipeline.worlds() as u64;
        if bytes.len() as u64 != wanted {
            return Err(RunError::Misuse(format!(
                "`{field}` has {wanted} bytes, not {}",
                bytes.len()
            )));
        }
        self.finish()?;
        self.given.extend([id, self.newest(id).0]);
        let [planes, entries] = self.order_of(id);
        let bytes = match self.prepared.pipeline.worlds() {
            1 => exchanged(Cow::Borrowed(bytes), entries, planes),
            _ => Cow::Owned(self.padded(id, bytes, [entries, planes])),
        };
        let bytes: &[u8] = &bytes;
        if self.prepared.pipeline.fields[id].home == Home::Pages {
            self.replaced(id);
            return self
                .prepared
                .pages
                .write(&self.prepared.host, &self.prepared.pipeline, id, bytes);
        }
        self.replaced(id);
        let (memory, copy) = self.newest(id);
        if self.prepared.memory.field(memory, copy).write_host(bytes) {
            return Ok(());
        }
        let gpu = &self.prepared.host.gpu;
        let staging = self.staging.upload(gpu, "write", bytes.len() as u64)?;
        staging.write(0, bytes)?;
        let target = self.prepared.memory.field(memory, copy);
        self.prepared.host.run_once("write", |recorder| {
            recorder.copy(&staging, 0, target, 0, bytes.len() as u64)
        })
    }

    /// The values of a field in all worlds, in the order of memory.
    fn padded(&self, id: FieldId, bytes: &[u8], [entries, planes]: [usize; 2]) -> Vec<u8> {
        let pipeline = &self.prepared.pipeline;
        let (own, distance) = (
            pipeline.field_bytes(id) as usize,
            pipeline.world_bytes(id) as usize,
        );
        let mut padded = vec![0; distance * pipeline.worlds()];
        for (from, to) in bytes.chunks(own.max(1)).zip(padded.chunks_mut(distance.max(1))) {
            to[..own].copy_from_slice(&exchanged(Cow::Borrowed(from), entries, planes));
        }
        padded
    }

    pub(super) fn field(&self, name: &str) -> Result<FieldId, RunError> {
        self.prepared
            .pipeline
            .field(name)
            .ok_or_else(|| RunError::Misuse(format!("`{name}` is not a field of this pipeline")))
    }
}

/// Values of a field on the host.
enum Memory {
    Own(Vec<u8>),
    Mapped(Buffer),
}

/// Exchanges the inner and the outer index of `outer` x `inner` pieces of equal length.
fn exchanged(bytes: Cow<[u8]>, outer: usize, inner: usize) -> Cow<[u8]> {
    if outer <= 1 || inner <= 1 {
        return bytes;
    }
    let piece = bytes.len() / (outer * inner);
    let of_inner = |i: usize| {
        (0..outer).flat_map({
            let bytes = &bytes;
            move |o| &bytes[(o * inner + i) * piece..][..piece]
        })
    };
    Cow::Owned((0..inner).flat_map(of_inner).copied().collect())
}
