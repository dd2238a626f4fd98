//! Timeline semaphores: counters with which queues and the program wait for each other.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use ash::{khr, vk};

use super::GpuError;
use super::device::Device;
use super::handles;

/// A counter that only increases. Submissions and the program can wait for it and raise it. Clones share it.
#[derive(Clone)]
pub struct Timeline {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<Device>,
    raw: vk::Semaphore,
    name: String,
}

impl Timeline {
    pub(super) fn new(device: &Arc<Device>, name: &str) -> Result<Timeline, GpuError> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        Timeline::created(
            device,
            name,
            vk::SemaphoreCreateInfo::default().push_next(&mut kind),
        )
    }

    /// A timeline for other interfaces, with a handle of it. `None` if the device exports none.
    pub(super) fn exported(device: &Arc<Device>, name: &str) -> Result<Option<(Timeline, File)>, GpuError> {
        if !exports_semaphores(device) {
            return Ok(None);
        }
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let handle = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(handle);
        let info = vk::SemaphoreCreateInfo::default()
            .push_next(&mut kind)
            .push_next(&mut export);
        let timeline = Timeline::created(device, name, info)?;
        let functions = khr::external_semaphore_fd::Device::new(&device.instance.raw, &device.raw);
        let get = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(timeline.raw())
            .handle_type(handle);
        // SAFETY: the device has the function, and the semaphore was made for such handles.
        let descriptor = unsafe { functions.get_semaphore_fd(&get) }
            .map_err(|result| GpuError::vulkan("exporting the timeline", format!("'{name}'"), result))?;
        Ok(handles::file(descriptor).map(|file| (timeline, file)))
    }

    fn created(
        device: &Arc<Device>,
        name: &str,
        info: vk::SemaphoreCreateInfo,
    ) -> Result<Timeline, GpuError> {
        // SAFETY: the device is alive and has the feature; `info` outlives the call.
        let raw = unsafe { device.raw.create_semaphore(&info, None) }
            .map_err(|result| GpuError::vulkan("creating the timeline", format!("'{name}'"), result))?;
        device.name(raw, name);
        Ok(Timeline {
            inner: Arc::new(Inner {
                device: Arc::clone(device),
                raw,
                name: name.to_owned(),
            }),
        })
    }

    /// The value of the counter. It may lag behind: to ensure that work is done, use [`Timeline::wait`].
    pub fn value(&self) -> Result<u64, GpuError> {
        // SAFETY: the semaphore is alive and is a timeline.
        unsafe { self.inner.device.raw.get_semaphore_counter_value(self.inner.raw) }
            .map_err(|result| GpuError::vulkan("reading the timeline", self.object(), result))
    }

    /// Waits until the counter has reached `value`; false if `timeout` passes first.
    pub fn wait(&self, value: u64, timeout: Duration) -> Result<bool, GpuError> {
        let (semaphores, values) = ([self.inner.raw], [value]);
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        let nanoseconds = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the semaphore is alive and is a timeline; the arrays outlive the call.
        match unsafe { self.inner.device.raw.wait_semaphores(&info, nanoseconds) } {
            Ok(()) => Ok(true),
            Err(vk::Result::TIMEOUT) => Ok(false),
            Err(result) => Err(GpuError::vulkan(
                "waiting for the timeline",
                self.object(),
                result,
            )),
        }
    }

    /// Raises the counter from the program. `value` must be above the counter and below the values of pending
    /// submissions.
    pub fn signal(&self, value: u64) -> Result<(), GpuError> {
        let now = self.value()?;
        if value <= now {
            let problem = format!("it cannot be set to {value}: it has already reached {now}");
            return Err(GpuError::misuse(self.object(), problem));
        }
        let info = vk::SemaphoreSignalInfo::default()
            .semaphore(self.inner.raw)
            .value(value);
        // SAFETY: the semaphore is alive and is a timeline, and the value grows.
        unsafe { self.inner.device.raw.signal_semaphore(&info) }
            .map_err(|result| GpuError::vulkan("raising the timeline", self.object(), result))
    }

    pub(super) fn raw(&self) -> vk::Semaphore {
        self.inner.raw
    }

    pub(super) fn same(&self, other: &Timeline) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Returns an error if the timeline belongs to another device.
    pub(super) fn check_device(&self, device: &Arc<Device>) -> Result<(), GpuError> {
        if Arc::ptr_eq(&self.inner.device, device) {
            return Ok(());
        }
        Err(GpuError::misuse(self.object(), "it belongs to another device"))
    }

    fn object(&self) -> String {
        format!("timeline '{}'", self.inner.name)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: submissions that use the semaphore hold it, so none is pending.
        unsafe { self.device.raw.destroy_semaphore(self.raw, None) };
    }
}

/// True if the device has the function that exports semaphores as open files.
fn exports_semaphores(device: &Device) -> bool {
    let get = device.instance.raw.fp_v1_0().get_device_proc_addr;
    // SAFETY: the device is alive, and the name ends with a zero byte.
    unsafe { get(device.raw.handle(), c"vkGetSemaphoreFdKHR".as_ptr()) }.is_some()
}
