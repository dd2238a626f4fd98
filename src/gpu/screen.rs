//! A window's swapchain: shows pictures from buffers.
//!
//! A picture is copied to an image and from there, scaled, to the swapchain. The host waits for the swapchain's image
//! with a fence, and for the end of the copy before it presents. So the queue never waits for the display, and the
//! simulation continues.

use std::ffi::CStr;
use std::sync::Arc;
use std::time::Duration;

use ash::vk::Handle;
use ash::{khr, vk};
use raw_window_handle::{HasDisplayHandle, HasWindowHandle, RawDisplayHandle};

pub use overlay::Overlay;
use overlay::Painter;
use swapchain::Swapchain;

use super::instance::entry;
use super::open::Inner;
use super::picture_fit::fit;
use super::texture::{Texture, change};
use super::{Buffer, Gpu, GpuError, Queue, Timeline};

mod overlay;
mod swapchain;

/// Time limit for an image of the swapchain, before the next attempt.
const ACQUIRE_TIMEOUT: Duration = Duration::from_millis(200);
/// Time limit for a copy to the display.
const COPY_TIMEOUT: Duration = Duration::from_secs(300);

/// The extensions of the instance that windows of this display require.
pub fn surface_extensions(display: RawDisplayHandle) -> Result<Vec<&'static CStr>, GpuError> {
    let names = ash_window::enumerate_required_extensions(display)
        .map_err(|result| GpuError::vulkan("looking for the display's extensions", "display", result))?;
    // SAFETY: the names are static texts that end with zero.
    Ok(names
        .iter()
        .map(|name| unsafe { CStr::from_ptr(*name) })
        .collect())
}

/// A picture in a buffer: 8-bit red, green, blue and alpha, rows from the top.
pub struct Picture<'a> {
    pub buffer: &'a Buffer,
    pub size: [u32; 2],
    /// The timeline and the value that it has once the buffer is filled.
    pub filled: (Timeline, u64),
}

/// The layout of a picture in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout {
    /// Size of the window, pixels.
    pub window: [u32; 2],
    /// Width of the free strip on the left, pixels.
    pub left: u32,
    /// Corners of the visible part, pixels of the picture from the top left.
    pub part: [[f32; 2]; 2],
}

/// The outcome of showing a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// It is on the display.
    Yes,
    /// The window has no area, or no image is available now.
    NotNow,
}

/// The swapchain of a window.
pub struct Screen {
    gpu: Arc<Inner>,
    surfaces: khr::surface::Instance,
    surface: vk::SurfaceKHR,
    swapchains: khr::swapchain::Device,
    chain: Option<Swapchain>,
    texture: Option<Texture>,
    painter: Option<Painter>,
    acquired: vk::Fence,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    copied: Timeline,
    copies: u64,
    /// The surface refers to it.
    _window: Box<dyn std::any::Any + Send>,
}

impl Screen {
    /// `window` stays alive as long as the screen.
    pub fn new<W>(gpu: &Gpu, window: Arc<W>) -> Result<Screen, GpuError>
    where
        W: HasWindowHandle + HasDisplayHandle + Send + Sync + 'static,
    {
        let inner = Arc::clone(&gpu.inner);
        let device = &inner.device;
        let no_handle = |error: raw_window_handle::HandleError| {
            GpuError::misuse("window", format!("it has no handle: {error}"))
        };
        let display = window.display_handle().map_err(no_handle)?.as_raw();
        let handle = window.window_handle().map_err(no_handle)?.as_raw();
        let surfaces = khr::surface::Instance::new(entry()?, &device.instance.raw);
        // SAFETY: the instance has the extensions of this display, and the window outlives the surface.
        let surface =
            unsafe { ash_window::create_surface(entry()?, &device.instance.raw, display, handle, None) }
                .map_err(|result| GpuError::vulkan("creating the surface", "window", result))?;
        let swapchains = khr::swapchain::Device::new(&device.instance.raw, &device.raw);
        let mut screen = Screen {
            surfaces,
            surface,
            swapchains,
            chain: None,
            texture: None,
            painter: None,
            acquired: vk::Fence::null(),
            pool: vk::CommandPool::null(),
            commands: vk::CommandBuffer::null(),
            copied: gpu.timeline("copies to the window")?,
            copies: 0,
            gpu: inner,
            _window: Box::new(window),
        };
        // From here on, a failure drops `screen`, which destroys its parts.
        screen.prepare()?;
        Ok(screen)
    }

