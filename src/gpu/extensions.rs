//! The extensions of a device.

use ash::{ext, khr, vk};

use super::GpuError;
use super::instance::Instance;

/// The extensions to enable. Devices that are not fully conformant (Vulkan over Metal) require
/// VK_KHR_portability_subset. Devices that list conditional rendering have its feature.
pub(super) fn wanted(
    instance: &Instance,
    device: vk::PhysicalDevice,
    name: &str,
    presents: bool,
) -> Result<Vec<&'static std::ffi::CStr>, GpuError> {
    // SAFETY: the device was listed by the instance.
    let offered = unsafe { instance.raw.enumerate_device_extension_properties(device) }
        .map_err(|result| GpuError::vulkan("listing the device extensions", name, result))?;
    let is_offered = |name: &&'static std::ffi::CStr| {
        offered
            .iter()
            .any(|item| item.extension_name_as_c_str() == Ok(*name))
    };
    let wanted = [
        khr::portability_subset::NAME,
        ext::conditional_rendering::NAME,
        ext::external_memory_host::NAME,
        khr::external_memory_fd::NAME,
        khr::external_semaphore_fd::NAME,
    ];
    let mut extensions: Vec<_> = wanted.into_iter().filter(is_offered).collect();
    if presents {
        if !is_offered(&khr::swapchain::NAME) {
            return Err(GpuError::Lacking {
                device: name.to_owned(),
                what: "VK_KHR_swapchain",
                remedy: "write files with `sastrugi run`, or choose another device",
            });
        }
        extensions.push(khr::swapchain::NAME);
    }
    Ok(extensions)
}
