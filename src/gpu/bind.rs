//! Binding: memory put behind pages of sparse buffers, and taken away, between waits and signals of timelines.

use ash::vk;

use super::in_flight::{Kept, Pending};
use super::{Gpu, GpuError, PageMemory, Queue, SparseBuffer, Timeline};

/// What changes behind one buffer.
pub(crate) struct Bind<'a> {
    pub buffer: &'a SparseBuffer,
    pub entries: &'a [BindEntry],
}

/// One range of whole pages, backed by a range of memory or, with `None`, by nothing any more.
///
/// Devices take time per entry, not per byte: neighbouring pages of neighbouring memory make one entry.
#[derive(Clone)]
pub(crate) struct BindEntry {
    pub offset: u64,
    pub bytes: u64,
    /// The memory and the offset in it. Bytes of it are bound in one place at a time.
    pub memory: Option<(PageMemory, u64)>,
}

impl Gpu {
    /// Changes what is behind pages, in one call, once `waits` are reached; then raises `signals`. Without any binds
    /// that is all it does.
    ///
    /// Calls take effect in their order. Nothing else orders them with kernels: a submission that uses the pages
    /// waits for a signal of this, and this waits for those that used what it takes away. Since Sparse may share its
    /// queue with other classes, what raises `waits` is submitted first, and so is this before what waits for it.
    /// Memory moves with its contents; whoever is given fresh memory writes before reading.
    ///
    /// On llvmpipe scattered pages cost two of the process's memory mappings each, and where these run out (at 32,000
    /// pages, unless vm.max_map_count is raised) the driver reports success and pages are wrong.
    pub(crate) fn bind(
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
        // The wait for the call before this one is what keeps calls in order.
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

/// Every entry is whole pages of its buffer and its memory, and no page is named twice.
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

/// What the call keeps alive. Entries come in runs of the same memory, which is held once for each run.
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
