//! Mapped memory for captured states and for fields that clients read and write, kept from one use to the next: allocating
//! it takes longer than copying to it.

use crate::gpu::{Buffer, BufferKind, Gpu, GpuError};

/// Buffers for one kind of copies each, by name.
#[derive(Default)]
pub struct StagingMemory {
    buffers: Vec<Buffer>,
}

impl StagingMemory {
    /// A buffer that nobody uses. Buffers of the name with another size are freed.
    pub fn buffer(&mut self, gpu: &Gpu, name: &str, bytes: u64) -> Result<Buffer, GpuError> {
        self.of_kind(gpu, name, bytes, BufferKind::Download)
    }

    /// As [`StagingMemory::buffer`], for the other direction.
    pub fn upload(&mut self, gpu: &Gpu, name: &str, bytes: u64) -> Result<Buffer, GpuError> {
        self.of_kind(gpu, name, bytes, BufferKind::Upload)
    }

    fn of_kind(&mut self, gpu: &Gpu, name: &str, bytes: u64, kind: BufferKind) -> Result<Buffer, GpuError> {
        gpu.release_finished();
        (self.buffers).retain(|kept| kept.is_shared() || kept.name() != name || kept.size() == bytes);
        let free = (self.buffers.iter()).find(|kept| !kept.is_shared() && kept.name() == name);
        if let Some(free) = free {
            return Ok(free.clone());
        }
        let buffer = gpu.buffer(name, bytes, kind)?;
        self.buffers.push(buffer.clone());
        Ok(buffer)
    }
}
