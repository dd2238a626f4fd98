//! Properties of a Vulkan device as plain data, for display (`Display`) and manifests (`Serialize`).

use std::ffi::CStr;

use ash::vk;
use serde::Serialize;

use super::features::Features;
use super::instance::version_text;

/// One Vulkan device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceReport {
    /// Its position in the list of the loader.
    pub index: usize,
    pub name: String,
    pub kind: DeviceKind,
    pub driver_name: String,
    pub driver_info: String,
    pub api_version: String,
    pub vendor_id: u32,
    pub device_id: u32,
    pub heaps: Vec<Heap>,
    pub queue_families: Vec<QueueFamily>,
    pub sparse: SparseFacts,
    pub limits: Limits,
    /// Optional features, by their Vulkan names, that kernels may use here.
    pub optional_features: Vec<&'static str>,
    /// Why the program cannot use the device; empty if it can.
    pub refused: Vec<String>,
    /// Its position in the order of preference, 0 first; refused devices come last.
    pub rank: usize,
    /// The program uses this device by default.
    pub chosen: bool,
}

/// Kinds in the order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    Discrete,
    Integrated,
    Virtual,
    Cpu,
    Other,
}

/// A pool of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Heap {
    pub bytes: u64,
    pub device_local: bool,
    /// The program can map some of its memory.
    pub host_visible: bool,
}

/// A Vulkan queue family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueueFamily {
    pub index: u32,
    pub queues: u32,
    pub graphics: bool,
    pub compute: bool,
    /// Copies. Queues that compute or draw can always copy, even if they do not report it.
    pub transfer: bool,
    pub sparse_binding: bool,
    /// Abilities that the program does not use (video, optical flow).
    pub other: bool,
    /// Meaningful bits of a timestamp; 0 if the queues have no timestamps.
    pub timestamp_bits: u32,
}

/// Support for memory that is bound page by page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SparseFacts {
    pub binding: bool,
    pub residency_buffer: bool,
    /// Reads of unbound pages return zeros and writes to them are ignored.
    pub non_resident_strict: bool,
    pub address_space_bytes: u64,
}

/// Limits that the engine works within.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Limits {
    /// Workgroups of one dispatch, per dimension.
    pub max_groups: [u32; 3],
    pub max_group_size: [u32; 3],
    pub max_group_invocations: u32,
    pub max_shared_bytes: u32,
    pub max_buffer_bytes: u64,
    /// The largest allocation that the driver guarantees to attempt; larger ones may still succeed.
    pub max_allocation_bytes: u64,
    pub subgroup_size: u32,
    pub min_subgroup_size: u32,
    pub max_subgroup_size: u32,
    /// Nanoseconds per timestamp tick; 0 without timestamps.
    pub timestamp_period_ns: f64,
}

impl DeviceReport {
    /// The driver converts between floats and halves by IEEE 754, to nearest with ties to even, including subnormal
    /// numbers. Determined for one driver by a comparison of all numbers (benches/halves).
    pub fn has_exact_halves(&self) -> bool {
        self.driver_name == "NVIDIA"
    }

    /// The driver divides and takes square roots to the nearest float. Determined for one driver by a comparison with
    /// the processor's results (`tests/engine/portable.rs`).
    pub fn has_exact_division(&self) -> bool {
        self.driver_name == "llvmpipe"
    }

