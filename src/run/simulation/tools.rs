//! Access to a simulation from outside its loop, for tests and tools.

use std::borrow::Cow;

use crate::gpu::BufferKind;
use crate::ir::{FieldId, Home};
use crate::plan::Lane;

use super::super::error::RunError;
use super::Simulation;

impl Simulation {
    /// The newest values of a field, after everything submitted, those of an array entry by entry. For tests and tools,
    /// not for the loop.
    pub fn read(&mut self, field: &str) -> Result<Vec<u8>, RunError> {
        let id = self.field(field)?;
        let bytes = self.read_memory(id)?;
        let [planes, entries] = self.order_of(id);
        Ok(exchanged(Cow::Owned(bytes), planes, entries).into_owned())
    }

    /// Planes in z and entries of a field, which its memory holds in this order.
    fn order_of(&self, id: FieldId) -> [usize; 2] {
        let entries = self.pipeline.fields[id].entries();
        [self.pipeline.size_of(id)[2], entries].map(|number| number as usize)
    }

    fn read_memory(&mut self, id: FieldId) -> Result<Vec<u8>, RunError> {
        if self.pipeline.fields[id].home == Home::Pages {
            self.finish()?;
            return self.pages.read(&self.host, &self.pipeline, id);
        }
        let staging =
            self.host
                .gpu
                .buffer("read back", self.pipeline.field_bytes(id), BufferKind::Download)?;
        let value = self.download(&[(id, staging.clone())])?;
        self.recordings.forget(&staging);
        self.wait(Lane::Download, value)?;
        Ok(staging.bytes()?.to_vec())
    }

    /// Replaces the newest values of a field, those of an array entry by entry. For tests and tools.
    pub fn write(&mut self, field: &str, bytes: &[u8]) -> Result<(), RunError> {
        let id = self.field(field)?;
        if bytes.len() as u64 != self.pipeline.field_bytes(id) {
            let wanted = self.pipeline.field_bytes(id);
            return Err(RunError::Misuse(format!(
                "`{field}` has {wanted} bytes, not {}",
                bytes.len()
            )));
        }
        self.finish()?;
        let [planes, entries] = self.order_of(id);
        let bytes = &exchanged(Cow::Borrowed(bytes), entries, planes);
        if self.pipeline.fields[id].home == Home::Pages {
            return self.pages.write(&self.host, &self.pipeline, id, bytes);
        }
        let staging = self
            .host
            .gpu
            .buffer("write", bytes.len() as u64, BufferKind::Upload)?;
        staging.write(0, bytes)?;
        let (memory, copy) = self.newest(id);
        let target = self.memory.field(memory, copy);
        self.host.run_once("write", |recorder| {
            recorder.copy(&staging, 0, target, 0, bytes.len() as u64)
        })
    }

    fn field(&self, name: &str) -> Result<FieldId, RunError> {
        self.pipeline
            .field(name)
            .ok_or_else(|| RunError::Misuse(format!("`{name}` is not a field of this pipeline")))
    }
}

/// Lets the inner index of two become the outer one: the bytes are `outer` x `inner` pieces of equal length.
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
