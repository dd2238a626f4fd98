//! A frame in staging buffers, on its way to a writer.

use crossbeam::channel::Sender;

use crate::gpu::Buffer;
use crate::output::Payload;

/// Filled staging buffers, which are returned when dropped.
pub(super) struct StagedFrame {
    pub buffers: Vec<Buffer>,
    /// The pool that the buffers return to.
    pub home: Sender<Vec<Buffer>>,
}

impl Payload for StagedFrame {
    fn part(&self, number: usize) -> &[u8] {
        // Download buffers are always readable; the encoder would refuse an empty slice as too short.
        let buffer = self.buffers.get(number);
        buffer.and_then(|buffer| buffer.bytes().ok()).unwrap_or(&[])
    }
}

impl Drop for StagedFrame {
    fn drop(&mut self) {
        // After the end of the run, the pool is gone.
        let _ = self.home.send(std::mem::take(&mut self.buffers));
    }
}
