//! The logical device, its allocator and its pipeline cache; creation and the order of destruction.

use std::ffi::CString;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::{ext, khr, vk};
use gpu_allocator::vulkan::{
    Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc,
};
use gpu_allocator::{AllocationError, MemoryLocation};

use super::GpuError;
use super::extensions;
use super::handles;
use super::instance::Instance;
use super::lowered::Lowered;
use super::pipeline_cache::{Identity, PipelineCache};
use super::report::DeviceReport;
use super::select::Found;
use crate::cache::Cache;

/// Queue family and index of the queue of each class, in the order of [`super::Queue::ALL`].
pub(super) type QueueIndices = [(u32, u32); 4];

/// The parts of a device that its objects need for use and destruction.
pub(super) struct Device {
    pub raw: ash::Device,
    #[cfg(feature = "screen")]
    pub physical: vk::PhysicalDevice,
    pub report: DeviceReport,
    /// Families whose queues run commands, each listed once: buffers are shared between them.
    pub families: Vec<u32>,
    /// Maximum size of an allocation in bytes: the limit of the device, or less.
    pub largest_allocation: u64,
    /// Bytes of address space of all existing sparse buffers.
    pub reserved: AtomicU64,
    pub layout: vk::PipelineLayout,
    pub pipeline_cache: PipelineCache,
    debug: Option<ext::debug_utils::Device>,
    /// Conditional commands, if the device has them.
    conditional: Option<ext::conditional_rendering::Device>,
    /// Imports of host memory, if the device has them, and the alignment that they require.
    external_memory: Option<(ext::external_memory_host::Device, u64)>,
    /// The number of the device in all interfaces, if it imports memory of others.
    pub uuid: Option<[u8; vk::UUID_SIZE]>,
    /// Memory types by number.
    memory_types: Vec<vk::MemoryPropertyFlags>,
    allocator: Mutex<Option<Allocator>>,
    command_pools: Mutex<()>,
    pub instance: Arc<Instance>,
}

/// One allocation that is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveAllocation {
    /// The buffer's name.
    pub name: String,
    pub bytes: u64,
}

impl Device {
    pub(super) fn new(
        instance: Arc<Instance>,
        found: Found,
        places: &QueueIndices,
        lowered: &Lowered,
        presents: bool,
        cache: Cache,
    ) -> Result<Arc<Device>, GpuError> {
        let report = found.report;
        let largest_allocation = report.limits.max_allocation_bytes;
        let mut families: Vec<u32> = places.iter().map(|(family, _)| *family).collect();
        families.sort_unstable();
        families.dedup();
        let counts = families.iter().map(|family| {
            let of_family = places.iter().filter(|(index, _)| index == family);
            of_family.map(|(_, queue)| *queue as usize + 1).max().unwrap_or(1)
        });
        let priorities: Vec<Vec<f32>> = counts.map(|count| vec![1.0; count]).collect();
        let queues: Vec<_> = families
            .iter()
            .zip(&priorities)
            .map(|(&family, priorities)| {
                vk::DeviceQueueCreateInfo::default()
                    .queue_family_index(family)
                    .queue_priorities(priorities)
            })
            .collect();
        let mut wanted = found.features.wanted();
        let mut names = extensions::wanted(&instance, found.raw, &report.name, presents)?;
        names.retain(|name| !lowered.lacks(name));
        let is_conditional = names.contains(&ext::conditional_rendering::NAME);
        let imports = names.contains(&ext::external_memory_host::NAME);
        let shares = names.contains(&khr::external_memory_fd::NAME);
        let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let mut conditional = vk::PhysicalDeviceConditionalRenderingFeaturesEXT::default()
            .conditional_rendering(is_conditional);
        let mut info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .enabled_features(&wanted.v10)
            .push_next(&mut wanted.v11)
            .push_next(&mut wanted.v12)
            .push_next(&mut wanted.v13);
        if is_conditional {
            info = info.push_next(&mut conditional);
        }
        // SAFETY: the device was listed by the instance, and all pointers in `info` outlive the call.
        let raw = unsafe { instance.raw.create_device(found.raw, &info, None) }
            .map_err(|result| GpuError::vulkan("opening the device", &report.name, result))?;
        let debug = instance
            .debug_utils
            .then(|| ext::debug_utils::Device::new(&instance.raw, &raw));
        let conditional =
            is_conditional.then(|| ext::conditional_rendering::Device::new(&instance.raw, &raw));
        let external_memory = imports.then(|| host_imports(&instance, &raw, found.raw));
        // SAFETY: the device was listed by the instance.
        let properties = unsafe { instance.raw.get_physical_device_properties(found.raw) };
        let mut device = Device {
            raw,
            #[cfg(feature = "screen")]
            physical: found.raw,
            report,
            families,
            largest_allocation,
            reserved: AtomicU64::new(0),
            layout: vk::PipelineLayout::null(),
            pipeline_cache: PipelineCache::new(Identity::of(&properties), cache),
            debug,
            conditional,
            external_memory,
            uuid: shares.then(|| handles::uuid(&instance, found.raw)).flatten(),
            memory_types: memory_types(&instance, found.raw),
            allocator: Mutex::new(None),
            command_pools: Mutex::new(()),
            instance,
        };
        // From here on, a failure drops `device`, which destroys its parts.
        device.prepare(found.raw)?;
        Ok(Arc::new(device))
    }

