//! Memory of the host that several processes share, as buffers of their devices.

use std::sync::Arc;

use ash::vk;
use memmap2::MmapRaw;

use super::buffer::{Buffer, BufferKind, Imported, Inner};
use super::{Gpu, GpuError};

impl Gpu {
    /// A buffer for copies alone, in memory of the host that is mapped already: what the device copies into it is seen by all
    /// processes that map it, after a barrier to [`super::Access::HostRead`] and a wait for the submission. `None` if the
    /// device does not support it (`VK_EXT_external_memory_host`), or not for this memory.
    pub fn import(&self, name: &str, map: &Arc<MmapRaw>) -> Result<Option<Buffer>, GpuError> {
        let device = &self.inner.device;
        let Some((external, alignment)) = device.external_memory() else {
            return Ok(None);
        };
        let (pointer, bytes) = (map.as_mut_ptr(), map.len() as u64);
        if bytes == 0 || !(pointer as u64).is_multiple_of(alignment) || !bytes.is_multiple_of(alignment) {
            return Ok(None);
        }
        let handle = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
        let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
        let find = external.fp().get_memory_host_pointer_properties_ext;
        // SAFETY: the function is that of this device, and the pointer is the start of a mapping that `map` keeps.
        let found = unsafe {
            find(
                external.device(),
                handle,
                pointer.cast_const().cast(),
                &mut properties,
            )
        };
        if found != vk::Result::SUCCESS {
            return Ok(None);
        }
        let failed = |doing| {
            move |result| GpuError::vulkan(doing, format!("buffer '{name}' of {bytes} bytes"), result)
        };
        let mut of_host = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle);
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let mut info = vk::BufferCreateInfo::default()
            .size(bytes)
            .usage(usage)
            .push_next(&mut of_host);
        if device.families.len() > 1 {
            info = info
                .sharing_mode(vk::SharingMode::CONCURRENT)
                .queue_family_indices(&device.families);
        }
        // SAFETY: the device is alive, and `info` outlives the call.
        let raw = unsafe { device.raw.create_buffer(&info, None) }.map_err(failed("creating the buffer"))?;
        device.name(raw, name);
        // From here on, a failure drops `buffer`, which destroys its parts.
        let mut buffer = Inner::unbound(device, raw, name, [bytes; 2], BufferKind::Device);
        // SAFETY: the buffer was just created from this device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let types = requirements.memory_type_bits & properties.memory_type_bits;
        let Some(memory_type) = device.coherent_type(types).filter(|_| requirements.size <= bytes) else {
            return Ok(None);
        };
        let mut import = vk::ImportMemoryHostPointerInfoEXT::default()
            .handle_type(handle)
            .host_pointer(pointer.cast());
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(bytes)
            .memory_type_index(memory_type)
            .push_next(&mut import);
        // SAFETY: the mapping has that many bytes, is aligned as the device requires, and is kept below until the memory is
        // freed.
        let Ok(memory) = (unsafe { device.raw.allocate_memory(&allocate, None) }) else {
            return Ok(None);
        };
        buffer.imported = Some(Imported {
            memory,
            map: Some(Arc::clone(map)),
        });
        // SAFETY: the memory is as large as the buffer and bound to nothing else.
        unsafe { device.raw.bind_buffer_memory(raw, memory, 0) }.map_err(failed("binding memory"))?;
        Ok(Some(Buffer::of(buffer)))
    }
}
