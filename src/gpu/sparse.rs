//! Sparse buffers: addresses without memory, and the memory that [`Gpu::bind`] binds to their pages.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::Allocation;

use super::device::Device;
use super::in_flight::Kept;
use super::{Gpu, GpuError, Queue, SparseFacts};

/// A range of addresses. Kernels can access pages to which memory is bound. Clones share it; the addresses are freed
/// with the last clone and the last recording or bind that uses it.
///
/// Reads of an unbound page are undefined, and writes to one may or may not be kept until memory is bound; neither
/// affects another page.
#[derive(Clone)]
pub struct SparseBuffer {
    inner: Arc<Reserved>,
}

struct Reserved {
    device: Arc<Device>,
    raw: vk::Buffer,
    name: String,
    bytes: u64,
    requirements: vk::MemoryRequirements,
    address: u64,
}

/// Device memory for pages. Clones share it; it is freed with the last one and the last bind in flight that uses it.
/// The contents are undefined until they are written.
///
/// A bound page does not keep its memory alive: keep a clone until the memory is unbound and all kernels that used it
/// have ended.
#[derive(Clone)]
pub struct PageMemory {
    inner: Arc<Pages>,
}

struct Pages {
    device: Arc<Device>,
    allocation: Option<Allocation>,
    raw: vk::DeviceMemory,
    base: u64,
    name: String,
    bytes: u64,
    /// The allowed memory types, as bits.
    types: u32,
}

/// The creation info of a sparse buffer, without the families that share it.
fn creation(bytes: u64) -> vk::BufferCreateInfo<'static> {
    vk::BufferCreateInfo::default()
        .flags(vk::BufferCreateFlags::SPARSE_BINDING | vk::BufferCreateFlags::SPARSE_RESIDENCY)
        .size(bytes)
        .usage(vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS)
}

fn shared<'a>(info: vk::BufferCreateInfo<'a>, families: &'a [u32]) -> vk::BufferCreateInfo<'a> {
    if families.len() < 2 {
        return info;
    }
    info.sharing_mode(vk::SharingMode::CONCURRENT)
        .queue_family_indices(families)
}

impl Gpu {
    /// Properties of sparse memory; `None` if the device does not support partly bound buffers.
    pub fn sparse(&self) -> Option<&SparseFacts> {
        let report = self.report();
        let family = self.inner.queues.get(Queue::Sparse).family;
        let binds = report
            .queue_families
            .iter()
            .any(|candidate| candidate.index == family && candidate.sparse_binding);
        let facts = &report.sparse;
        (binds && facts.binding && facts.residency_buffer).then_some(facts)
    }

    /// The size of a page: offsets and lengths of binds are multiples of it.
    pub fn sparse_granularity(&self) -> Option<u64> {
        self.sparse()?;
        let device = &self.inner.device;
        let info = shared(creation(1), &device.families);
        let info = vk::DeviceBufferMemoryRequirements::default().create_info(&info);
        let mut found = vk::MemoryRequirements2::default();
        // SAFETY: the device is alive and has maintenance4; the structures outlive the call.
        unsafe {
            device
                .raw
                .get_device_buffer_memory_requirements(&info, &mut found)
        };
        Some(found.memory_requirements.alignment.max(1))
    }

    /// Reserves addresses for at least `bytes` bytes, in whole pages, without memory.
    pub fn sparse_buffer(&self, name: &str, bytes: u64) -> Result<SparseBuffer, GpuError> {
        let device = &self.inner.device;
        let (Some(facts), Some(granularity)) = (self.sparse(), self.sparse_granularity()) else {
            let object = format!("sparse buffer '{name}'");
            return Err(GpuError::misuse(
                object,
                format!("{} does not support sparse binding", device.report.name),
            ));
        };
        let size = bytes
            .max(1)
            .checked_next_multiple_of(granularity)
            .unwrap_or(u64::MAX);
        let limits = [
            (facts.address_space_bytes, "the address space of sparse buffers"),
            (device.report.limits.max_buffer_bytes, "the largest buffer"),
        ];
        for (limit, limit_name) in limits {
            if size > limit {
                return Err(GpuError::BufferTooLarge {
                    name: name.to_owned(),
                    bytes,
                    limit,
                    limit_name,
                });
            }
        }
        // Frees the addresses of buffers that only finished work holds.
        self.inner.queues.release_finished();
        Reserved::new(device, name, size, facts.address_space_bytes).map(|inner| SparseBuffer {
            inner: Arc::new(inner),
        })
    }

    /// Allocates `bytes` bytes, a multiple of the page size, to be bound to `buffer` or to others like it.
    pub fn page_memory(&self, name: &str, bytes: u64, buffer: &SparseBuffer) -> Result<PageMemory, GpuError> {
        let device = &self.inner.device;
        buffer.check_device(device)?;
        let granularity = buffer.granularity();
        if bytes == 0 || !bytes.is_multiple_of(granularity) {
            let problem = format!("{bytes} bytes are not a multiple of the page size of {granularity} bytes");
            return Err(GpuError::misuse(format!("page memory '{name}'"), problem));
        }
        self.inner.queues.release_finished();
        let requirements = vk::MemoryRequirements {
            size: bytes,
            ..buffer.inner.requirements
        };
        let place = (MemoryLocation::GpuOnly, "device memory for pages");
        let allocation = device.allocate(name, requirements, place)?;
        // SAFETY: asks for the handle only; it is bound by `Gpu::bind`, which keeps the memory while it does.
        let raw = unsafe { allocation.memory() };
        Ok(PageMemory {
            inner: Arc::new(Pages {
                device: Arc::clone(device),
                raw,
                base: allocation.offset(),
                allocation: Some(allocation),
                name: name.to_owned(),
                bytes,
                types: requirements.memory_type_bits,
            }),
        })
    }
}

