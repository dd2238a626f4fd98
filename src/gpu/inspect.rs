//! Properties and operations of a device that only tests of the engine use.

use super::device::LiveAllocation;
use super::messages::MessageLog;
use super::queues::Queue;
use super::report::Limits;
use super::{Gpu, GpuError};

impl Gpu {
    pub fn limits(&self) -> &Limits {
        &self.inner.device.report.limits
    }

    /// True when the two queue classes share one Vulkan queue.
    pub fn same_queue(&self, a: Queue, b: Queue) -> bool {
        self.inner.queues.same(a, b)
    }

    /// The queues for logs: the family and queue of each class.
    pub fn queue_summary(&self) -> String {
        self.inner.queues.summary()
    }

    /// Waits until every queue is idle. Use it at the end of a run, not in its loop. It does not return while a
    /// submission waits for a timeline that nothing raises.
    pub fn wait_idle(&self) -> Result<(), GpuError> {
        self.inner.queues.wait_idle()
    }

    /// The log, which outlives the device: it also receives messages about the closing of the device.
    pub fn message_log(&self) -> MessageLog {
        self.inner.device.instance.messages.clone()
    }

    pub fn validation_layer_loaded(&self) -> bool {
        self.inner.device.instance.validation
    }

    /// Memory in use: one entry for every live allocation.
    pub fn live_allocations(&self) -> Vec<LiveAllocation> {
        self.inner.queues.release_finished();
        self.inner.device.live_allocations()
    }
}
