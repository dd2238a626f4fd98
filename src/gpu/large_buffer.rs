//! Device memory of buffers that exceed the maximum allocation of the device: several allocations, bound in sequence
//! to one range of addresses (sparse binding). Such a buffer is used like any other.

use std::ops::Range;
use std::time::Duration;

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::Allocation;

use super::device::Device;
use super::queues::Queue;
use super::{Gpu, GpuError, Timeline};

/// Time limit of a bind, which usually takes milliseconds.
const BIND_TIMEOUT: Duration = Duration::from_secs(60);

impl Gpu {
    /// True if a buffer of this size needs more than one allocation.
    pub(super) fn is_large(&self, bytes: u64) -> bool {
        bytes > self.inner.device.largest_allocation
    }

    /// Allocates memory for a buffer that was created with sparse binding, and binds all of it.
    pub(super) fn bind_large(&self, raw: vk::Buffer, name: &str) -> Result<Vec<Allocation>, GpuError> {
        let device = &self.inner.device;
        // SAFETY: the caller has just created the buffer from this device.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        self.bind_ranges(
            raw,
            name,
            requirements,
            std::slice::from_ref(&(0..requirements.size)),
        )
    }

    /// Allocates memory for ranges of a buffer that was created with sparse binding, which are in order and consist of whole
    /// pages, and binds it.
    pub(super) fn bind_ranges(
        &self,
        raw: vk::Buffer,
        name: &str,
        requirements: vk::MemoryRequirements,
        ranges: &[Range<u64>],
    ) -> Result<Vec<Allocation>, GpuError> {
        let device = &self.inner.device;
        let size = ranges.iter().map(|range| range.end - range.start).sum();
        let requirements = vk::MemoryRequirements { size, ..requirements };
        let parts = match parts(device, name, requirements) {
            Ok(parts) => parts,
            Err((error, parts)) => {
                parts.into_iter().for_each(|part| device.free(name, part));
                return Err(error);
            }
        };
        match self.bind_parts(raw, name, ranges, &parts) {
            Ok(()) => Ok(parts),
            Err(error) => {
                parts.into_iter().for_each(|part| device.free(name, part));
                Err(error)
            }
        }
    }

    fn bind_parts(
        &self,
        raw: vk::Buffer,
        name: &str,
        ranges: &[Range<u64>],
        parts: &[Allocation],
    ) -> Result<(), GpuError> {
        let device = &self.inner.device;
        let mut binds = Vec::with_capacity(parts.len() + ranges.len());
        let (mut ranges, mut range) = (ranges.iter().cloned(), 0..0);
        for part in parts {
            // SAFETY: asks for the handle only; the memory is freed after the buffer is destroyed.
            let memory = unsafe { part.memory() };
            let mut used = 0;
            while used < part.size() {
                if range.is_empty() {
                    let Some(next) = ranges.next() else { break };
                    range = next;
                }
                let size = (range.end - range.start).min(part.size() - used);
                let bind = vk::SparseMemoryBind::default()
                    .resource_offset(range.start)
                    .size(size)
                    .memory(memory)
                    .memory_offset(part.offset() + used);
                binds.push(bind);
                range.start += size;
                used += size;
            }
        }
        let done = Timeline::new(device, name)?;
        let (signals, values) = ([done.raw()], [1]);
        let of_buffer = [vk::SparseBufferMemoryBindInfo::default()
            .buffer(raw)
            .binds(&binds)];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
        let info = vk::BindSparseInfo::default()
            .buffer_binds(&of_buffer)
            .signal_semaphores(&signals)
            .push_next(&mut values);
        let target = self.inner.queues.get(Queue::Sparse);
        let in_flight = target.lock();
        // SAFETY: buffer, memory and semaphore are of this device and outlive the wait below; the parts fill the ranges
        // without overlap; the queue binds sparse memory and its lock is held.
        let bound = unsafe {
            device
                .raw
                .queue_bind_sparse(target.raw, &[info], vk::Fence::null())
        };
        bound.map_err(|result| GpuError::vulkan("binding memory", format!("buffer '{name}'"), result))?;
        drop(in_flight);
        if done.wait(1, BIND_TIMEOUT)? {
            Ok(())
        } else {
            Err(GpuError::misuse(
                format!("buffer '{name}'"),
                format!("binding its memory took longer than {} s", BIND_TIMEOUT.as_secs()),
            ))
        }
    }
}

/// Allocations that fill a buffer, each as large as the device allows. An error includes the allocations so far.
fn parts(
    device: &Device,
    name: &str,
    requirements: vk::MemoryRequirements,
) -> Result<Vec<Allocation>, (GpuError, Vec<Allocation>)> {
    let alignment = requirements.alignment.max(1);
    let largest = (device.largest_allocation / alignment * alignment).max(alignment);
    let mut parts: Vec<Allocation> = Vec::new();
    let mut left = requirements.size;
    while left > 0 {
        let size = left.min(largest);
        let wanted = vk::MemoryRequirements { size, ..requirements };
        match device.allocate(name, wanted, (MemoryLocation::GpuOnly, "device memory")) {
            Ok(part) => parts.push(part),
            Err(error) => return Err((error, parts)),
        }
        left -= size;
    }
    Ok(parts)
}
