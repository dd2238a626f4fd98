//! Writes the commands of a recording, and checks each against buffers, limits and the queue.

use ash::vk;

use super::access::{BarrierMasks, barrier_masks};
use super::command_buffer::CommandBuffer;
use super::device::c_string;
use super::{Access, Buffer, ComputePipeline, GpuError, Queue, SparseBuffer, Timestamps};

/// Writes commands. Only barriers order them.
pub struct Recorder {
    recorded: CommandBuffer,
    bound: Option<vk::Pipeline>,
    open_labels: usize,
    conditional: bool,
}

impl Recorder {
    /// `recorded` has begun.
    pub(super) fn new(recorded: CommandBuffer) -> Recorder {
        Recorder {
            recorded,
            bound: None,
            open_labels: 0,
            conditional: false,
        }
    }

    /// Closes all groups and returns the commands.
    pub(super) fn finish(mut self) -> CommandBuffer {
        self.end_condition();
        while self.open_labels > 0 {
            self.end_label();
        }
        self.recorded
    }

    /// Runs a kernel with the address as its push constant. If there are 0 workgroups in a dimension, nothing is
    /// recorded.
    pub fn dispatch(
        &mut self,
        pipeline: &ComputePipeline,
        address: u64,
        groups: [u32; 3],
    ) -> Result<(), GpuError> {
        let most = self.recorded.device.report.limits.max_groups;
        if (0..3).any(|i| groups[i] > most[i]) {
            let problem = format!("{groups:?} workgroups are more than the device's {most:?}");
            return Err(self.misuse(format!("dispatch of '{}': {problem}", pipeline.name())));
        }
        if groups.contains(&0) {
            return Ok(());
        }
        self.bind(pipeline, address)?;
        let [x, y, z] = groups;
        // SAFETY: recording; a pipeline is bound, its push constant is set, the counts are within the limits.
        unsafe { self.vulkan().cmd_dispatch(self.recorded.raw, x, y, z) };
        Ok(())
    }

    /// Runs a kernel with the workgroup counts in three words at `offset` of `counts`, as they are when it runs.
    pub fn dispatch_indirect(
        &mut self,
        pipeline: &ComputePipeline,
        address: u64,
        counts: &Buffer,
        offset: u64,
    ) -> Result<(), GpuError> {
        counts.check_range(offset, 12, "read the workgroup counts from")?;
        if !offset.is_multiple_of(4) {
            return Err(GpuError::misuse(
                counts.object(),
                format!("offset {offset} is not a multiple of 4"),
            ));
        }
        self.bind(pipeline, address)?;
        self.hold(counts)?;
        // SAFETY: recording; a pipeline is bound, and the range lies within a buffer made for indirect dispatches.
        unsafe {
            self.vulkan()
                .cmd_dispatch_indirect(self.recorded.raw, counts.raw(), offset)
        };
        Ok(())
    }

    /// Dispatches from here to [`Recorder::end_condition`] run only if the first word of the buffer is not 0 when the
    /// first of them starts. Conditions do not nest. It is an error if the device has no conditional commands.
    pub fn begin_condition(&mut self, buffer: &Buffer) -> Result<(), GpuError> {
        buffer.check_range(0, 4, "look at")?;
        self.hold(buffer)?;
        if self.conditional {
            return Err(self.misuse("nested conditions".into()));
        }
        let Some(conditional) = self.recorded.device.conditional() else {
            return Err(GpuError::Lacking {
                device: self.recorded.device.report.name.clone(),
                what: "VK_EXT_conditional_rendering",
                remedy: "remove `while` from repeats, or use another device",
            });
        };
        let begin = vk::ConditionalRenderingBeginInfoEXT::default().buffer(buffer.raw());
        // SAFETY: recording; the buffer was made for this, holds a word, and is held. None is open.
        unsafe { (conditional.fp().cmd_begin_conditional_rendering_ext)(self.recorded.raw, &begin) };
        self.conditional = true;
        Ok(())
    }

    /// Ends a condition, if one is open.
    pub fn end_condition(&mut self) {
        if let Some(conditional) = self.recorded.device.conditional().filter(|_| self.conditional) {
            // SAFETY: recording; a condition is open.
            unsafe { (conditional.fp().cmd_end_conditional_rendering_ext)(self.recorded.raw) };
        }
        self.conditional = false;
    }

