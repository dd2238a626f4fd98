//! Copies of fields of a running simulation.

use std::sync::Arc;

use crate::gpu::{Buffer, BufferKind, Timeline};
use crate::plan::Lane;

use super::component::Component;
use super::error::Error;
use super::simulation::Simulation;

/// A buffer for copies of a field. [`Simulation::take`] fills it while the simulation goes on: for values that are read
/// later, and for pictures on a [`Screen`](crate::screen::Screen). Clones share the buffer.
#[derive(Clone)]
pub struct Snapshot {
    pub(super) buffer: Buffer,
    field: Arc<str>,
    /// Elements in x and y.
    pub(super) size: [u32; 2],
    /// The timeline of downloads, and its value when the buffer is filled.
    pub(super) filled: Option<(Timeline, u64)>,
    value: u64,
}

impl Snapshot {
    /// Number of elements of the field along x and y.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// True after the first [`Simulation::take`].
    pub fn is_taken(&self) -> bool {
        self.filled.is_some()
    }
}

impl Simulation {
    /// A snapshot of a field, for values that [`Simulation::taken`] reads.
    pub fn snapshot(&self, field: &str) -> Result<Snapshot, Error> {
        self.new_snapshot(field, BufferKind::Download)
    }

    /// A snapshot of an image in memory of the device, to be shown on a screen. It cannot be read.
    pub fn picture(&self, field: &str) -> Result<Snapshot, Error> {
        self.new_snapshot(field, BufferKind::Device)
    }

    fn new_snapshot(&self, field: &str, kind: BufferKind) -> Result<Snapshot, Error> {
        let id = self.field_id(field)?;
        let pipeline = &self.pipeline.inner;
        let Some(inner) = &self.inner else {
            return Err(Error::hangs());
        };
        let buffer = inner
            .gpu()
            .buffer(&format!("snapshot of {field}"), pipeline.field_bytes(id), kind);
        let [width, height, _] = pipeline.size_of(id);
        Ok(Snapshot {
            buffer: buffer.map_err(Error::of_device)?,
            field: field.into(),
            size: [width, height].map(|side| u32::try_from(side).unwrap_or(u32::MAX)),
            filled: None,
            value: 0,
        })
    }

    /// Submits a copy of the newest values of the field into a snapshot of it.
    pub fn take(&mut self, snapshot: &mut Snapshot) -> Result<(), Error> {
        let id = self.field_id(&snapshot.field)?;
        let buffer = snapshot.buffer.clone();
        let (value, timeline) = self.ask(|inner| {
            let value = inner.download(&[(id, 0, buffer)])?;
            Ok((value, inner.timeline(Lane::Download)))
        })?;
        (snapshot.filled, snapshot.value) = (Some((timeline, value)), value);
        Ok(())
    }

    /// Waits until a snapshot is filled, and returns one element of it by its number; `None` before
    /// [`Simulation::take`], and beyond the last element.
    pub fn taken<T: Component>(&mut self, snapshot: &Snapshot, number: usize) -> Result<Option<T>, Error> {
        if !snapshot.is_taken() {
            return Ok(None);
        }
        self.ask(|inner| inner.wait(Lane::Download, snapshot.value))?;
        let bytes = snapshot.buffer.bytes().map_err(Error::of_device)?;
        let element = bytes.chunks_exact(size_of::<T>()).nth(number);
        Ok(element.map(bytemuck::pod_read_unaligned))
    }
}
