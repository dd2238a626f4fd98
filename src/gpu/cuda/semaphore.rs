//! Timelines of Vulkan on streams of CUDA: the order between kernels of both, without waits of the host.

use std::fs::File;
use std::sync::Arc;

use super::functions::{Handle, SemaphoreHandle, SemaphoreValue, Status};
use super::{CudaDevice, check};
use crate::gpu::handles::{number, released};
use crate::gpu::{Gpu, GpuError, Timeline};

/// A stream that another part of the program made: its handle, or 1 for the legacy default stream and 2 for that of each thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CudaStream(pub usize);

/// A timeline of Vulkan as CUDA sees it.
pub struct CudaSemaphore {
    device: Arc<CudaDevice>,
    handle: Handle,
}

impl Gpu {
    /// A timeline that both Vulkan and CUDA wait for and raise. `None` if the device or CUDA refuses.
    pub fn timeline_for_cuda(
        &self,
        name: &str,
        cuda: &Arc<CudaDevice>,
    ) -> Result<Option<(Timeline, CudaSemaphore)>, GpuError> {
        let Some((timeline, file)) = self.exported_timeline(name)? else {
            return Ok(None);
        };
        Ok(CudaSemaphore::open(cuda, file).map(|semaphore| (timeline, semaphore)))
    }
}

impl CudaSemaphore {
    fn open(device: &Arc<CudaDevice>, file: File) -> Option<CudaSemaphore> {
        let described = SemaphoreHandle::timeline(number(&file)?);
        let opened = device.within(|| {
            let mut handle = 0;
            // SAFETY: the description is complete and holds an open file; the driver writes one handle.
            check(unsafe { (device.functions.import_semaphore)(&mut handle, &described) })?;
            Ok(handle)
        });
        let handle = opened.ok()?;
        // CUDA closes the file of a semaphore that it has imported.
        released(file);
        Some(CudaSemaphore {
            device: Arc::clone(device),
            handle,
        })
    }

    /// Later work of a stream starts when the timeline has reached a value, which a submission or a stream raises it to.
    pub fn wait(&self, value: u64, stream: CudaStream) -> Result<(), GpuError> {
        let value = SemaphoreValue::of(value);
        let waits = self.device.within(|| {
            // SAFETY: one semaphore and one value; the caller vouches for the stream.
            check(unsafe { (self.device.functions.wait)(&self.handle, &value, 1, stream.0) })
        });
        waits.map_err(|status| self.failed(status))
    }

    /// Raises the timeline when earlier work of a stream has ended.
    pub fn signal(&self, value: u64, stream: CudaStream) -> Result<(), GpuError> {
        let value = SemaphoreValue::of(value);
        let signals = self.device.within(|| {
            // SAFETY: as above.
            check(unsafe { (self.device.functions.signal)(&self.handle, &value, 1, stream.0) })
        });
        signals.map_err(|status| self.failed(status))
    }

    fn failed(&self, status: Status) -> GpuError {
        GpuError::Vulkan {
            doing: "ordering work of CUDA and Vulkan",
            object: "a stream of CUDA".into(),
            result: self.device.name_of(status),
        }
    }
}

impl Drop for CudaSemaphore {
    fn drop(&mut self) {
        let destroyed = self.device.within(|| {
            // No stream may still wait for it.
            // SAFETY: the context is current.
            check(unsafe { (self.device.functions.synchronize)() })?;
            // SAFETY: imported by `open` and destroyed once.
            check(unsafe { (self.device.functions.destroy_semaphore)(self.handle) })
        });
        // As for memory.
        let _ = destroyed;
    }
}
