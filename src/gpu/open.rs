//! Finds a device and opens it. Methods that create objects of a device (buffers, pipelines, recordings) are in the
//! files of these objects.

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::GpuError;
use super::device::Device;
use super::instance::{Instance, Validation};
use super::lowered::Lowered;
use super::messages::Listener;
use super::queues::{self, Queues};
use super::report::DeviceReport;
use super::select;
use super::timeline::Timeline;
use crate::cache::Cache;

/// Options for opening a device.
#[derive(Clone, Default)]
pub struct OpenOptions {
    /// An index in [`devices`], or part of a device name (upper or lower case); `None` for the best accepted device.
    pub device: Option<String>,
    pub validation: Validation,
    /// Uses one Vulkan queue for all of [`Queue`], as on devices with a single queue.
    pub single_queue: bool,
    /// Limits, features and extensions that count as missing.
    pub lowered: Lowered,
    /// Extensions of the instance for a window on which the device draws; empty without a window.
    pub surface: Vec<&'static std::ffi::CStr>,
    /// Cache for compiled pipelines between processes; the default keeps nothing.
    pub cache: Cache,
    /// Receives unread messages of [`Gpu::message_log`] when the device and all clones of the log are dropped.
    pub listener: Option<Listener>,
}

/// Every Vulkan device, with the reasons why some are refused, and the one that would be chosen.
pub fn devices() -> Result<Vec<DeviceReport>, GpuError> {
    let instance = Instance::new(Validation::Off, &[], None)?;
    Ok(select::found(&instance, &Lowered::default())?
        .into_iter()
        .map(|found| found.report)
        .collect())
}

/// The device that would be opened for `wanted` (an index or part of a name; `None` for the best one).
pub fn find_device(wanted: Option<&str>, lowered: &Lowered) -> Result<DeviceReport, GpuError> {
    let instance = Instance::new(Validation::Off, &[], None)?;
    Ok(select::choose(select::found(&instance, lowered)?, wanted)?.report)
}

/// An open device. Clones are cheap and share it.
#[derive(Clone)]
pub struct Gpu {
    pub(super) inner: Arc<Inner>,
}

/// Fields are dropped in order: the queues wait for their work and release it before the device is dropped.
pub(super) struct Inner {
    cache: Cache,
    opened: Opened,
    pub queues: Queues,
    pub device: Arc<Device>,
}

/// The time at which a device was opened, and the duration.
#[derive(Debug, Clone, Copy)]
pub struct Opened {
    pub at: Instant,
    pub took: Duration,
}

impl Gpu {
    /// True for clones of one open device.
    pub fn is_same(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    pub fn open(options: &OpenOptions) -> Result<Gpu, GpuError> {
        let began = Instant::now();
        let instance = Instance::new(options.validation, &options.surface, options.listener.clone())?;
        let found = select::choose(
            select::found(&instance, &options.lowered)?,
            options.device.as_deref(),
        )?;
        let single_queue = options.single_queue || options.lowered.has_one_queue();
        let families = queues::choose(&found.report.queue_families, single_queue);
        let device = Device::new(
            instance,
            found,
            &families,
            &options.lowered,
            !options.surface.is_empty(),
            options.cache.clone(),
        )?;
        let queues = Queues::new(&device, &families)?;
        let opened = Opened {
            at: Instant::now(),
            took: began.elapsed(),
        };
        Ok(Gpu {
            inner: Arc::new(Inner {
                cache: options.cache.clone(),
                opened,
                queues,
                device,
            }),
        })
    }

    /// The cache that the device was opened with.
    pub fn cache(&self) -> &Cache {
        &self.inner.cache
    }

    pub fn opened(&self) -> Opened {
        self.inner.opened
    }

    /// The report of the device.
    pub fn report(&self) -> &DeviceReport {
        &self.inner.device.report
    }

    /// True if the device has conditional commands.
    pub fn is_conditional(&self) -> bool {
        self.inner.device.conditional().is_some()
    }

    /// A new timeline at 0.
    pub fn timeline(&self, name: &str) -> Result<Timeline, GpuError> {
        Timeline::new(&self.inner.device, name)
    }

    /// As [`Gpu::timeline`], with a handle for other interfaces. `None` if the device exports none.
    pub(super) fn exported_timeline(&self, name: &str) -> Result<Option<(Timeline, File)>, GpuError> {
        Timeline::exported(&self.inner.device, name)
    }

    /// Every warning and error of the validation layer since the last call.
    pub fn take_validation_messages(&self) -> Vec<String> {
        self.inner.device.instance.messages.take_validation()
    }
}
