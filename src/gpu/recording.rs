//! Recordings: commands that are recorded once and submitted any number of times.

use std::sync::Arc;

use ash::vk;

use super::command_buffer::{CommandBuffer, UsedObjects};
use super::device::Device;
use super::recorder::Recorder;
use super::{Gpu, GpuError, Queue};

/// Commands for one queue class. May be submitted while an earlier submission of it still runs. Clones share them.
#[derive(Clone)]
pub struct Recording {
    pub(super) recorded: Arc<CommandBuffer>,
}

impl Gpu {
    /// Records the commands that `commands` writes. Addresses in arguments of kernels are not visible here: the caller
    /// keeps their buffers alive, for example with [`Recorder::hold`].
    pub fn record(
        &self,
        name: &str,
        queue: Queue,
        commands: impl FnOnce(&mut Recorder) -> Result<(), GpuError>,
    ) -> Result<Recording, GpuError> {
        let device = &self.inner.device;
        let family = self.inner.queues.get(queue).family;
        if queue == Queue::Sparse {
            return Err(GpuError::misuse(
                format!("recording '{name}'"),
                "the Sparse queue supports only binds",
            ));
        }
        let failed = |doing| move |result| GpuError::vulkan(doing, format!("recording '{name}'"), result);
        let pool_info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: the device is alive and has queues of that family.
        let pool = unsafe { device.raw.create_command_pool(&pool_info, None) }
            .map_err(failed("creating a command pool"))?;
        let mut recorded = CommandBuffer {
            device: Arc::clone(device),
            pool,
            raw: vk::CommandBuffer::null(),
            name: name.to_owned(),
            queue,
            family,
            used: UsedObjects::default(),
        };
        // From here on a failure drops `recorded`, which destroys the pool.
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .command_buffer_count(1);
        // SAFETY: the pool was just created and no other thread knows it.
        let allocated = unsafe { device.raw.allocate_command_buffers(&info) }
            .map_err(failed("creating a command buffer"))?;
        recorded.raw = allocated.first().copied().unwrap_or_default();
        device.name(recorded.raw, name);
        let begin =
            vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        // SAFETY: the command buffer is new.
        unsafe { device.raw.begin_command_buffer(recorded.raw, &begin) }.map_err(failed("beginning"))?;
        let mut recorder = Recorder::new(recorded);
        recorder.begin_label(name);
        commands(&mut recorder)?;
        let recorded = recorder.finish();
        // SAFETY: the command buffer is being recorded.
        unsafe { device.raw.end_command_buffer(recorded.raw) }.map_err(failed("ending"))?;
        Ok(Recording {
            recorded: Arc::new(recorded),
        })
    }
}

impl Recording {
    pub fn name(&self) -> &str {
        &self.recorded.name
    }

    pub(super) fn check_submit(
        &self,
        device: &Arc<Device>,
        queue: Queue,
        family: u32,
    ) -> Result<(), GpuError> {
        let recorded = &self.recorded;
        let object = || format!("recording '{}'", recorded.name);
        if !Arc::ptr_eq(&recorded.device, device) {
            return Err(GpuError::misuse(object(), "it belongs to another device"));
        }
        // This is an error even if both classes share a family here, because on other devices they do not.
        if recorded.queue != queue || recorded.family != family {
            let problem = format!(
                "it was recorded for the {:?} queue, not for {queue:?}",
                recorded.queue
            );
            return Err(GpuError::misuse(object(), problem));
        }
        Ok(())
    }
}
