//! Vulkan: devices, buffers, pipelines, recorded commands, queues and timelines.
//!
//! Only this layer calls Vulkan, and only it contains `unsafe`. It does not know pipeline files or plans: it allocates,
//! records and submits on request, checks what no validation layer would detect later (ranges, limits, queue
//! abilities), and turns every failure into a [`GpuError`] that names the object. It does *not* derive barriers: the
//! caller specifies accesses, and one table here ([`Access`]) has the masks.
//!
//! Every object keeps what it needs alive: buffers, pipelines, timelines and query pools hold the device, a
//! [`Recording`] holds all objects that it uses, and [`Gpu::submit`] holds recordings until the device is done with
//! them. So handles may be dropped at any time, in any order, from any thread.

mod access;
mod bind;
mod buffer;
mod device;
mod error;
mod features;
#[cfg(feature = "screen")]
mod fit;
mod in_flight;
#[cfg(feature = "internals")]
mod inspect;
mod instance;
mod large;
mod messages;
mod open;
mod pipeline;
mod pipeline_cache;
mod queues;
mod record;
mod recorded;
mod recorder;
mod report;
mod report_text;
#[cfg(feature = "screen")]
mod screen;
mod select;
mod sparse;
mod submit;
#[cfg(feature = "screen")]
mod texture;
mod timeline;
mod timestamps;

pub use access::Access;
pub use bind::{Bind, BindEntry};
pub use buffer::{Buffer, BufferKind};
pub use error::GpuError;
#[cfg(feature = "screen")]
pub use fit::position;
pub use instance::Validation;
#[cfg(feature = "internals")]
pub use messages::MessageLog;
pub use open::{Gpu, OpenOptions, devices, find_device};
pub use pipeline::{Pipeline, PipelineInfo};
pub use queues::Queue;
pub use record::Recording;
pub use recorder::Recorder;
pub use report::{DeviceKind, DeviceReport, SparseFacts};
#[cfg(feature = "screen")]
pub use screen::{
    Layout, Overlay, Picture, Screen, Shown, surface_extensions,
};
pub use sparse::{PageMemory, SparseBuffer};
pub use submit::Batch;
pub use timeline::Timeline;
pub use timestamps::Timestamps;
