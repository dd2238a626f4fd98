//! Vulkan devices.

use std::ffi::CStr;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cache::Cache;
use crate::gpu::{self, DeviceKind, DeviceReport, Gpu, OpenOptions, Validation};

use super::error::Error;

/// How a device is opened.
#[derive(Debug, Clone, Default)]
pub struct DeviceOptions {
    /// An index in [`Device::list`], or part of a name (upper or lower case); `None` for the best device.
    pub device: Option<String>,
    /// Loads the Khronos validation layer, which checks every call; see [`Device::validation_messages`].
    pub validation: bool,
    /// A directory for compiled shaders and pipelines, which later processes reuse, such as a user's cache directory;
    /// see `docs/caches.md`. With `None` nothing is kept.
    pub cache: Option<PathBuf>,
    /// Uses one queue for all work, which [`Options::full_barriers`](crate::Options::full_barriers) requires.
    pub single_queue: bool,
    /// Receives messages that nobody has taken when the device closes: those of the validation layer, and failures that
    /// no call could return.
    pub on_message: Option<fn(&str)>,
}

/// An open Vulkan device. Clones are cheap and share it; any number of simulations may use it, from any thread.
///
/// ```
/// use sastrugi::{Device, DeviceOptions};
/// # use sastrugi::ErrorKind;
///
/// # fn main() -> Result<(), sastrugi::Error> {
/// let device = match Device::open(&DeviceOptions::default()) {
///     Ok(device) => device,
/// #   Err(error) if std::env::var_os("SASTRUGI_REQUIRE_GPU").is_some() => return Err(error),
///     Err(error) => {
///         eprintln!("{error}");
///         return Ok(());
///     }
/// };
/// println!("{} with {} bytes of memory", device.info().name, device.info().memory_bytes);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Device {
    pub(super) gpu: Gpu,
}

/// Properties of a Vulkan device. Its display is that of `sastrugi devices`.
#[derive(Debug, Clone)]
pub struct DeviceInfo {
    /// Its position in the list of the loader.
    pub index: usize,
    /// Its name, as the driver gives it.
    pub name: String,
    /// Its driver, with version.
    pub driver: String,
    /// A driver that runs kernels on the processor.
    pub is_processor: bool,
    /// Memory of its own, bytes.
    pub memory_bytes: u64,
    /// Largest buffer, bytes.
    pub max_buffer_bytes: u64,
    /// Whether it supports sparse binding, which sparse grids use if possible.
    pub binds_pages: bool,
    /// Why it cannot be used; empty when it can.
    pub refused: Vec<String>,
    /// Whether it is the device that is opened by default.
    pub is_default: bool,
    pub(super) report: DeviceReport,
}

impl Device {
    /// Opens a device.
    pub fn open(options: &DeviceOptions) -> Result<Device, Error> {
        Device::opened(options, Vec::new())
    }

    /// With extensions for a window, if there is one.
    pub(super) fn opened(options: &DeviceOptions, surface: Vec<&'static CStr>) -> Result<Device, Error> {
        let gpu = Gpu::open(&OpenOptions {
            device: options.device.clone(),
            validation: match options.validation {
                true => Validation::On,
                false => Validation::Off,
            },
            single_queue: options.single_queue,
            cache: options.cache.as_ref().map_or_else(Cache::off, Cache::at),
            surface,
            unheard: options.on_message.map(|hear| Arc::new(hear) as _),
            ..OpenOptions::default()
        });
        Ok(Device {
            gpu: gpu.map_err(Error::of_device)?,
        })
    }

    /// Every Vulkan device, including those that cannot be used.
    pub fn list() -> Result<Vec<DeviceInfo>, Error> {
        let found = gpu::devices().map_err(Error::of_device)?;
        Ok(found.iter().map(DeviceInfo::of).collect())
    }

    /// The device that would be opened for [`DeviceOptions::device`].
    pub fn find(device: Option<&str>) -> Result<DeviceInfo, Error> {
        let found = gpu::find_device(device.unwrap_or_default()).map_err(Error::of_device)?;
        Ok(DeviceInfo::of(&found))
    }

    /// What is known about it.
    pub fn info(&self) -> DeviceInfo {
        DeviceInfo::of(self.gpu.report())
    }

    /// The result of some work on the device; an error if the validation layer has said something, which
    /// [`Device::validation_messages`] then has no more.
    pub fn validated<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        let messages = self.validation_messages();
        match messages.is_empty() {
            true => result,
            false => Err(Error::failed(format!(
                "the validation layer reported errors:\n{}",
                messages.join("\n")
            ))),
        }
    }

    /// Messages of the validation layer since the last call; always empty without [`DeviceOptions::validation`].
    pub fn validation_messages(&self) -> Vec<String> {
        self.gpu.take_validation_messages()
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("Device").field(&self.gpu.report().name).finish()
    }
}

impl DeviceInfo {
    fn of(report: &DeviceReport) -> DeviceInfo {
        let own = report.heaps.iter().filter(|heap| heap.device_local);
        DeviceInfo {
            index: report.index,
            name: report.name.clone(),
            driver: format!("{} {}", report.driver_name, report.driver_info),
            is_processor: report.kind == DeviceKind::Cpu,
            memory_bytes: own.map(|heap| heap.bytes).max().unwrap_or(0),
            max_buffer_bytes: report.limits.max_buffer_bytes,
            binds_pages: report.sparse.binding && report.sparse.residency_buffer,
            refused: report.refused.clone(),
            is_default: report.chosen,
            report: report.clone(),
        }
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.report.fmt(f)
    }
}