    /// Orders later accesses of `dst` after earlier accesses of `src`, whose writes they see. If either is empty, there
    /// is no barrier.
    pub fn barrier(&mut self, src: &[Access], dst: &[Access]) -> Result<(), GpuError> {
        if let Some(access) = src
            .iter()
            .chain(dst)
            .find(|access| !access.fits(self.recorded.queue))
        {
            return Err(self.misuse(format!(
                "a barrier for {access:?} on a {:?} queue",
                self.recorded.queue
            )));
        }
        if !src.is_empty() && !dst.is_empty() {
            self.memory_barrier(barrier_masks(src, dst));
        }
        Ok(())
    }

    /// A full barrier: all later accesses, including reads of the program after a wait, see all earlier writes.
    pub fn full_barrier(&mut self) {
        self.memory_barrier(BarrierMasks::full());
    }

    /// Copies between any buffers; within one buffer the ranges must not overlap.
    pub fn copy(
        &mut self,
        src: &Buffer,
        src_offset: u64,
        dst: &Buffer,
        dst_offset: u64,
        bytes: u64,
    ) -> Result<(), GpuError> {
        src.check_range(src_offset, bytes, "copy")?;
        dst.check_range(dst_offset, bytes, "copy to it")?;
        if src.raw() == dst.raw() && src_offset.abs_diff(dst_offset) < bytes {
            let problem =
                format!("the {bytes} bytes at {src_offset} and at {dst_offset} overlap: cannot copy");
            return Err(GpuError::misuse(src.object(), problem));
        }
        self.hold(src)?;
        self.hold(dst)?;
        if bytes > 0 {
            let region = [vk::BufferCopy {
                src_offset,
                dst_offset,
                size: bytes,
            }];
            // SAFETY: recording; the ranges lie within buffers made for copies and do not overlap.
            unsafe {
                self.vulkan()
                    .cmd_copy_buffer(self.recorded.raw, src.raw(), dst.raw(), &region)
            };
        }
        Ok(())
    }

    /// Writes `value` to every word of the buffer.
    pub fn fill(&mut self, buffer: &Buffer, value: u32) -> Result<(), GpuError> {
        self.hold(buffer)?;
        let words = buffer.capacity() & !3;
        // SAFETY: recording; whole words within a buffer made for fills.
        unsafe {
            self.vulkan()
                .cmd_fill_buffer(self.recorded.raw, buffer.raw(), 0, words, value)
        };
        Ok(())
    }

    /// Starts a named group of commands for debuggers, captures and validation messages.
    pub fn begin_label(&mut self, name: &str) {
        self.open_labels += 1;
        if let Some(debug) = self.recorded.device.debug() {
            let name = c_string(name);
            let label = vk::DebugUtilsLabelEXT::default().label_name(&name);
            // SAFETY: recording; the name outlives the call.
            unsafe { debug.cmd_begin_debug_utils_label(self.recorded.raw, &label) };
        }
    }

    /// Ends the innermost group. The end of the recording closes all open groups.
    pub fn end_label(&mut self) {
        if self.open_labels == 0 {
            return;
        }
        self.open_labels -= 1;
        if let Some(debug) = self.recorded.device.debug() {
            // SAFETY: recording; a group is open.
            unsafe { debug.cmd_end_debug_utils_label(self.recorded.raw) };
        }
    }

    /// Writes the time at which all commands before it are done. The index must have been reset since last written.
    pub fn timestamp(&mut self, timestamps: &Timestamps, index: u32) -> Result<(), GpuError> {
        let families = &self.recorded.device.report.queue_families;
        if families
            .iter()
            .any(|family| family.index == self.recorded.family && family.timestamp_bits == 0)
        {
            return Err(self.misuse(format!("the {:?} queue has no timestamps", self.recorded.queue)));
        }
        self.hold_timestamps(timestamps, index, 1)?;
        let stage = vk::PipelineStageFlags2::ALL_COMMANDS;
        // SAFETY: recording; the index lies within the pool and the queue takes timestamps.
        unsafe {
            self.vulkan()
                .cmd_write_timestamp2(self.recorded.raw, stage, timestamps.raw(), index)
        };
        Ok(())
    }