    fn prepare(&mut self) -> Result<(), GpuError> {
        let device = Arc::clone(&self.gpu.device);
        let family = self.gpu.queues.get(Queue::Compute).family;
        // SAFETY: the device was listed by the instance, which has the extension, and the surface is alive.
        let presents = unsafe {
            self.surfaces
                .get_physical_device_surface_support(device.physical, family, self.surface)
        };
        let draws = device.report.queue_families.iter();
        let draws = draws.clone().any(|item| item.index == family && item.graphics);
        if !draws
            || !presents.map_err(|result| GpuError::vulkan("asking for presentation", "window", result))?
        {
            return Err(GpuError::Lacking {
                device: device.report.name.clone(),
                what: "queue that computes and presents to this display",
                remedy: "write files with `sastrugi run`, or choose the device that drives the display (--device)",
            });
        }
        let failed = |result| GpuError::vulkan("preparing the copies", "window", result);
        // SAFETY: the device is alive; the descriptions outlive the calls.
        self.acquired =
            unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) }.map_err(failed)?;
        let pool = vk::CommandPoolCreateInfo::default()
            .queue_family_index(family)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: as above.
        self.pool = unsafe { device.raw.create_command_pool(&pool, None) }.map_err(failed)?;
        let one = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        // SAFETY: as above; the pool was just created.
        let commands = unsafe { device.raw.allocate_command_buffers(&one) }.map_err(failed)?;
        self.commands = commands.first().copied().unwrap_or_default();
        device.name(self.acquired, "window acquired");
        device.name(self.commands, "window copy");
        Ok(())
    }

    /// Shows a part of a picture as large as it fits in the window, with an overlay over it; the rest is black. Equal
    /// sizes show every pixel unchanged.
    pub fn show(
        &mut self,
        picture: &Picture,
        layout: &Layout,
        overlay: Option<&mut Overlay>,
    ) -> Result<Shown, GpuError> {
        if layout.window.contains(&0) || picture.size.contains(&0) {
            return Ok(Shown::NotNow);
        }
        let mut overlay = overlay;
        let mut shown = Shown::NotNow;
        // While a window changes its size, a new swapchain may already be out of date, or have another size than the window.
        for _ in 0..3 {
            if !self.fit(layout.window)? {
                return Ok(Shown::NotNow);
            }
            let Some(image) = self.acquire()? else { continue };
            self.copy(picture, layout, overlay.as_deref_mut(), image)?;
            if self.present(image)? {
                shown = Shown::Yes;
            }
            if self.chain.as_ref().is_some_and(|chain| !chain.stale) {
                break;
            }
        }
        Ok(shown)
    }

    /// Ensures a swapchain for the size of the window. False if the window has no area.
    fn fit(&mut self, window: [u32; 2]) -> Result<bool, GpuError> {
        let fits = |chain: &Swapchain| !chain.stale && chain.window == window;
        if !self.chain.as_ref().is_some_and(fits) {
            let surface = (&self.surfaces, self.surface);
            let chain = &mut self.chain;
            *chain = Swapchain::new(&self.gpu.device, surface, &self.swapchains, window, chain)?;
        }
        Ok(self.chain.is_some())
    }

    /// The index of a free image; `None` if there is none now, or the swapchain is out of date.
    fn acquire(&mut self) -> Result<Option<u32>, GpuError> {
        let device = Arc::clone(&self.gpu.device);
        let Some(chain) = &mut self.chain else {
            return Ok(None);
        };
        let nanoseconds = ACQUIRE_TIMEOUT.as_nanos() as u64;
        // SAFETY: the swapchain is alive, and the fence is reset and unused.
        let acquired = unsafe {
            self.swapchains
                .acquire_next_image(chain.raw, nanoseconds, vk::Semaphore::null(), self.acquired)
        };
        let number = match acquired {
            Ok((number, suboptimal)) => {
                chain.stale |= suboptimal;
                number
            }
            Err(vk::Result::TIMEOUT | vk::Result::NOT_READY) => return Ok(None),
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => {
                chain.stale = true;
                return Ok(None);
            }
            Err(result) => return Err(lost_display("acquiring an image", result)),
        };
        let fences = [self.acquired];
        // SAFETY: the acquisition signals the fence.
        unsafe {
            device
                .raw
                .wait_for_fences(&fences, true, COPY_TIMEOUT.as_nanos() as u64)
        }
        .and_then(|()| {
            // SAFETY: signalled, so nothing uses it.
            unsafe { device.raw.reset_fences(&fences) }
        })
        .map_err(|result| lost_display("waiting for an image", result))?;
        Ok(Some(number))
    }

    /// Copies a picture to an image of the swapchain, draws the overlay over it, and waits for the end of both.
    fn copy(
        &mut self,
        picture: &Picture,
        layout: &Layout,
        mut overlay: Option<&mut Overlay>,
        image: u32,
    ) -> Result<(), GpuError> {
        let Some(chain) = &self.chain else { return Ok(()) };
        let (extent, format) = (chain.extent, chain.format);
        let (images, views) = (chain.images.get(image as usize), chain.views.get(image as usize));
        let Some((target, view)) = images.copied().zip(views.copied()) else {
            return Ok(());
        };
        let texture = match self
            .texture
            .take()
            .filter(|texture| texture.size() == picture.size)
        {
            Some(texture) => texture,
            None => Texture::new(&self.gpu.device, picture.size)?,
        };
        let texture = self.texture.insert(texture);
        let fitted = fit(
            picture.size,
            layout.part,
            layout.left,
            [extent.width, extent.height],
        );
        let device = &self.gpu.device;
        let queue = self.gpu.queues.get(Queue::Compute);
        if let Some(overlay) = &mut overlay {
            let painter = match self.painter.take().filter(|painter| painter.format() == format) {
                Some(painter) => painter,
                None => Painter::new(device, format)?,
            };
            self.painter.insert(painter).upload(queue, self.pool, overlay)?;
        }
        let failed = |result| GpuError::vulkan("recording the copy", "window", result);
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the last submission of these commands is done, so they may be recorded again.
        unsafe { device.raw.begin_command_buffer(self.commands, &begin) }.map_err(failed)?;
        texture.record(device, self.commands, picture.buffer, target, &fitted);
        if let (Some(painter), Some(overlay)) = (&mut self.painter, &overlay) {
            painter.record(device, self.commands, (view, extent), overlay)?;
        }
        let ready = [change(
            target,
            vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            vk::ImageLayout::PRESENT_SRC_KHR,
        )];
        let ready = vk::DependencyInfo::default().image_memory_barriers(&ready);
        // SAFETY: recording; the image is in this layout, and alive until the host has waited for the commands.
        unsafe { device.raw.cmd_pipeline_barrier2(self.commands, &ready) };
        // SAFETY: recording.
        unsafe { device.raw.end_command_buffer(self.commands) }.map_err(failed)?;
        self.submit(&picture.filled)?;
        if self.copied.wait(self.copies, COPY_TIMEOUT)? {
            match (&mut self.painter, overlay) {
                (Some(painter), Some(overlay)) => painter.clean(overlay),
                _ => Ok(()),
            }
        } else {
            Err(GpuError::misuse(
                "window",
                "the device does not finish the copy of a picture",
            ))
        }
    }

    /// Submits the recorded commands once the picture is filled.
    fn submit(&mut self, (filled, value): &(Timeline, u64)) -> Result<(), GpuError> {
        self.copies += 1;
        let (device, queue) = (&self.gpu.device, self.gpu.queues.get(Queue::Compute));
        let point = |timeline: &Timeline, value| {
            vk::SemaphoreSubmitInfo::default()
                .semaphore(timeline.raw())
                .value(value)
                .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        };
        let waits = [point(filled, *value)];
        let signals = [point(&self.copied, self.copies)];
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(self.commands)];
        let submit = [vk::SubmitInfo2::default()
            .wait_semaphore_infos(&waits)
            .command_buffer_infos(&commands)
            .signal_semaphore_infos(&signals)];
        let _lock = queue.lock();
        // SAFETY: the queue's lock is held; all that the commands use stays alive until the caller has waited.
        unsafe { device.raw.queue_submit2(queue.raw, &submit, vk::Fence::null()) }
            .map_err(|result| GpuError::vulkan("submitting the copy", "window", result))
    }

    /// Presents an image; false if the swapchain no longer fits the window.
    fn present(&mut self, image: u32) -> Result<bool, GpuError> {
        let Some(chain) = &mut self.chain else {
            return Ok(false);
        };
        let (chains, images) = ([chain.raw], [image]);
        let info = vk::PresentInfoKHR::default()
            .swapchains(&chains)
            .image_indices(&images);
        let queue = self.gpu.queues.get(Queue::Compute);
        let presented = {
            let _lock = queue.lock();
            // SAFETY: the queue's lock is held; the image was acquired, and the copy to it is done.
            unsafe { self.swapchains.queue_present(queue.raw, &info) }
        };
        match presented {
            Ok(suboptimal) => {
                chain.stale |= suboptimal;
                Ok(true)
            }
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => {
                chain.stale = true;
                Ok(false)
            }
            Err(result) => Err(lost_display("presenting", result)),
        }
    }
}

fn lost_display(doing: &'static str, result: vk::Result) -> GpuError {
    match result {
        vk::Result::ERROR_SURFACE_LOST_KHR => GpuError::DisplayGone,
        other => GpuError::vulkan(doing, "window", other),
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Its last copy may be running if an error ended `copy`.
        let _ = self.copied.wait(self.copies, Duration::from_secs(10));
        self.texture = None;
        self.painter = None;
        let device = &self.gpu.device;
        if let Some(chain) = self.chain.take() {
            chain.destroy(device, &self.swapchains);
        }
        // SAFETY: nothing uses these any more; null is allowed.
        unsafe { device.raw.destroy_fence(self.acquired, None) };
        // SAFETY: as above; the commands go with their pool.
        unsafe { device.raw.destroy_command_pool(self.pool, None) };
        if !self.surface.is_null() {
            // SAFETY: its swapchain is destroyed, and the window still exists.
            unsafe { self.surfaces.destroy_surface(self.surface, None) };
        }
    }
}
