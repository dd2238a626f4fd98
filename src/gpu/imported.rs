//! Buffers in memory that CUDA allocated on the same device: what kernels of Vulkan write there, CUDA copies to other devices.

use ash::vk;

use super::buffer::{Buffer, Imported, Inner};
use super::cuda::CudaMemory;
use super::handles::{HANDLE, number, released, usage};
use super::{Gpu, GpuError};

impl Gpu {
    /// The number by which CUDA knows the device; `None` if it imports no memory (`VK_KHR_external_memory_fd`).
    pub fn uuid(&self) -> Option<[u8; vk::UUID_SIZE]> {
        self.inner.device.uuid
    }

    /// A buffer of the kind [`BufferKind::Device`], for kernels and copies, in memory that CUDA allocated on this device. It keeps
    /// the memory from being freed. `None` if the device refuses.
    pub fn import_from_cuda(
        &self,
        name: &str,
        bytes: u64,
        memory: &CudaMemory,
    ) -> Result<Option<Buffer>, GpuError> {
        let device = &self.inner.device;
        if self.uuid().is_none() || bytes == 0 || bytes > device.report.limits.max_buffer_bytes {
            return Ok(None);
        }
        // From here on, a failure drops `inner`, which destroys its parts.
        let (mut inner, requirements) = Inner::external(device, name, bytes, usage(), HANDLE)?;
        let fits = requirements.size <= memory.bytes();
        let memory_type = device.local_type(requirements.memory_type_bits).filter(|_| fits);
        let (Some(memory_type), Some(file)) = (memory_type, memory.file()) else {
            return Ok(None);
        };
        let Some(descriptor) = number(&file) else {
            return Ok(None);
        };
        let mut import = vk::ImportMemoryFdInfoKHR::default()
            .handle_type(HANDLE)
            .fd(descriptor);
        let mut addresses =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(memory.bytes())
            .memory_type_index(memory_type)
            .push_next(&mut addresses)
            .push_next(&mut import);
        // SAFETY: the device is alive and has addresses of buffers; `allocate` outlives the call; the file is a handle of memory of
        // that size on the device with the same number.
        let Ok(memory) = (unsafe { device.raw.allocate_memory(&allocate, None) }) else {
            return Ok(None);
        };
        released(file);
        inner.bind_imported(Imported { memory, map: None })?;
        inner.find_address();
        Ok(Some(Buffer::of(inner)))
    }
}
