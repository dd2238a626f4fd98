//! Shapes of egui that a window draws over its pictures.

use std::sync::Arc;

use ash::vk;
use egui_ash_renderer::{DynamicRendering, Options, Renderer, RendererError};

use super::super::GpuError;
use super::super::device::Device;
use super::super::queues::VulkanQueue;

/// Shapes, and the textures that they need.
#[derive(Default)]
pub struct Overlay {
    /// In units of egui.
    pub shapes: Vec<egui::ClippedPrimitive>,
    /// Pixels per unit of the shapes.
    pub scale: f32,
    /// Changes of textures since the last shown overlay; cleared once they are done.
    pub textures: egui::TexturesDelta,
}

/// Draws overlays on images of one format.
pub(super) struct Painter {
    renderer: Renderer,
    format: vk::Format,
    /// The renderer uses it until it is dropped.
    _device: Arc<Device>,
}

impl Painter {
    pub(super) fn new(device: &Arc<Device>, format: vk::Format) -> Result<Painter, GpuError> {
        let target = DynamicRendering {
            color_attachment_format: format,
            depth_attachment_format: None,
        };
        let renderer = Renderer::with_default_allocator(
            &device.instance.raw,
            device.physical,
            device.raw.clone(),
            target,
            Options::default(),
        );
        Ok(Painter {
            renderer: renderer.map_err(failed)?,
            format,
            _device: Arc::clone(device),
        })
    }

    pub(super) fn format(&self) -> vk::Format {
        self.format
    }

    /// Uploads new textures. Waits for the queue if there are any.
    pub(super) fn upload(
        &mut self,
        queue: &VulkanQueue,
        pool: vk::CommandPool,
        overlay: &mut Overlay,
    ) -> Result<(), GpuError> {
        let textures = std::mem::take(&mut overlay.textures.set);
        if textures.is_empty() {
            return Ok(());
        }
        // The renderer submits to the queue.
        let _lock = queue.lock();
        let uploaded = self.renderer.set_textures(queue.raw, pool, &textures);
        uploaded.map_err(failed)
    }

    /// Records an overlay on an image for colours.
    pub(super) fn record(
        &mut self,
        device: &Device,
        commands: vk::CommandBuffer,
        (view, extent): (vk::ImageView, vk::Extent2D),
        overlay: &Overlay,
    ) -> Result<(), GpuError> {
        let target = [vk::RenderingAttachmentInfo::default()
            .image_view(view)
            .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D::from(extent))
            .layer_count(1)
            .color_attachments(&target);
        // SAFETY: recording on a queue that draws; the view's image is in this layout and alive until the host has
        // waited for the commands.
        unsafe { device.raw.cmd_begin_rendering(commands, &info) };
        let drawn = self
            .renderer
            .cmd_draw(commands, extent, overlay.scale, &overlay.shapes);
        // SAFETY: recording; begun above.
        unsafe { device.raw.cmd_end_rendering(commands) };
        drawn.map_err(failed)
    }

    /// Frees textures that are not used any more. The commands are done.
    pub(super) fn clean(&mut self, overlay: &mut Overlay) -> Result<(), GpuError> {
        let unused = std::mem::take(&mut overlay.textures.free);
        self.renderer.free_textures(&unused).map_err(failed)
    }
}

fn failed(error: RendererError) -> GpuError {
    GpuError::misuse("overlay of the window", error.to_string())
}
