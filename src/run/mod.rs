//! Running a pipeline: the loop over steps and frames, its outputs and its manifest.
//!
//! [`Simulation`] is a pipeline on a device and can be driven step by step; [`run`] drives one from its first frame to
//! its last. Nothing here prints: messages go to an [`Observer`].

mod arguments;
mod built_in;
mod change;
#[cfg(feature = "cli")]
pub(crate) mod changes;
pub(crate) mod checkpoint;
pub(crate) mod claim;
pub(crate) mod device;
mod drive;
mod error;
pub(crate) mod fault;
mod frames;
mod hashes;
mod host;
mod indices;
mod loops;
pub(crate) mod measures;
mod memory;
mod observer;
mod options;
pub(crate) mod pages;
mod populations;
mod probe;
mod programs;
mod race;
mod races;
mod recordings;
mod replay;
mod report;
mod resolved;
mod simulation;
mod space;
mod start;
mod startup;
pub(crate) mod state;
mod task;
mod timing;
mod trace;
pub(crate) mod unfinished;
pub(crate) mod watch;

pub(crate) use device::device_class;
#[cfg(test)]
pub(crate) use device::missing_types;
pub(crate) use drive::run;
pub(crate) use error::RunError;
#[cfg(feature = "window")]
pub(crate) use frames::Frames;
pub use observer::{Event, NoObserver, Observer};
pub use options::Options;
pub(crate) use pages::UpdateCost;
pub(crate) use probe::{NoProbe, Probe};
pub(crate) use report::options_of;
pub(crate) use simulation::Simulation;
pub(crate) use simulation::capture::Extent;
pub(crate) use space::size;
pub(crate) use state::State;
pub use task::Ending;
pub(crate) use task::Run;
pub(crate) use watch::{BadKind, FirstBad};
