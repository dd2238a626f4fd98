//! Memory that Vulkan and CUDA share: handles, and what a device supports.

use std::fs::File;

use ash::vk;

use super::instance::Instance;

/// The kind of handles: open files without a path.
pub(super) const HANDLE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// Uses of buffers in such memory: kernels and copies.
pub(super) fn usage() -> vk::BufferUsageFlags {
    vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
}

/// The number of a device in all interfaces and processes. `None` if it imports no memory.
pub(super) fn uuid(instance: &Instance, device: vk::PhysicalDevice) -> Option<[u8; vk::UUID_SIZE]> {
    let asked = vk::PhysicalDeviceExternalBufferInfo::default()
        .usage(usage())
        .handle_type(HANDLE);
    let mut found = vk::ExternalBufferProperties::default();
    // SAFETY: the device was listed by the instance; both structures outlive the call.
    unsafe { (instance.raw).get_physical_device_external_buffer_properties(device, &asked, &mut found) };
    let features = found.external_memory_properties.external_memory_features;
    let mut identity = vk::PhysicalDeviceIDProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut identity);
    // SAFETY: the device was listed by the instance; the chained structure outlives the call.
    unsafe { instance.raw.get_physical_device_properties2(device, &mut all) };
    // Memory that was not allocated for one buffer suffices.
    let is_free = !features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY);
    let imports = features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE) && is_free;
    imports.then_some(identity.device_uuid)
}

/// The open file of a descriptor that nobody owns.
#[cfg(unix)]
pub(super) fn file(descriptor: i32) -> Option<File> {
    use std::os::fd::FromRawFd;
    // SAFETY: the driver has opened the descriptor for its caller, who must close it.
    (descriptor >= 0).then(|| unsafe { File::from_raw_fd(descriptor) })
}

/// The descriptor of a file.
#[cfg(unix)]
pub(super) fn number(file: &File) -> Option<i32> {
    use std::os::fd::AsRawFd;
    Some(file.as_raw_fd())
}

/// Leaves a file to Vulkan, which closes it.
#[cfg(unix)]
pub(super) fn released(file: File) {
    use std::os::fd::IntoRawFd;
    let _of_vulkan = file.into_raw_fd();
}

/// Only Unix has descriptors.
#[cfg(not(unix))]
pub(super) fn file(_: i32) -> Option<File> {
    None
}

#[cfg(not(unix))]
pub(super) fn number(_: &File) -> Option<i32> {
    None
}

#[cfg(not(unix))]
pub(super) fn released(_: File) {}
