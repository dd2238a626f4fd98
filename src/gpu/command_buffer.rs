//! A command buffer with all objects that its commands use.

use std::collections::HashMap;
use std::sync::Arc;

use ash::vk;

use super::device::Device;
use super::{Buffer, ComputePipeline, Queue, SparseBuffer, Timestamps};

/// The command buffer with its pool, and all objects that its commands use.
pub(super) struct CommandBuffer {
    pub device: Arc<Device>,
    pub pool: vk::CommandPool,
    pub raw: vk::CommandBuffer,
    pub name: String,
    pub queue: Queue,
    pub family: u32,
    pub used: UsedObjects,
}

/// The objects that the commands use, each once.
#[derive(Default)]
pub(super) struct UsedObjects {
    pub buffers: HashMap<vk::Buffer, Buffer>,
    pub sparse_buffers: HashMap<vk::Buffer, SparseBuffer>,
    pub pipelines: HashMap<vk::Pipeline, ComputePipeline>,
    pub timestamps: HashMap<vk::QueryPool, Timestamps>,
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        let _lock = self.device.command_pools();
        // SAFETY: submissions hold their recordings until they are done, so the commands are not in use.
        unsafe { self.device.raw.destroy_command_pool(self.pool, None) };
    }
}