    /// Empties all timestamps of the pool.
    pub fn reset_timestamps(&mut self, timestamps: &Timestamps) -> Result<(), GpuError> {
        if self.recorded.queue == Queue::Transfer {
            return Err(self.misuse("timestamps can be reset only on the Compute or Output queue".into()));
        }
        self.hold_timestamps(timestamps, 0, timestamps.count())?;
        // SAFETY: recording on a queue that computes; the whole pool.
        unsafe {
            self.vulkan()
                .cmd_reset_query_pool(self.recorded.raw, timestamps.raw(), 0, timestamps.count())
        };
        Ok(())
    }

    /// Keeps a buffer alive as long as the recording, for kernels that access it only by address.
    pub fn hold(&mut self, buffer: &Buffer) -> Result<(), GpuError> {
        if !buffer.of_device(&self.recorded.device) {
            return Err(GpuError::misuse(buffer.object(), "it belongs to another device"));
        }
        self.recorded
            .used
            .buffers
            .entry(buffer.raw())
            .or_insert_with(|| buffer.clone());
        Ok(())
    }

    /// As [`Recorder::hold`], for a sparse buffer. Memory of pages is not used: the caller that binds it keeps it
    /// alive.
    pub fn hold_sparse(&mut self, buffer: &SparseBuffer) -> Result<(), GpuError> {
        buffer.check_device(&self.recorded.device)?;
        self.recorded
            .used
            .sparse_buffers
            .entry(buffer.raw())
            .or_insert_with(|| buffer.clone());
        Ok(())
    }

    fn hold_timestamps(&mut self, timestamps: &Timestamps, first: u32, count: u32) -> Result<(), GpuError> {
        if !timestamps.of_device(&self.recorded.device) {
            return Err(self.misuse("timestamps of another device".into()));
        }
        if first
            .checked_add(count)
            .is_none_or(|end| end > timestamps.count())
        {
            return Err(self.misuse(format!("there is no timestamp {first} of {}", timestamps.count())));
        }
        self.recorded
            .used
            .timestamps
            .entry(timestamps.raw())
            .or_insert_with(|| timestamps.clone());
        Ok(())
    }

    fn bind(&mut self, pipeline: &ComputePipeline, address: u64) -> Result<(), GpuError> {
        if self.recorded.queue == Queue::Transfer {
            return Err(self.misuse(format!(
                "dispatch of '{}': the Transfer queue does not support dispatches",
                pipeline.name()
            )));
        }
        if !pipeline.of_device(&self.recorded.device) {
            return Err(self.misuse(format!(
                "pipeline '{}' belongs to another device",
                pipeline.name()
            )));
        }
        let (raw, layout) = (self.recorded.raw, self.recorded.device.layout);
        if self.bound != Some(pipeline.raw()) {
            let point = vk::PipelineBindPoint::COMPUTE;
            // SAFETY: recording on a queue that computes; the recording holds the pipeline from the next line on.
            unsafe { self.vulkan().cmd_bind_pipeline(raw, point, pipeline.raw()) };
            self.recorded
                .used
                .pipelines
                .entry(pipeline.raw())
                .or_insert_with(|| pipeline.clone());
            self.bound = Some(pipeline.raw());
        }
        let bytes = address.to_ne_bytes();
        // SAFETY: recording; all pipelines share the layout, whose range is these 8 bytes.
        unsafe {
            self.vulkan()
                .cmd_push_constants(raw, layout, vk::ShaderStageFlags::COMPUTE, 0, &bytes)
        };
        Ok(())
    }

    fn memory_barrier(&mut self, masks: BarrierMasks) {
        let barriers = [masks.to_vulkan()];
        let info = vk::DependencyInfo::default().memory_barriers(&barriers);
        // SAFETY: recording; the stages were checked against the queue.
        unsafe { self.vulkan().cmd_pipeline_barrier2(self.recorded.raw, &info) };
    }

    fn vulkan(&self) -> &ash::Device {
        &self.recorded.device.raw
    }

    fn misuse(&self, problem: String) -> GpuError {
        GpuError::misuse(format!("recording '{}'", self.recorded.name), problem)
    }
}
