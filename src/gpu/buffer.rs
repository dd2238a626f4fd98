//! Buffers: named memory with an address that kernels use.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::Allocation;
use memmap2::MmapRaw;

use super::cuda::CudaMemory;
use super::device::Device;
use super::{Gpu, GpuError};

/// The memory of a buffer and its access by the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BufferKind {
    /// Device memory; the program cannot reach it.
    Device,
    /// Mapped, for the program to write; in device memory if that can be mapped.
    Upload,
    /// Mapped and cached, for the program to read.
    Download,
}

impl BufferKind {
    fn location(self) -> (MemoryLocation, &'static str) {
        match self {
            BufferKind::Device => (MemoryLocation::GpuOnly, "device memory"),
            BufferKind::Upload => (MemoryLocation::CpuToGpu, "mapped memory for uploads"),
            BufferKind::Download => (MemoryLocation::GpuToCpu, "mapped memory for downloads"),
        }
    }
}

/// A buffer. Clones share it; the memory is freed with the last one and the last [`super::Recording`] that uses it. The
/// contents are undefined until they are written.
#[derive(Clone)]
pub struct Buffer {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) device: Arc<Device>,
    pub(super) raw: vk::Buffer,
    /// One allocation, or several if the buffer is larger than the largest allocation.
    pub(super) memory: Vec<Allocation>,
    /// The memory of a buffer that has no allocation of its own.
    pub(super) imported: Option<Imported>,
    /// Bytes of the address space of sparse buffers that it takes.
    pub(super) reserved: u64,
    pub(super) name: String,
    kind: BufferKind,
    pub(super) bytes: u64,
    capacity: u64,
    address: u64,
    /// Serialises writes of the program's threads.
    writing: Mutex<()>,
}

/// Memory that Vulkan did not allocate.
pub(super) struct Imported {
    pub(super) memory: vk::DeviceMemory,
    /// That of the host: mapped for as long as the device may use it.
    pub(super) map: Option<Arc<MmapRaw>>,
    /// That of CUDA, which it stays mapped for.
    pub(super) cuda: Option<CudaMemory>,
}

/// Rounds up to whole words, which fills require; Vulkan has no empty buffers.
pub(super) const GRANULE: u64 = 16;

impl Gpu {
    /// Allocates a buffer that every queue may use for kernels, copies, fills and indirect dispatches. A size of 0 is
    /// valid: such a buffer also has an address.
    pub fn buffer(&self, name: &str, bytes: u64, kind: BufferKind) -> Result<Buffer, GpuError> {
        let device = &self.inner.device;
        let capacity = capacity(name, bytes, device)?;
        // Frees the memory of buffers that only finished submissions hold.
        self.inner.queues.release_finished();
        let large = self.is_large(capacity);
        let mut flags = vk::BufferCreateFlags::empty();
        if large {
            self.can_be_large(name, bytes, kind)?;
            flags = vk::BufferCreateFlags::SPARSE_BINDING;
        }
        let raw = create(device, name, capacity, flags)?;
        let mut inner = Inner::unbound(device, raw, name, [bytes, capacity], kind);
        // From here on, a failure drops `inner`, which destroys its parts.
        if large {
            inner.memory = self.bind_large(raw, name)?
        } else {
            inner.allocate()?
        }
        inner.find_address();
        Ok(Buffer::of(inner))
    }

    /// Frees the memory of buffers that only finished submissions hold.
    pub fn release_finished(&self) {
        self.inner.queues.release_finished();
    }
}

/// A Vulkan buffer for every use, without memory.
pub(super) fn create(
    device: &Device,
    name: &str,
    capacity: u64,
    flags: vk::BufferCreateFlags,
) -> Result<vk::Buffer, GpuError> {
    let mut usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST
        | vk::BufferUsageFlags::INDIRECT_BUFFER
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    if device.conditional().is_some() {
        usage |= vk::BufferUsageFlags::CONDITIONAL_RENDERING_EXT;
    }
    let info = vk::BufferCreateInfo::default()
        .flags(flags)
        .size(capacity)
        .usage(usage);
    create_shared(device, name, info)
}