impl Reserved {
    fn new(device: &Arc<Device>, name: &str, bytes: u64, space: u64) -> Result<Reserved, GpuError> {
        let no_addresses = |cause: String, reserved| GpuError::NoAddresses {
            name: name.to_owned(),
            bytes,
            cause,
            reserved,
        };
        let take = |reserved: u64| reserved.checked_add(bytes).filter(|sum| *sum <= space);
        let others = device
            .reserved
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .map_err(|reserved| no_addresses(format!("the device has {space} bytes of them"), reserved))?;
        let info = shared(creation(bytes), &device.families);
        // SAFETY: the device is alive and has the features, the size is within its limits, `info` outlives the call.
        let created = unsafe { device.raw.create_buffer(&info, None) };
        let raw = created.map_err(|result| {
            device.reserved.fetch_sub(bytes, Ordering::Relaxed);
            let object = format!("sparse buffer '{name}' of {bytes} bytes");
            match result {
                vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => {
                    no_addresses("the driver has none left".into(), others)
                }
                _ => GpuError::vulkan("creating the buffer", object, result),
            }
        })?;
        device.name(raw, name);
        // SAFETY: the buffer was just created from this device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let mut reserved = Reserved {
            device: Arc::clone(device),
            raw,
            name: name.to_owned(),
            bytes,
            requirements,
            address: 0,
        };
        let info = vk::BufferDeviceAddressInfo::default().buffer(raw);
        // SAFETY: the buffer was created for addresses; a sparse one has its own without memory.
        reserved.address = unsafe { device.raw.get_buffer_device_address(&info) };
        // Some drivers create buffers without an address, and report no error.
        if reserved.address == 0 {
            return Err(no_addresses(
                "the driver created the buffer without an address".into(),
                others,
            ));
        }
        Ok(reserved)
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // SAFETY: recordings and binds hold their buffers until they are done, so nothing uses it any more.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        self.device.reserved.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if let Some(allocation) = self.allocation.take() {
            self.device.free(&self.name, allocation);
        }
    }
}

impl SparseBuffer {
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The bytes of the address range: the requested size, rounded up to whole pages.
    #[cfg(feature = "internals")]
    pub fn size(&self) -> u64 {
        self.inner.bytes
    }

    /// The address of the buffer for kernels; never 0.
    pub fn address(&self) -> u64 {
        self.inner.address
    }

    /// The size of a page: offsets and lengths of binds are multiples of it.
    pub fn granularity(&self) -> u64 {
        self.inner.requirements.alignment
    }

    pub(super) fn raw(&self) -> vk::Buffer {
        self.inner.raw
    }

    /// The object that keeps the addresses reserved.
    pub(super) fn kept(&self) -> Kept {
        self.inner.clone()
    }

    pub(super) fn object(&self) -> String {
        format!("sparse buffer '{}'", self.inner.name)
    }

    /// Returns an error if the buffer belongs to another device.
    pub(super) fn check_device(&self, device: &Arc<Device>) -> Result<(), GpuError> {
        if Arc::ptr_eq(&self.inner.device, device) {
            return Ok(());
        }
        Err(GpuError::misuse(self.object(), "it belongs to another device"))
    }

    /// Returns an error unless `bytes` bytes from `offset` are whole pages of the buffer.
    pub(super) fn check_pages(&self, offset: u64, bytes: u64) -> Result<(), GpuError> {
        check_pages(self.object(), self.inner.bytes, self.granularity(), offset, bytes)
    }
}

impl PageMemory {
    pub(super) fn raw(&self) -> vk::DeviceMemory {
        self.inner.raw
    }

    /// The object that keeps the memory allocated.
    pub(super) fn kept(&self) -> Kept {
        self.inner.clone()
    }

    /// The offset in the Vulkan memory of `offset` here.
    pub(super) fn raw_offset(&self, offset: u64) -> u64 {
        self.inner.base + offset
    }

    pub(super) fn same(&self, other: &PageMemory) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Returns an error unless `bytes` bytes from `offset` of this memory can be bound to pages of `buffer`.
    pub(super) fn check_backs(&self, buffer: &SparseBuffer, offset: u64, bytes: u64) -> Result<(), GpuError> {
        let object = format!("page memory '{}'", self.inner.name);
        if !Arc::ptr_eq(&self.inner.device, &buffer.inner.device) {
            return Err(GpuError::misuse(object, "it belongs to another device"));
        }
        let granularity = buffer.granularity();
        if self.inner.types & !buffer.inner.requirements.memory_type_bits != 0
            || !self.inner.base.is_multiple_of(granularity)
        {
            let problem = format!("its memory type does not fit {}", buffer.object());
            return Err(GpuError::misuse(object, problem));
        }
        check_pages(object, self.inner.bytes, granularity, offset, bytes)
    }
}

fn check_pages(object: String, size: u64, granularity: u64, offset: u64, bytes: u64) -> Result<(), GpuError> {
    let within = offset.checked_add(bytes).is_some_and(|end| end <= size);
    let whole = offset.is_multiple_of(granularity) && bytes.is_multiple_of(granularity);
    let problem = match (within, whole, bytes) {
        (true, true, 1..) => return Ok(()),
        (_, _, 0) => format!("cannot bind 0 bytes at offset {offset}"),
        (false, ..) => format!("cannot bind {bytes} bytes at offset {offset}: it has {size} bytes"),
        (_, false, _) => {
            format!("cannot bind {bytes} bytes at offset {offset}: pages are of {granularity} bytes")
        }
    };
    Err(GpuError::misuse(object, problem))
}
