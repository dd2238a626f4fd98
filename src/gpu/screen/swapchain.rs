//! The swapchain of a screen, recreated when the window changes its size.

use ash::{khr, vk};

use super::super::GpuError;
use super::super::device::Device;

/// A swapchain, for one size of the window.
pub(super) struct Swapchain {
    pub raw: vk::SwapchainKHR,
    pub images: Vec<vk::Image>,
    /// Views of the images, for the overlay.
    pub views: Vec<vk::ImageView>,
    pub format: vk::Format,
    pub extent: vk::Extent2D,
    /// The size of the window at creation.
    pub window: [u32; 2],
    pub stale: bool,
}

impl Swapchain {
    /// Replaces an old swapchain by one for the size of the window. `None` if the window has no area.
    pub(super) fn new(
        device: &Device,
        (surfaces, surface): (&khr::surface::Instance, vk::SurfaceKHR),
        swapchains: &khr::swapchain::Device,
        window: [u32; 2],
        old: &mut Option<Swapchain>,
    ) -> Result<Option<Swapchain>, GpuError> {
        let physical = device.physical;
        let failed = |result| GpuError::vulkan("making the swapchain", "window", result);
        // SAFETY: device and surface are alive.
        let abilities = unsafe { surfaces.get_physical_device_surface_capabilities(physical, surface) }
            .map_err(failed)?;
        // SAFETY: as above.
        let formats =
            unsafe { surfaces.get_physical_device_surface_formats(physical, surface) }.map_err(failed)?;
        // Pictures are already sRGB-encoded, so the swapchain must not encode them again.
        let plain = [vk::Format::R8G8B8A8_UNORM, vk::Format::B8G8R8A8_UNORM];
        let format = formats.iter().find(|format| plain.contains(&format.format));
        let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let Some(format) = format.filter(|_| abilities.supported_usage_flags.contains(usage)) else {
            return Err(GpuError::Lacking {
                device: device.report.name.clone(),
                what: "8-bit images for this display on which it draws",
                remedy: "write files with `sastrugi run`",
            });
        };
        let extent = extent(&abilities, window);
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
        // SAFETY: the surface is alive and unused by another swapchain but the old one; values are within its
        // abilities.
        let raw = unsafe { swapchains.create_swapchain(&info, None) };
        if let Some(old) = old {
            old.destroy(device, swapchains);
        }
        let raw = raw.map_err(failed)?;
        let mut chain = Swapchain {
            raw,
            images: Vec::new(),
            views: Vec::new(),
            format: format.format,
            extent,
            window,
            stale: false,
        };
        match chain.view(device, swapchains) {
            Ok(()) => Ok(Some(chain)),
            Err(result) => {
                chain.destroy(device, swapchains);
                Err(failed(result))
            }
        }
    }

    /// Lists the images and creates their views.
    fn view(&mut self, device: &Device, swapchains: &khr::swapchain::Device) -> Result<(), vk::Result> {
        // SAFETY: the swapchain is alive.
        self.images = unsafe { swapchains.get_swapchain_images(self.raw) }?;
        for image in &self.images {
            let info = vk::ImageViewCreateInfo::default()
                .image(*image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(self.format)
                .subresource_range(super::super::texture::whole());
            // SAFETY: the image is alive and has this format.
            self.views
                .push(unsafe { device.raw.create_image_view(&info, None) }?);
        }
        Ok(())
    }

    /// The host has waited for every copy to the images, and all of them were presented.
    pub(super) fn destroy(self, device: &Device, swapchains: &khr::swapchain::Device) {
        for view in self.views {
            // SAFETY: the commands that used it are done.
            unsafe { device.raw.destroy_image_view(view, None) };
        }
        // SAFETY: as above; presenting needs the images no longer than the swapchain.
        unsafe { swapchains.destroy_swapchain(self.raw, None) };
    }
}

/// The size of the images: that of the surface, or that of the window within its limits.
fn extent(abilities: &vk::SurfaceCapabilitiesKHR, window: [u32; 2]) -> vk::Extent2D {
    if abilities.current_extent.width != u32::MAX {
        return abilities.current_extent;
    }
    let (min, max) = (abilities.min_image_extent, abilities.max_image_extent);
    let clamped = |wanted: u32, min: u32, max: u32| wanted.max(min).min(max.max(min));
    vk::Extent2D {
        width: clamped(window[0], min.width, max.width),
        height: clamped(window[1], min.height, max.height),
    }
}
