//! Pictures of simulations on a window of the program.

use std::sync::Arc;

use raw_window_handle::{HasDisplayHandle, HasWindowHandle};

use crate::gpu::{self, Layout, Overlay, Picture, Shown, surface_extensions};

use super::device::{Device, DeviceOptions};
use super::error::Error;
use super::snapshot::Snapshot;

/// A window as a place for pictures. One thread uses it: [`Screen::show`] waits for the display, the device does not.
pub struct Screen(gpu::Screen);

impl Device {
    /// Opens a device that presents on the windows of a display.
    pub fn open_for(options: &DeviceOptions, display: &impl HasDisplayHandle) -> Result<Device, Error> {
        let display = display.display_handle().map_err(|error| {
            Error::failed(format!(
                "the display has no handle: {error}\n  help: write files with `sastrugi run`"
            ))
        })?;
        let surface = surface_extensions(display.as_raw()).map_err(Error::of_device)?;
        Device::opened(options, surface)
    }
}

impl Screen {
    /// A screen on a window, which it keeps alive. The device must have been [opened for](Device::open_for) its display.
    pub fn new<W>(device: &Device, window: Arc<W>) -> Result<Screen, Error>
    where
        W: HasWindowHandle + HasDisplayHandle + Send + Sync + 'static,
    {
        let screen = gpu::Screen::new(&device.gpu, window).map_err(Error::of_device)?;
        Ok(Screen(screen))
    }

    /// Shows a picture, which must have been taken, as soon as it is filled; shapes of the overlay lie over it.
    pub fn show(
        &mut self,
        picture: &Snapshot,
        layout: &Layout,
        overlay: Option<&mut Overlay>,
    ) -> Result<Shown, Error> {
        let Some(filled) = picture.filled.clone() else {
            return Err(Error::misuse("a picture that was not taken cannot be shown"));
        };
        let picture = Picture {
            buffer: &picture.buffer,
            size: picture.size,
            filled,
        };
        self.0.show(&picture, layout, overlay).map_err(Error::of_device)
    }
}
