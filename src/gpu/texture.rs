//! An image between a picture in a buffer and the swapchain, because only blits between images scale.

use std::sync::Arc;

use ash::vk::{self, ImageLayout as Layout};
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::Allocation;

use super::device::Device;
use super::picture_fit::Fitted;
use super::{Buffer, GpuError};

const NAME: &str = "window picture";

/// An image for pictures of one size.
pub(super) struct Texture {
    device: Arc<Device>,
    raw: vk::Image,
    memory: Option<Allocation>,
    size: [u32; 2],
}

impl Texture {
    pub(super) fn new(device: &Arc<Device>, size: [u32; 2]) -> Result<Texture, GpuError> {
        let failed = |result| GpuError::vulkan("creating the image", NAME, result);
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(vk::Extent3D {
                width: size[0],
                height: size[1],
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC);
        // SAFETY: the device is alive, and the description outlives the call.
        let raw = unsafe { device.raw.create_image(&info, None) }.map_err(failed)?;
        device.name(raw, NAME);
        let mut texture = Texture {
            device: Arc::clone(device),
            raw,
            memory: None,
            size,
        };
        // SAFETY: the image was just created from this device.
        let requirements = unsafe { device.raw.get_image_memory_requirements(raw) };
        let memory = device.allocate_image(NAME, requirements, (MemoryLocation::GpuOnly, "device memory"))?;
        // SAFETY: asks for the handle only; the memory is freed after the image is destroyed.
        let (handle, offset) = (unsafe { memory.memory() }, memory.offset());
        texture.memory = Some(memory);
        // SAFETY: the allocation fits the image's requirements and is bound to nothing else.
        unsafe { device.raw.bind_image_memory(raw, handle, offset) }.map_err(failed)?;
        Ok(texture)
    }

    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Records the copy of a picture to an image of the swapchain, and leaves the image ready as a colour attachment.
    pub(super) fn record(
        &self,
        device: &Device,
        commands: vk::CommandBuffer,
        picture: &Buffer,
        target: vk::Image,
        fitted: &Fitted,
    ) {
        let barriers = |barriers: &[vk::ImageMemoryBarrier2]| {
            let info = vk::DependencyInfo::default().image_memory_barriers(barriers);
            // SAFETY: recording; the images are alive until the host has waited for the commands.
            unsafe { device.raw.cmd_pipeline_barrier2(commands, &info) };
        };
        barriers(&[
            change(self.raw, Layout::UNDEFINED, Layout::TRANSFER_DST_OPTIMAL),
            change(target, Layout::UNDEFINED, Layout::TRANSFER_DST_OPTIMAL),
        ]);
        self.fill(device, commands, picture);
        clear(device, commands, target);
        barriers(&[
            change(
                self.raw,
                Layout::TRANSFER_DST_OPTIMAL,
                Layout::TRANSFER_SRC_OPTIMAL,
            ),
            change(target, Layout::TRANSFER_DST_OPTIMAL, Layout::TRANSFER_DST_OPTIMAL),
        ]);
        self.blit(device, commands, target, fitted);
        barriers(&[change(
            target,
            Layout::TRANSFER_DST_OPTIMAL,
            Layout::COLOR_ATTACHMENT_OPTIMAL,
        )]);
    }

    fn fill(&self, device: &Device, commands: vk::CommandBuffer, picture: &Buffer) {
        let [width, height] = self.size;
        let region = [vk::BufferImageCopy::default()
            .image_subresource(colour())
            .image_extent(vk::Extent3D {
                width,
                height,
                depth: 1,
            })];
        let layout = Layout::TRANSFER_DST_OPTIMAL;
        // SAFETY: recording; the image is in this layout, and the caller's buffer holds a picture of its size.
        unsafe {
            device
                .raw
                .cmd_copy_buffer_to_image(commands, picture.raw(), self.raw, layout, &region)
        };
    }

    fn blit(&self, device: &Device, commands: vk::CommandBuffer, target: vk::Image, fitted: &Fitted) {
        let region = [vk::ImageBlit {
            src_subresource: colour(),
            src_offsets: fitted.from,
            dst_subresource: colour(),
            dst_offsets: fitted.to,
        }];
        let filter = if fitted.scaled {
            vk::Filter::LINEAR
        } else {
            vk::Filter::NEAREST
        };
        let (from, to) = (Layout::TRANSFER_SRC_OPTIMAL, Layout::TRANSFER_DST_OPTIMAL);
        // SAFETY: recording on a queue that draws; layouts as stated, and corners lie within both images.
        unsafe {
            device
                .raw
                .cmd_blit_image(commands, self.raw, from, target, to, &region, filter)
        };
    }
}

/// Makes an image black.
fn clear(device: &Device, commands: vk::CommandBuffer, target: vk::Image) {
    let black = vk::ClearColorValue {
        float32: [0.0, 0.0, 0.0, 1.0],
    };
    let layout = Layout::TRANSFER_DST_OPTIMAL;
    // SAFETY: recording on a queue that draws; the image is in this layout.
    unsafe {
        device
            .raw
            .cmd_clear_color_image(commands, target, layout, &black, &[whole()])
    };
}

fn colour() -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .layer_count(1)
}

/// A full barrier that changes the layout of an image.
pub(super) fn change<'a>(
    image: vk::Image,
    from: vk::ImageLayout,
    to: vk::ImageLayout,
) -> vk::ImageMemoryBarrier2<'a> {
    vk::ImageMemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
        .old_layout(from)
        .new_layout(to)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(whole())
}

pub(super) fn whole() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(1)
        .layer_count(1)
}

impl Drop for Texture {
    fn drop(&mut self) {
        // SAFETY: the screen has waited for the copies that use it.
        unsafe { self.device.raw.destroy_image(self.raw, None) };
        if let Some(memory) = self.memory.take() {
            self.device.free(NAME, memory);
        }
    }
}
