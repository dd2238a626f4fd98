//! Buffers in memory that Vulkan did not allocate. CUDA copies its own memory to other devices, and shares it with other
//! parts of the program.

use std::fs::File;
use std::sync::Arc;

use ash::vk;

use super::buffer::{Buffer, BufferKind, GRANULE, Imported, Inner, create_shared, describe};
use super::cuda::{CudaDevice, CudaMemory};
use super::device::Device;
use super::handles::{HANDLE, number, released, usage};
use super::{Gpu, GpuError};

impl Inner {
    /// A buffer for memory that is imported, still without it, and its requirements.
    pub(super) fn external(
        device: &Arc<Device>,
        name: &str,
        bytes: u64,
        usage: vk::BufferUsageFlags,
        handle: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<(Inner, vk::MemoryRequirements), GpuError> {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle);
        let info = vk::BufferCreateInfo::default()
            .size(bytes.next_multiple_of(GRANULE))
            .usage(usage)
            .push_next(&mut external);
        let raw = create_shared(device, name, info)?;
        let capacity = bytes.next_multiple_of(GRANULE);
        let inner = Inner::unbound(device, raw, name, [bytes, capacity], BufferKind::Device);
        // SAFETY: the buffer was just created from this device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        Ok((inner, requirements))
    }

    /// Binds imported memory, which is as large as the buffer requires and bound to nothing else.
    pub(super) fn bind_imported(&mut self, imported: Imported) -> Result<(), GpuError> {
        let memory = self.imported.insert(imported).memory;
        // SAFETY: the caller has imported the memory for this buffer; it is freed after the buffer is destroyed.
        unsafe { self.device.raw.bind_buffer_memory(self.raw, memory, 0) }
            .map_err(|result| GpuError::vulkan("binding memory", describe(&self.name, self.bytes), result))
    }
}

impl Buffer {
    /// The memory of a buffer that CUDA allocated.
    pub fn cuda(&self) -> Option<&CudaMemory> {
        self.imported()?.cuda.as_ref()
    }
}

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
        let Some(file) = memory.file() else {
            return Ok(None);
        };
        self.import_file(name, bytes, file, memory.bytes())
    }

    /// A buffer of the kind [`BufferKind::Device`], for kernels and copies, in memory of `available` bytes that CUDA allocated on this
    /// device or on the host, here or in another process. It keeps the memory from being freed. `None` if the device refuses.
    pub fn import_file(
        &self,
        name: &str,
        bytes: u64,
        file: File,
        available: u64,
    ) -> Result<Option<Buffer>, GpuError> {
        let imported = self.imported(name, bytes, (file, available), usage())?;
        Ok(imported.map(Buffer::of))
    }

    /// A buffer of the kind [`super::BufferKind::Device`], for every use, in memory that CUDA allocates on this device and maps for
    /// as long as the buffer lives. `None` if the device or CUDA refuses.
    pub fn cuda_buffer(
        &self,
        name: &str,
        bytes: u64,
        cuda: &Arc<CudaDevice>,
    ) -> Result<Option<Buffer>, GpuError> {
        let capacity = bytes.max(1).next_multiple_of(GRANULE);
        let Some(memory) = CudaMemory::new(cuda, capacity) else {
            return Ok(None);
        };
        let mut uses = usage() | vk::BufferUsageFlags::INDIRECT_BUFFER;
        if self.inner.device.conditional().is_some() {
            uses |= vk::BufferUsageFlags::CONDITIONAL_RENDERING_EXT;
        }
        let Some(file) = memory.file() else {
            return Ok(None);
        };
        let Some(mut inner) = self.imported(name, bytes, (file, memory.bytes()), uses)? else {
            return Ok(None);
        };
        if let Some(imported) = &mut inner.imported {
            imported.cuda = Some(memory);
        }
        Ok(Some(Buffer::of(inner)))
    }

    fn imported(
        &self,
        name: &str,
        bytes: u64,
        (file, available): (File, u64),
        uses: vk::BufferUsageFlags,
    ) -> Result<Option<Inner>, GpuError> {
        let device = &self.inner.device;
        if self.uuid().is_none() || bytes == 0 || bytes > device.report.limits.max_buffer_bytes {
            return Ok(None);
        }
        // From here on, a failure drops `inner`, which destroys its parts.
        let (mut inner, requirements) = Inner::external(device, name, bytes, uses, HANDLE)?;
        let fits = requirements.size <= available;
        let memory_type = device.local_type(requirements.memory_type_bits).filter(|_| fits);
        let (Some(memory_type), Some(descriptor)) = (memory_type, number(&file)) else {
            return Ok(None);
        };
        let mut import = vk::ImportMemoryFdInfoKHR::default()
            .handle_type(HANDLE)
            .fd(descriptor);
        let mut addresses =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(available)
            .memory_type_index(memory_type)
            .push_next(&mut addresses)
            .push_next(&mut import);
        // SAFETY: the device is alive and has addresses of buffers; `allocate` outlives the call; the file is a handle of memory of
        // that size, on the device with the same number or on the host.
        let Ok(memory) = (unsafe { device.raw.allocate_memory(&allocate, None) }) else {
            return Ok(None);
        };
        released(file);
        inner.bind_imported(Imported {
            memory,
            map: None,
            cuda: None,
        })?;
        inner.find_address();
        Ok(Some(inner))
    }
}
