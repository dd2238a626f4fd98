//! Vulkan devices.

use std::ffi::CStr;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cache::Cache;
use crate::gpu::{self, DeviceKind, DeviceReport, Gpu, Lowered, OpenOptions, Validation};

use super::error::Error;
use super::process_limits;

/// Options for opening a device.
#[derive(Debug, Clone, Default)]
pub struct DeviceOptions {
    /// An index in [`Device::list`], or part of a name (upper or lower case); `None` for the best device.
    pub device: Option<String>,
    /// Loads the Khronos validation layer, which checks every call; see [`Device::validation_messages`].
    pub validation: bool,
    /// Directory of the cache of compiled shaders and pipelines, such as a user's cache directory; `docs/caches.md`
    /// describes it. `None`: no cache.
    pub cache: Option<PathBuf>,
    /// Uses one queue for all work, which [`Options::full_barriers`](crate::Options::full_barriers) requires.
    pub single_queue: bool,
    /// Limits, features and extensions that count as missing, as on other devices.
    pub lowered: Lowered,
    /// Called when the device closes, with each message of the validation layer that was not taken, and each failure
    /// that no call could return.
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

/// Properties of a Vulkan device. Its `Display` is the text of `sastrugi devices`.
#[derive(Debug, Clone)]
pub struct DeviceInfo {
    /// Index in the list of the Vulkan loader.
    pub index: usize,
    /// Name reported by the driver.
    pub name: String,
    /// Driver and its version.
    pub driver: String,
    /// True if the driver runs kernels on the CPU.
    pub is_processor: bool,
    /// Size of the largest heap of device-local memory, bytes.
    pub memory_bytes: u64,
    /// Maximum size of a buffer, bytes.
    pub max_buffer_bytes: u64,
    /// True if it supports sparse binding, which sparse grids use if possible.
    pub binds_pages: bool,
    /// Reasons why the device cannot be used; empty if it can.
    pub refused: Vec<String>,
    /// True for the device that is opened by default.
    pub is_default: bool,
    pub(super) report: DeviceReport,
}

impl Device {
    /// Opens a device.
    pub fn open(options: &DeviceOptions) -> Result<Device, Error> {
        Device::opened(options, Vec::new())
    }

    /// Opens a device, with instance extensions for the surface of a window.
    pub(super) fn opened(options: &DeviceOptions, surface: Vec<&'static CStr>) -> Result<Device, Error> {
        process_limits::check_addresses()?;
        process_limits::start_threads().map_err(Error::failed)?;
        let gpu = Gpu::open(&OpenOptions {
            device: options.device.clone(),
            validation: if options.validation {
                Validation::On
            } else {
                Validation::Off
            },
            single_queue: options.single_queue,
            lowered: options.lowered.clone(),
            cache: options.cache.as_ref().map_or_else(Cache::off, Cache::at),
            surface,
            listener: options.on_message.map(|hear| Arc::new(hear) as _),
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

    /// The device that would be opened.
    pub fn find(options: &DeviceOptions) -> Result<DeviceInfo, Error> {
        let found =
            gpu::find_device(options.device.as_deref(), &options.lowered).map_err(Error::of_device)?;
        Ok(DeviceInfo::of(&found))
    }

    /// True for clones of one open device.
    pub fn is_same(&self, other: &Device) -> bool {
        self.gpu.is_same(&other.gpu)
    }

    /// Properties of the device.
    pub fn info(&self) -> DeviceInfo {
        DeviceInfo::of(self.gpu.report())
    }

    /// Returns `result`, or an error if the validation layer has reported messages. Takes these messages from
    /// [`Device::validation_messages`].
    pub fn validated<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        let messages = self.validation_messages();
        if messages.is_empty() {
            result
        } else {
            Err(Error::failed(format!(
                "the validation layer reported errors:\n{}",
                messages.join("\n")
            )))
        }
    }

    /// Takes the messages of the validation layer since the last call; empty without [`DeviceOptions::validation`].
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