    fn prepare(&mut self, physical: vk::PhysicalDevice) -> Result<(), GpuError> {
        let object = &self.report.name;
        let push = [vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::COMPUTE,
            offset: 0,
            size: 8,
        }];
        let layout = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&push);
        // SAFETY: the device is alive; the range lies within the 128 bytes that every device has.
        self.layout = unsafe { self.raw.create_pipeline_layout(&layout, None) }
            .map_err(|result| GpuError::vulkan("creating the pipeline layout", object, result))?;
        self.pipeline_cache
            .open(&self.raw)
            .map_err(|result| GpuError::vulkan("creating the pipeline cache", object, result))?;
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: self.instance.raw.clone(),
            device: self.raw.clone(),
            physical_device: physical,
            debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
            buffer_device_address: true,
            allocation_sizes: gpu_allocator::AllocationSizes::default(),
        })
        .map_err(|error| GpuError::Vulkan {
            doing: "preparing the memory allocator",
            object: object.clone(),
            result: error.to_string(),
        })?;
        self.allocator = Mutex::new(Some(allocator));
        self.name(self.layout, "kernel layout");
        self.name(self.pipeline_cache.raw, "pipeline cache");
        Ok(())
    }

    /// Allocates memory that fits the requirements; `kind` names its location in errors.
    pub(super) fn allocate(
        &self,
        name: &str,
        requirements: vk::MemoryRequirements,
        location: (MemoryLocation, &'static str),
    ) -> Result<Allocation, GpuError> {
        self.allocate_as(name, requirements, location, true)
    }

    /// Allocates memory for an image, as [`Device::allocate`].
    #[cfg(feature = "screen")]
    pub(super) fn allocate_image(
        &self,
        name: &str,
        requirements: vk::MemoryRequirements,
        location: (MemoryLocation, &'static str),
    ) -> Result<Allocation, GpuError> {
        self.allocate_as(name, requirements, location, false)
    }

    fn allocate_as(
        &self,
        name: &str,
        requirements: vk::MemoryRequirements,
        (location, kind): (MemoryLocation, &'static str),
        linear: bool,
    ) -> Result<Allocation, GpuError> {
        let description = AllocationCreateDesc {
            name,
            requirements,
            location,
            linear,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        };
        let allocated = match self.allocator().as_mut() {
            Some(allocator) => allocator.allocate(&description),
            None => Err(AllocationError::Internal("the device is closed".into())),
        };
        allocated.map_err(|error| {
            let live = self.live_allocations();
            GpuError::OutOfMemory {
                name: name.to_owned(),
                bytes: requirements.size,
                kind,
                cause: error.to_string(),
                in_use: live.iter().map(|item| item.bytes).sum(),
                buffers: live.len(),
            }
        })
    }

    /// Frees memory that is no longer in use.
    pub(super) fn free(&self, name: &str, allocation: Allocation) {
        if let Some(allocator) = self.allocator().as_mut()
            && let Err(error) = allocator.free(allocation)
        {
            let message = format!("memory of '{name}' could not be freed: {error}");
            self.instance.messages.add(message);
        }
    }

    /// Held while a command pool is destroyed, and during a submission. Vulkan does not require it, but the Khronos
    /// validation layer (1.3.239) crashes when threads destroy pools whose commands use the same buffers, or submit meanwhile.
    pub(super) fn command_pools(&self) -> MutexGuard<'_, ()> {
        self.command_pools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The allocator, which exists from creation to drop.
    fn allocator(&self) -> MutexGuard<'_, Option<Allocator>> {
        self.allocator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn live_allocations(&self) -> Vec<LiveAllocation> {
        let report = self.allocator().as_ref().map(Allocator::generate_report);
        let live = report.map_or(Vec::new(), |report| report.allocations);
        live.into_iter()
            .map(|item| LiveAllocation {
                name: item.name,
                bytes: item.size,
            })
            .collect()
    }

    /// The caller holds the locks of all queues, or no queue exists.
    pub(super) fn wait_idle(&self) -> Result<(), GpuError> {
        // SAFETY: the device is alive, and by the rule above nobody else uses a queue.
        unsafe { self.raw.device_wait_idle() }
            .map_err(|result| GpuError::vulkan("waiting for the device", &self.report.name, result))
    }

    /// Names an object for validation messages and capture tools.
    pub(super) fn name<T: vk::Handle>(&self, object: T, name: &str) {
        let Some(debug) = &self.debug else { return };
        let name = c_string(name);
        let info = vk::DebugUtilsObjectNameInfoEXT::default()
            .object_handle(object)
            .object_name(&name);
        // SAFETY: the object belongs to this device and no other thread names it: it was just made.
        let named = unsafe { debug.set_debug_utils_object_name(&info) };
        // This can fail only for lack of memory, which the next call will report.
        let _ = named;
    }

    pub(super) fn conditional(&self) -> Option<&ext::conditional_rendering::Device> {
        self.conditional.as_ref()
    }

    /// The functions that import host memory, and the alignment of such memory.
    pub(super) fn external_memory(&self) -> Option<(&ext::external_memory_host::Device, u64)> {
        let (functions, alignment) = self.external_memory.as_ref()?;
        Some((functions, *alignment))
    }

    /// A memory type among some, as bits, in the memory of the device.
    pub(super) fn local_type(&self, types: u32) -> Option<u32> {
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let mut numbered = (0u32..).zip(&self.memory_types);
        let found = numbered.find(|(number, flags)| types >> number & 1 == 1 && flags.contains(local));
        found.map(|(number, _)| number)
    }

    /// A memory type among some, as bits, whose memory the host sees without flushes; cached if possible.
    pub(super) fn coherent_type(&self, types: u32) -> Option<u32> {
        use vk::MemoryPropertyFlags as Flags;
        let coherent = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let find = |wanted: Flags| {
            let mut numbered = (0u32..).zip(&self.memory_types);
            let found = numbered.find(|(number, flags)| types >> number & 1 == 1 && flags.contains(wanted));
            found.map(|(number, _)| number)
        };
        find(coherent | Flags::HOST_CACHED).or_else(|| find(coherent))
    }

    pub(super) fn debug(&self) -> Option<&ext::debug_utils::Device> {
        self.debug.as_ref()
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // A lost device refuses to wait, but its objects may be destroyed.
        let _ = self.wait_idle();
        for leak in self.live_allocations() {
            self.instance.messages.add(format!(
                "leak: buffer '{}' of {} bytes outlived its device",
                leak.name, leak.bytes
            ));
        }
        // Memory belongs to the device, so the allocator is dropped first.
        drop(self.allocator().take());
        // SAFETY: idle, and pipelines hold the device, so none is left that uses the cache; null is allowed.
        unsafe { self.raw.destroy_pipeline_cache(self.pipeline_cache.raw, None) };
        // SAFETY: as above for the layout.
        unsafe { self.raw.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: all objects made from the device hold it, so none is left.
        unsafe { self.raw.destroy_device(None) };
    }
}

/// The functions that import host memory, and the alignment that a device requires of it.
fn host_imports(
    instance: &Instance,
    opened: &ash::Device,
    device: vk::PhysicalDevice,
) -> (ext::external_memory_host::Device, u64) {
    let mut of_imports = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut of_imports);
    // SAFETY: the device was listed by the instance; the chained structure outlives the call.
    unsafe { instance.raw.get_physical_device_properties2(device, &mut all) };
    let functions = ext::external_memory_host::Device::new(&instance.raw, opened);
    (functions, of_imports.min_imported_host_pointer_alignment.max(1))
}

/// The flags of each memory type of a device.
fn memory_types(instance: &Instance, device: vk::PhysicalDevice) -> Vec<vk::MemoryPropertyFlags> {
    // SAFETY: the device was listed by the instance.
    let found = unsafe { instance.raw.get_physical_device_memory_properties(device) };
    let types = found.memory_types_as_slice().iter();
    types.map(|of| of.property_flags).collect()
}

/// Text for Vulkan, cut off at the first zero byte.
pub(super) fn c_string(text: &str) -> CString {
    let before_zero = text.split('\0').next().unwrap_or_default();
    CString::new(before_zero).unwrap_or_default()
}