    /// Queries the device. `rank` and `chosen` depend on all devices: see `select`.
    pub(super) fn of(
        instance: &ash::Instance,
        device: vk::PhysicalDevice,
        index: usize,
    ) -> (DeviceReport, Features) {
        // SAFETY: `device` was listed by `instance`.
        let basic = unsafe { instance.get_physical_device_properties(device) };
        // Older devices do not know the following structures.
        let modern = basic.api_version >= vk::API_VERSION_1_3;
        let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Properties::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Properties::default();
        let mut features = Features::default();
        let mut refused = Vec::new();
        if modern {
            let mut all = vk::PhysicalDeviceProperties2::default()
                .push_next(&mut v11)
                .push_next(&mut v12)
                .push_next(&mut v13);
            // SAFETY: `device` was listed by `instance`; the chained structures outlive the call.
            unsafe { instance.get_physical_device_properties2(device, &mut all) };
            features = Features::of(instance, device);
        } else {
            let version = version_text(basic.api_version);
            refused.push(format!(
                "its driver supports Vulkan {version}, but 1.3 is required"
            ));
        }
        let queue_families = queue_families(instance, device);
        if !queue_families.iter().any(|family| family.compute) {
            refused.push("it has no compute queue".into());
        }
        let limits = Limits {
            max_groups: basic.limits.max_compute_work_group_count,
            max_group_size: basic.limits.max_compute_work_group_size,
            max_group_invocations: basic.limits.max_compute_work_group_invocations,
            max_shared_bytes: basic.limits.max_compute_shared_memory_size,
            max_buffer_bytes: v13.max_buffer_size,
            max_allocation_bytes: v11.max_memory_allocation_size,
            subgroup_size: v11.subgroup_size,
            min_subgroup_size: v13.min_subgroup_size,
            max_subgroup_size: v13.max_subgroup_size,
            timestamp_period_ns: f64::from(basic.limits.timestamp_period),
        };
        let mut report = DeviceReport {
            index,
            name: text(basic.device_name_as_c_str()),
            kind: DeviceKind::of(basic.device_type),
            driver_name: text(v12.driver_name_as_c_str()),
            driver_info: text(v12.driver_info_as_c_str()),
            api_version: version_text(basic.api_version),
            vendor_id: basic.vendor_id,
            device_id: basic.device_id,
            heaps: heaps(instance, device),
            queue_families,
            sparse: SparseFacts::default(),
            limits,
            optional_features: Vec::new(),
            refused,
            rank: index,
            chosen: false,
        };
        report.sparse.non_resident_strict = basic.sparse_properties.residency_non_resident_strict == vk::TRUE;
        report.sparse.address_space_bytes = basic.limits.sparse_address_space_size;
        if modern {
            report.set_features(&features);
        }
        (report, features)
    }

    /// Notes the features of the device, or fewer: the missing, the optional ones, and sparse binding.
    pub(super) fn set_features(&mut self, features: &Features) {
        let missing = features.missing();
        let new = missing
            .into_iter()
            .filter(|reason| !self.refused.contains(reason));
        self.refused.extend(new.collect::<Vec<_>>());
        self.optional_features = features.optional();
        self.sparse.binding = features.v10.sparse_binding == vk::TRUE;
        self.sparse.residency_buffer = features.v10.sparse_residency_buffer == vk::TRUE;
    }
}

impl DeviceKind {
    fn of(kind: vk::PhysicalDeviceType) -> DeviceKind {
        match kind {
            vk::PhysicalDeviceType::DISCRETE_GPU => DeviceKind::Discrete,
            vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceKind::Integrated,
            vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceKind::Virtual,
            vk::PhysicalDeviceType::CPU => DeviceKind::Cpu,
            _ => DeviceKind::Other,
        }
    }
}

fn heaps(instance: &ash::Instance, device: vk::PhysicalDevice) -> Vec<Heap> {
    // SAFETY: `device` was listed by `instance`.
    let memory = unsafe { instance.get_physical_device_memory_properties(device) };
    let types = memory.memory_types_as_slice();
    let visible = |index: usize| {
        types.iter().any(|kind| {
            kind.heap_index as usize == index
                && kind
                    .property_flags
                    .contains(vk::MemoryPropertyFlags::HOST_VISIBLE)
        })
    };
    memory
        .memory_heaps_as_slice()
        .iter()
        .enumerate()
        .map(|(index, heap)| Heap {
            bytes: heap.size,
            device_local: heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL),
            host_visible: visible(index),
        })
        .collect()
}

fn queue_families(instance: &ash::Instance, device: vk::PhysicalDevice) -> Vec<QueueFamily> {
    use vk::QueueFlags as Q;
    // SAFETY: `device` was listed by `instance`.
    let families = unsafe { instance.get_physical_device_queue_family_properties(device) };
    let known = Q::GRAPHICS | Q::COMPUTE | Q::TRANSFER | Q::SPARSE_BINDING | Q::PROTECTED;
    (0..)
        .zip(families)
        .map(|(index, family)| QueueFamily {
            index,
            queues: family.queue_count,
            graphics: family.queue_flags.contains(Q::GRAPHICS),
            compute: family.queue_flags.contains(Q::COMPUTE),
            transfer: family
                .queue_flags
                .intersects(Q::TRANSFER | Q::GRAPHICS | Q::COMPUTE),
            sparse_binding: family.queue_flags.contains(Q::SPARSE_BINDING),
            other: family.queue_flags.as_raw() & !known.as_raw() != 0,
            timestamp_bits: family.timestamp_valid_bits,
        })
        .collect()
}

fn text(name: Result<&CStr, std::ffi::FromBytesUntilNulError>) -> String {
    name.map_or_else(|_| "?".to_owned(), |name| name.to_string_lossy().into_owned())
}
