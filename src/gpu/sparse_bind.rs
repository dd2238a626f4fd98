//! Binds and unbinds memory of pages of sparse buffers, with waits for timelines and signals.

use ash::vk;

use super::in_flight::{Kept, Pending};
use super::{Gpu, GpuError, PageMemory, Queue, SparseBuffer, Timeline};

/// Changes of the memory of one buffer.
pub struct Bind<'a> {
    pub buffer: &'a SparseBuffer,
    pub entries: &'a [BindEntry],
}

/// One range of whole pages, to bind to a range of memory or, with `None`, to unbind.
///
/// The cost is per entry and not per byte, so adjacent pages with adjacent memory form one entry.
#[derive(Clone)]
pub struct BindEntry {
    pub offset: u64,
    pub bytes: u64,
    /// The memory and the offset in it. A byte of memory is bound to one page at a time.
    pub memory: Option<(PageMemory, u64)>,
}

impl Gpu {
    /// Changes the memory of pages in one call after `waits` are reached, then raises `signals`. Without binds, it only
    /// waits and signals.
    ///
    /// Calls take effect in their order, but are not ordered against kernels otherwise: a submission that uses the
    /// pages must wait for a signal of this call, and this call must wait for submissions that use the memory that it
    /// unbinds. Since Sparse may share its queue with other classes, work that raises `waits` must be submitted before
    /// this call, and this call before work that waits for it. Memory keeps its contents when it moves. The contents of
    /// new memory are undefined.
    ///
    /// On llvmpipe each scattered page uses two memory mappings of the process. If these run out (at 32,000 pages,
    /// unless vm.max_map_count is raised), the driver reports success although pages are wrong.
    pub fn bind(
        &self,
        waits: &[(Timeline, u64)],
        binds: &[Bind<'_>],
        signals: &[(Timeline, u64)],
    ) -> Result<(), GpuError> {
        let device = &self.inner.device;
        if self.sparse().is_none() {
            let problem = "it does not support sparse binding";
            return Err(GpuError::misuse(
                format!("device {}", device.report.name),
                problem,
            ));
        }
        for (timeline, _) in waits.iter().chain(signals) {
            timeline.check_device(device)?;
        }
        for bind in binds {
            bind.buffer.check_device(device)?;
        }
        check_entries(binds)?;

        let target = self.inner.queues.get(Queue::Sparse);
        let mut in_flight = target.lock();
        in_flight.release_finished();
        let unfinished = &mut in_flight.binds;
        let number = unfinished.next();
        let done = unfinished.done().raw();
        // The wait for the previous call keeps calls in order.
        let (wait_on, wait_values) = points(waits, (done, number - 1));
        let (raise, raise_values) = points(signals, (done, number));

        let entries: Vec<Vec<_>> = binds.iter().map(|bind| vulkan_entries(bind.entries)).collect();
        let of_buffers: Vec<_> = binds
            .iter()
            .zip(&entries)
            .filter(|(_, entries)| !entries.is_empty())
            .map(|(bind, entries)| {
                vk::SparseBufferMemoryBindInfo::default()
                    .buffer(bind.buffer.raw())
                    .binds(entries)
            })
            .collect();
        let mut values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&wait_values)
            .signal_semaphore_values(&raise_values);
        let info = vk::BindSparseInfo::default()
            .wait_semaphores(&wait_on)
            .buffer_binds(&of_buffers)
            .signal_semaphores(&raise)
            .push_next(&mut values);
        // SAFETY: all handles belong to this device and are kept alive by `in_flight` until `number` is reached; the
        // ranges were checked; the queue binds sparse memory and its lock is held.
        unsafe {
            device
                .raw
                .queue_bind_sparse(target.raw, &[info], vk::Fence::null())
        }
        .map_err(|result| {
            let names: Vec<_> = binds.iter().map(|bind| bind.buffer.name()).collect();
            GpuError::vulkan(
                "binding pages",
                format!("sparse buffers {}", names.join(", ")),
                result,
            )
        })?;
        unfinished.add(Pending {
            waits: waits.to_vec(),
            signals: signals.to_vec(),
            used: used(binds),
        });
        Ok(())
    }
}

/// Checks that every entry covers whole pages of its buffer and of its memory, and that no page occurs twice.
fn check_entries(binds: &[Bind]) -> Result<(), GpuError> {
    let mut ranges = Vec::new();
    for (place, bind) in binds.iter().enumerate() {
        for entry in bind.entries {
            bind.buffer.check_pages(entry.offset, entry.bytes)?;
            if let Some((memory, offset)) = &entry.memory {
                memory.check_backs(bind.buffer, *offset, entry.bytes)?;
            }
            ranges.push((bind.buffer.raw(), entry.offset, entry.bytes, place));
        }
    }
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        let ((buffer, offset, bytes, place), (next_buffer, next, next_bytes, _)) = (pair[0], pair[1]);
        if buffer == next_buffer && next < offset + bytes {
            let problem = format!(
                "the {bytes} bytes at {offset} and the {next_bytes} bytes at {next} overlap: cannot bind both in one \
                 call"
            );
            return Err(GpuError::misuse(binds[place].buffer.object(), problem));
        }
    }
    Ok(())
}

/// Semaphores and their values, as two lists.
fn points(list: &[(Timeline, u64)], own: (vk::Semaphore, u64)) -> (Vec<vk::Semaphore>, Vec<u64>) {
    list.iter()
        .map(|(timeline, value)| (timeline.raw(), *value))
        .chain([own])
        .unzip()
}

fn vulkan_entries(entries: &[BindEntry]) -> Vec<vk::SparseMemoryBind> {
    let bind = |entry: &BindEntry| {
        let bind = vk::SparseMemoryBind::default()
            .resource_offset(entry.offset)
            .size(entry.bytes);
        match &entry.memory {
            Some((memory, offset)) => bind
                .memory(memory.raw())
                .memory_offset(memory.raw_offset(*offset)),
            None => bind,
        }
    };
    entries.iter().map(bind).collect()
}

/// The objects that the call keeps alive. Consecutive entries often share memory, which is then held once.
fn used(binds: &[Bind]) -> Vec<Kept> {
    let mut kept: Vec<Kept> = binds.iter().map(|bind| bind.buffer.kept()).collect();
    let mut last: Option<&PageMemory> = None;
    let entries = binds.iter().flat_map(|bind| bind.entries);
    for (memory, _) in entries.filter_map(|entry| entry.memory.as_ref()) {
        if last.is_none_or(|last| !last.same(memory)) {
            kept.push(memory.kept());
            last = Some(memory);
        }
    }
    kept
}
