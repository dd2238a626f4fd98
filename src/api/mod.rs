//! The public interface of the library. It is based on [`crate::run`] and depends on Vulkan, files and plans as little
//! as possible.

pub mod batch;
mod bench;
mod builder;
mod calls;
mod checkpoint;
mod component;
mod device;
mod disturbance;
mod entry;
mod error;
mod field;
mod field_memory;
mod files;
mod keys;
mod live;
mod memory;
mod parameters;
mod pipeline;
mod process_limits;
mod ranks;
mod record;
mod run;
#[cfg(feature = "screen")]
mod screen;
pub mod shipped;
mod simulation;
mod snapshot;
mod sweep;
mod sweep_range;
mod worlds;

pub use bench::{
    Bench, BenchCase, BenchOptions, BenchSweep, CostLine, CostPoint, DomainBench, ListBench, Spread,
    StageBench,
};
pub use builder::Builder;
pub use component::Component;
pub use device::{Device, DeviceInfo, DeviceOptions};
pub use disturbance::{Disturbance, Work};
pub use entry::Entry;
pub use error::{Error, ErrorKind};
pub use field::Field;
#[cfg(feature = "internals")]
pub use field::fields;
pub use field_memory::{FieldMemory, MemoryPlace};
pub use files::write_file;
pub use keys::Keys;
pub use live::Update;
pub use pipeline::{GraphFormat, Image, ParticleCount, Pipeline, Summary};
pub use run::Run;
#[cfg(feature = "screen")]
pub use screen::Screen;
pub use simulation::{Fault, FrameOptions, Simulation};
pub use snapshot::Snapshot;