/// Creates a buffer that all queues use.
pub(super) fn create_shared<'a>(
    device: &'a Device,
    name: &str,
    mut info: vk::BufferCreateInfo<'a>,
) -> Result<vk::Buffer, GpuError> {
    if device.families.len() > 1 {
        info = info
            .sharing_mode(vk::SharingMode::CONCURRENT)
            .queue_family_indices(&device.families);
    }
    // SAFETY: the device is alive, the caller has checked the size, and `info` outlives the call.
    let raw = unsafe { device.raw.create_buffer(&info, None) }
        .map_err(|result| GpuError::vulkan("creating the buffer", describe(name, info.size), result))?;
    device.name(raw, name);
    Ok(raw)
}

impl Gpu {
    /// Returns an error if the device cannot have a buffer that is larger than the largest allocation.
    fn can_be_large(&self, name: &str, bytes: u64, kind: BufferKind) -> Result<(), GpuError> {
        if kind == BufferKind::Device && self.sparse().is_some() {
            return Ok(());
        }
        Err(GpuError::BufferTooLarge {
            name: name.to_owned(),
            bytes,
            limit: self.inner.device.largest_allocation,
            limit_name: match kind {
                BufferKind::Device => "the largest allocation",
                _ => "the largest mapped allocation",
            },
        })
    }
}

/// The size to allocate; an error if it exceeds the memory of the device.
fn capacity(name: &str, bytes: u64, device: &Device) -> Result<u64, GpuError> {
    let too_large = |limit, limit_name| GpuError::BufferTooLarge {
        name: name.to_owned(),
        bytes,
        limit,
        limit_name,
    };
    let largest = device.report.limits.max_buffer_bytes;
    let capacity = bytes.max(1).checked_next_multiple_of(GRANULE).unwrap_or(u64::MAX);
    if bytes > largest || capacity > largest.next_multiple_of(GRANULE) {
        return Err(too_large(largest, "the largest buffer"));
    }
    let heap = device
        .report
        .heaps
        .iter()
        .map(|heap| heap.bytes)
        .max()
        .unwrap_or(0);
    if capacity > heap {
        return Err(too_large(heap, "the largest memory heap"));
    }
    // The limit of some devices is one byte below a multiple.
    Ok(if capacity > largest {
        bytes.next_multiple_of(4).min(largest)
    } else {
        capacity
    })
}

pub(super) fn describe(name: &str, bytes: u64) -> String {
    format!("buffer '{name}' of {bytes} bytes")
}

impl Inner {
    /// A buffer without memory. `bytes` are the requested ones and those of the Vulkan buffer.
    pub(super) fn unbound(
        device: &Arc<Device>,
        raw: vk::Buffer,
        name: &str,
        [bytes, capacity]: [u64; 2],
        kind: BufferKind,
    ) -> Inner {
        Inner {
            device: Arc::clone(device),
            raw,
            memory: Vec::new(),
            imported: None,
            reserved: 0,
            name: name.to_owned(),
            kind,
            bytes,
            capacity,
            address: 0,
            writing: Mutex::new(()),
        }
    }

    fn allocate(&mut self) -> Result<(), GpuError> {
        // SAFETY: the buffer was just created from this device.
        let requirements = unsafe { self.device.raw.get_buffer_memory_requirements(self.raw) };
        let allocation = self
            .device
            .allocate(&self.name, requirements, self.kind.location())?;
        // SAFETY: asks for the handle only; it is bound below and not freed before the buffer is destroyed.
        let memory = unsafe { allocation.memory() };
        let offset = allocation.offset();
        self.memory.push(allocation);
        // SAFETY: the allocation fits the buffer's requirements and is bound to nothing else.
        unsafe { self.device.raw.bind_buffer_memory(self.raw, memory, offset) }
            .map_err(|result| GpuError::vulkan("binding memory", describe(&self.name, self.bytes), result))
    }

    pub(super) fn find_address(&mut self) {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.raw);
        // SAFETY: the buffer has memory and was created for addresses.
        self.address = unsafe { self.device.raw.get_buffer_device_address(&info) };
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: recordings hold their buffers until they are done, so no command uses it any more.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        for allocation in self.memory.drain(..) {
            self.device.free(&self.name, allocation);
        }
        self.device.reserved.fetch_sub(self.reserved, Ordering::Relaxed);
        if let Some(imported) = self.imported.take() {
            // SAFETY: the only buffer in this memory was destroyed above.
            unsafe { self.device.raw.free_memory(imported.memory, None) };
            drop((imported.map, imported.cuda));
        }
    }
}

