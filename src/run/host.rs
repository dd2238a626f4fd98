//! The device of a run, and work for which the program waits.

use std::time::{Duration, Instant};

use crate::gpu::{Batch, Buffer, BufferKind, Gpu, GpuError, Queue, Recorder, Timeline};

use super::error::RunError;

/// Largest number of bytes to stage at a time.
const UPLOAD_BYTES: usize = 256 << 20;

/// A device with a time limit for submissions.
#[derive(Clone)]
pub struct Host {
    pub gpu: Gpu,
    pub timeout: Duration,
}

impl Host {
    /// Waits until a timeline reaches a value. `what` names the work in the error.
    pub fn wait(&self, timeline: &Timeline, value: u64, what: &str) -> Result<(), RunError> {
        self.wait_and_look(timeline, value, what, self.timeout, || Ok(()))
    }

    /// As [`Host::wait`], with a look after every `interval`, which may end the wait with an error.
    pub fn wait_and_look(
        &self,
        timeline: &Timeline,
        value: u64,
        what: &str,
        interval: Duration,
        look: impl Fn() -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let began = Instant::now();
        loop {
            let left = self.timeout.saturating_sub(began.elapsed());
            if timeline.wait(value, interval.min(left))? {
                return Ok(());
            }
            look()?;
            if began.elapsed() >= self.timeout {
                return Err(RunError::Timeout {
                    what: what.to_string(),
                    seconds: self.timeout.as_secs(),
                    began: String::new(),
                });
            }
        }
    }

    /// Records commands, runs them and waits until they are done and everything they wrote is visible everywhere.
    pub fn run_once(
        &self,
        name: &str,
        commands: impl FnOnce(&mut Recorder) -> Result<(), GpuError>,
    ) -> Result<(), RunError> {
        let recording = self.gpu.record(name, Queue::Compute, |recorder| {
            recorder.full_barrier();
            commands(recorder)?;
            recorder.full_barrier();
            Ok(())
        })?;
        let done = self.gpu.timeline(name)?;
        let batch = Batch {
            waits: Vec::new(),
            recordings: vec![&recording],
            signals: vec![(Timeline::clone(&done), 1)],
        };
        self.gpu.submit(Queue::Compute, &[batch])?;
        self.wait(&done, 1, name)
    }

    /// Writes to the start of a buffer, and waits until the data is there.
    pub fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<(), RunError> {
        self.upload_at(buffer, 0, bytes)
    }

    /// Writes to several buffers, each from a byte offset on, and waits until the data is there.
    pub fn upload_all(&self, uploads: &[(&Buffer, u64, Vec<u8>)]) -> Result<(), RunError> {
        let bytes = uploads.iter().map(|(.., bytes)| bytes.len() as u64).sum();
        let staging = self.gpu.buffer("upload", bytes, BufferKind::Upload)?;
        self.run_once("upload", |recorder| {
            let mut from = 0;
            for (buffer, first, bytes) in uploads {
                staging.write(from, bytes)?;
                recorder.copy(&staging, from, buffer, *first, bytes.len() as u64)?;
                from += bytes.len() as u64;
            }
            Ok(())
        })
    }

    /// Writes to a buffer from a byte offset on, and waits until the data is there.
    pub fn upload_at(&self, buffer: &Buffer, first: u64, bytes: &[u8]) -> Result<(), RunError> {
        for (number, chunk) in bytes.chunks(UPLOAD_BYTES).enumerate() {
            let staging = self
                .gpu
                .buffer("upload", chunk.len() as u64, BufferKind::Upload)?;
            staging.write(0, chunk)?;
            let offset = first + (number * UPLOAD_BYTES) as u64;
            self.run_once("upload", |recorder| {
                recorder.copy(&staging, 0, buffer, offset, chunk.len() as u64)
            })?;
        }
        Ok(())
    }
}
