//! Vulkan: devices, buffers, pipelines, recorded commands, queues and timelines.
//!
//! Only this layer calls Vulkan (and CUDA, for copies between devices and for memory that programs share), and only it
//! contains `unsafe`. It does not know pipeline files or plans: it allocates, records and submits on request, checks what no validation layer would detect later
//! (ranges, limits, queue abilities), and turns every failure into a [`GpuError`] that names the object. It does *not*
//! derive barriers: the caller specifies accesses, and one table here ([`Access`]) has the masks.
//!
//! Every object keeps what it needs alive: buffers, pipelines, timelines and query pools hold the device, a
//! [`Recording`] holds all objects that it uses, and [`Gpu::submit`] holds recordings until the device is done with
//! them. So handles may be dropped at any time, in any order, from any thread.

mod access;
mod buffer;
mod command_buffer;
mod cuda;
mod device;
mod error;
mod extensions;
mod features;
mod handles;
mod host_memory;
mod imported;
mod in_flight;
#[cfg(feature = "internals")]
mod inspect;
mod instance;
mod large_buffer;
mod lowered;
mod messages;
mod open;
mod partial_buffer;
#[cfg(feature = "screen")]
mod picture_fit;
mod pipeline;
mod pipeline_cache;
mod queues;
mod recorder;
mod recording;
mod report;
mod report_text;
#[cfg(feature = "screen")]
mod screen;
mod select;
mod shared_memory;
mod sparse;
mod sparse_bind;
mod submit;
#[cfg(feature = "screen")]
mod texture;
mod timeline;
mod timestamps;

pub use access::Access;
pub use buffer::{Buffer, BufferKind};
pub use cuda::{CudaCopies, CudaCopy, CudaDevice, CudaMemory, CudaSemaphore, CudaStream};
pub use error::GpuError;
pub use instance::Validation;
pub use lowered::Lowered;
#[cfg(feature = "internals")]
pub use messages::MessageLog;
pub use open::{Gpu, OpenOptions, devices, find_device};
#[cfg(feature = "screen")]
pub use picture_fit::position;
pub use pipeline::{ComputePipeline, ComputePipelineInfo};
pub use queues::Queue;
pub use recorder::Recorder;
pub use recording::Recording;
pub use report::{DeviceKind, DeviceReport, SparseFacts};
#[cfg(feature = "screen")]
pub use screen::{Layout, Overlay, Picture, Screen, Shown, surface_extensions};
pub use sparse::{PageMemory, SparseBuffer};
pub use sparse_bind::{Bind, BindEntry};
pub use submit::Batch;
pub use timeline::Timeline;
pub use timestamps::Timestamps;