impl Buffer {
    pub(super) fn of(inner: Inner) -> Buffer {
        Buffer {
            inner: Arc::new(inner),
        }
    }

    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The requested size.
    pub fn size(&self) -> u64 {
        self.inner.bytes
    }

    /// Returns true if there are clones: other owners, or recordings that use it.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.inner) > 1
    }

    /// The address for kernels: a multiple of 16; 0 only for an imported buffer.
    pub fn address(&self) -> u64 {
        self.inner.address
    }

    /// Copies `data` to `offset` of an [`BufferKind::Upload`] buffer.
    ///
    /// Submissions after the call see the data. The caller ensures that no running submission reads the range.
    pub fn write(&self, offset: u64, data: &[u8]) -> Result<(), GpuError> {
        if self.inner.kind != BufferKind::Upload {
            let problem = format!(
                "it cannot be written: its use is {:?}, not Upload",
                self.inner.kind
            );
            return Err(GpuError::misuse(self.object(), problem));
        }
        self.check_range(offset, data.len() as u64, "write")?;
        if data.is_empty() {
            return Ok(());
        }
        let mapped = self.mapped()?;
        let _writing = self.writing();
        // SAFETY: the range was checked to lie within the mapping.
        let to = unsafe { mapped.add(offset as usize) };
        // SAFETY: the lock excludes other writers, nothing reads the mapping on the host, and `data` is elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), to, data.len()) };
        Ok(())
    }

    /// The contents of a [`BufferKind::Download`] buffer.
    ///
    /// Data from the device is visible if the recording that wrote it ends with a barrier to
    /// [`super::Access::HostRead`] (or a full one), and the program has waited for a timeline that the submission
    /// raises. No submission that writes the buffer may run while the slice is in use.
    pub fn bytes(&self) -> Result<&[u8], GpuError> {
        if self.inner.kind != BufferKind::Download {
            let problem = format!(
                "it cannot be read: its use is {:?}, not Download",
                self.inner.kind
            );
            return Err(GpuError::misuse(self.object(), problem));
        }
        let mapped = self.mapped()?;
        // SAFETY: the mapping is at least that long, stays until the buffer drops, and the program never writes to
        // a Download buffer; that the device does not is the caller's part, stated above.
        Ok(unsafe { std::slice::from_raw_parts(mapped, self.inner.bytes as usize) })
    }

    fn mapped(&self) -> Result<*mut u8, GpuError> {
        let pointer = self.inner.memory.first().and_then(Allocation::mapped_ptr);
        pointer
            .map(|pointer| pointer.as_ptr().cast())
            .ok_or_else(|| GpuError::misuse(self.object(), "its memory is not mapped"))
    }

    /// Returns an error unless `bytes` bytes from `offset` are within the buffer.
    pub(super) fn check_range(&self, offset: u64, bytes: u64, verb: &str) -> Result<(), GpuError> {
        if offset
            .checked_add(bytes)
            .is_some_and(|end| end <= self.inner.bytes)
        {
            return Ok(());
        }
        let size = self.inner.bytes;
        let problem = format!("cannot {verb} {bytes} bytes at offset {offset}: it has {size} bytes");
        Err(GpuError::misuse(self.object(), problem))
    }

    pub(super) fn kind(&self) -> BufferKind {
        self.inner.kind
    }

    pub(super) fn device(&self) -> &Device {
        &self.inner.device
    }

    pub(super) fn allocations(&self) -> &[Allocation] {
        &self.inner.memory
    }

    pub(super) fn writing(&self) -> MutexGuard<'_, ()> {
        self.inner.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn imported(&self) -> Option<&Imported> {
        self.inner.imported.as_ref()
    }

    pub(super) fn raw(&self) -> vk::Buffer {
        self.inner.raw
    }

    pub(super) fn capacity(&self) -> u64 {
        self.inner.capacity
    }

    pub(super) fn of_device(&self, device: &Arc<Device>) -> bool {
        Arc::ptr_eq(&self.inner.device, device)
    }

    pub(super) fn object(&self) -> String {
        format!("buffer '{}'", self.inner.name)
    }
}
