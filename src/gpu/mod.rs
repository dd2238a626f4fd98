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
#[cfg(feature = "window")]
mod fit;
mod in_flight;
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
#[cfg(feature = "window")]
mod screen;
mod select;
mod sparse;
mod submit;
#[cfg(feature = "window")]
mod texture;
mod timeline;
mod timestamps;

pub(crate) use access::Access;
pub(crate) use bind::{Bind, BindEntry};
pub(crate) use buffer::{Buffer, BufferKind};
pub(crate) use error::GpuError;
#[cfg(feature = "window")]
pub(crate) use fit::position;
pub(crate) use instance::Validation;
pub(crate) use messages::MessageLog;
pub(crate) use open::{Gpu, OpenOptions, devices, find_device};
pub(crate) use pipeline::{Pipeline, PipelineInfo};
pub(crate) use queues::Queue;
pub(crate) use record::Recording;
pub(crate) use recorder::Recorder;
pub(crate) use report::{DeviceKind, DeviceReport, SparseFacts};
#[cfg(feature = "window")]
pub(crate) use screen::{
    Layout, Overlay, Picture, Screen, Shown, surface_extensions, tell_of_a_lost_display,
};
pub(crate) use sparse::{PageMemory, SparseBuffer};
pub(crate) use submit::Batch;
pub(crate) use timeline::Timeline;
pub(crate) use timestamps::Timestamps;
