//! Memory of the host that several processes share, as buffers of their devices.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ash::vk;
use memmap2::MmapRaw;

use super::buffer::{Buffer, Imported, Inner};
use super::handles::usage;
use super::{Gpu, GpuError};

impl Gpu {
    /// A buffer for kernels and copies, in memory of the host that is mapped already: what the device writes is seen by all
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
        // From here on, a failure drops `inner`, which destroys its parts.
        let (mut inner, requirements) = Inner::external(device, name, bytes, usage(), handle)?;
        let types = requirements.memory_type_bits & properties.memory_type_bits;
        let Some(memory_type) = device.coherent_type(types).filter(|_| requirements.size <= bytes) else {
            return Ok(None);
        };
        let mut import = vk::ImportMemoryHostPointerInfoEXT::default()
            .handle_type(handle)
            .host_pointer(pointer.cast());
        let mut addresses =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(bytes)
            .memory_type_index(memory_type)
            .push_next(&mut addresses)
            .push_next(&mut import);
        // SAFETY: the mapping has that many bytes, is aligned as the device requires, and is kept below until the memory is
        // freed.
        let Ok(memory) = (unsafe { device.raw.allocate_memory(&allocate, None) }) else {
            return Ok(None);
        };
        inner.bind_imported(Imported {
            memory,
            map: Some(Arc::clone(map)),
            cuda: None,
        })?;
        inner.find_address();
        Ok(Some(Buffer::of(inner)))
    }
}

impl Buffer {
    /// Reads the word at byte `offset` of a buffer of [`Gpu::import`], which devices and other processes may write meanwhile. Later
    /// reads also see everything that the writer of this value wrote before it. `None` for another buffer, or outside.
    pub fn shared_word(&self, offset: u64) -> Option<u32> {
        let map = self.imported()?.map.as_ref()?;
        let is_inside =
            offset.is_multiple_of(4) && offset.checked_add(4).is_some_and(|end| end <= map.len() as u64);
        let place = is_inside.then(|| map.as_mut_ptr().wrapping_add(offset as usize))?;
        // SAFETY: the word lies within the mapping, which `map` keeps, and is aligned, because mappings begin at pages; all
        // processes access it as an atomic or volatile word.
        let word = unsafe { AtomicU32::from_ptr(place.cast()) };
        Some(word.load(Ordering::Acquire))
    }
}
