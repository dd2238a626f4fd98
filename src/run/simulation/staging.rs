//! Mapped memory for captured states, kept from one state to the next: allocating it takes longer than copying to it.

use crate::gpu::{Buffer, BufferKind, Gpu, GpuError};

/// Buffers for downloads, by name.
#[derive(Default)]
pub struct StagingMemory {
    buffers: Vec<Buffer>,
}

impl StagingMemory {
    /// A buffer that nobody uses. Buffers of the name with another size are freed.
    pub fn buffer(&mut self, gpu: &Gpu, name: &str, bytes: u64) -> Result<Buffer, GpuError> {
        (self.buffers).retain(|kept| kept.is_shared() || kept.name() != name || kept.size() == bytes);
        let free = (self.buffers.iter()).find(|kept| !kept.is_shared() && kept.name() == name);
        if let Some(free) = free {
            return Ok(free.clone());
        }
        let buffer = gpu.buffer(name, bytes, BufferKind::Download)?;
        self.buffers.push(buffer.clone());
        Ok(buffer)
    }
}
