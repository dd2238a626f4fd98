//! The swapchain of a screen, made anew when the window changes its size.

use ash::{khr, vk};

use super::super::GpuError;
use super::super::device::Device;

/// A swapchain, for one size of the window.
pub(super) struct Chain {
    pub raw: vk::SwapchainKHR,
    pub images: Vec<vk::Image>,
    pub extent: vk::Extent2D,
    /// The size of the window for which it was made.
    pub window: [u32; 2],
    pub stale: bool,
}

impl Chain {
    /// Makes a swapchain for the size of the window, instead of an old one. `None` if the window has no area.
    pub(super) fn new(
        device: &Device,
        (surfaces, surface): (&khr::surface::Instance, vk::SurfaceKHR),
        swapchains: &khr::swapchain::Device,
        window: [u32; 2],
        old: &mut Option<Chain>,
    ) -> Result<Option<Chain>, GpuError> {
        let physical = device.physical;
        let failed = |result| GpuError::vulkan("making the swapchain", "window", result);
        // SAFETY: device and surface are alive.
        let abilities = unsafe { surfaces.get_physical_device_surface_capabilities(physical, surface) }
            .map_err(failed)?;
        // SAFETY: as above.
        let formats =
            unsafe { surfaces.get_physical_device_surface_formats(physical, surface) }.map_err(failed)?;
        // Pictures hold display values already, so the swapchain must not encode them again.
        let plain = [vk::Format::R8G8B8A8_UNORM, vk::Format::B8G8R8A8_UNORM];
        let format = formats.iter().find(|format| plain.contains(&format.format));
        let usage = vk::ImageUsageFlags::TRANSFER_DST;
        let Some(format) = format.filter(|_| abilities.supported_usage_flags.contains(usage)) else {
            return Err(GpuError::Lacking {
                device: device.report.name.clone(),
                what: "8-bit images for this display to which it copies",
                remedy: "write files with `sastrugi run`",
            });
        };
        let clamped = |wanted: u32, least: u32, most: u32| wanted.max(least).min(most.max(least));
        let extent = match abilities.current_extent.width {
            u32::MAX => vk::Extent2D {
                width: clamped(
                    window[0],
                    abilities.min_image_extent.width,
                    abilities.max_image_extent.width,
                ),
                height: clamped(
                    window[1],
                    abilities.min_image_extent.height,
                    abilities.max_image_extent.height,
                ),
            },
            _ => abilities.current_extent,
        };
        if extent.width == 0 || extent.height == 0 {
            return Ok(None);
        }
        let most = match abilities.max_image_count {
            0 => u32::MAX,
            most => most,
        };
        let old = old.take();
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count((abilities.min_image_count + 1).min(most))
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(usage)
            .pre_transform(abilities.current_transform)
            .composite_alpha(match abilities.supported_composite_alpha {
                all if all.contains(vk::CompositeAlphaFlagsKHR::OPAQUE) => vk::CompositeAlphaFlagsKHR::OPAQUE,
                _ => vk::CompositeAlphaFlagsKHR::INHERIT,
            })
            .present_mode(vk::PresentModeKHR::FIFO)
            .clipped(true)
            .old_swapchain(old.as_ref().map_or(vk::SwapchainKHR::null(), |old| old.raw));
        // SAFETY: the surface is alive and unused by another swapchain but the old one; values are within its abilities.
        let raw = unsafe { swapchains.create_swapchain(&info, None) };
        if let Some(old) = old {
            // SAFETY: the host has waited for every copy to its images, and all of them were presented.
            unsafe { swapchains.destroy_swapchain(old.raw, None) };
        }
        let raw = raw.map_err(failed)?;
        let mut chain = Chain {
            raw,
            images: Vec::new(),
            extent,
            window,
            stale: false,
        };
        // SAFETY: the swapchain is alive.
        let images = unsafe { swapchains.get_swapchain_images(raw) };
        match images {
            Ok(images) => chain.images = images,
            Err(result) => {
                // SAFETY: nothing uses it yet.
                unsafe { swapchains.destroy_swapchain(raw, None) };
                return Err(failed(result));
            }
        }
        Ok(Some(chain))
    }
}
