//! The public interface of the library. It is based on [`crate::run`] and depends on Vulkan, files and plans as little
//! as possible.

mod builder;
mod component;
mod device;
mod entry;
mod error;
mod keys;
mod pipeline;
mod problems;
mod run;
mod simulation;

pub use builder::Builder;
pub use component::Component;
pub use device::{Device, DeviceInfo, DeviceOptions};
pub use entry::Entry;
pub use error::{Error, ErrorKind};
pub use keys::Keys;
#[cfg(feature = "cli")]
pub use pipeline::fields;
pub use pipeline::{Field, Pipeline};
pub use problems::{Problem, Problems};
pub use run::Run;
pub use simulation::{Fault, Simulation};
