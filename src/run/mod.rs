//! Running a pipeline: the loop over steps and frames, its outputs and its manifest.
//!
//! [`Simulation`] is a pipeline on a device and can be driven step by step; [`run`] drives one from its first frame
//! to its last. Nothing here prints: what a user may want to know goes to an [`Observer`].

mod arguments;
mod built_in;
pub mod checkpoint;
pub mod device;
mod drive;
mod error;
pub mod fault;
mod frames;
mod hashes;
mod host;
pub mod measures;
mod memory;
mod observer;
mod options;
pub mod pages;
mod populations;
mod probe;
mod programs;
mod recordings;
mod replay;
mod report;
mod resolved;
mod simulation;
mod start;
mod startup;
pub mod state;
mod task;
mod timing;
mod trace;
pub mod watch;

pub use device::device_class;
pub use drive::run;
pub use error::RunError;
pub use observer::{Event, NoObserver, Observer};
pub use options::Options;
pub use pages::{PagesUsage, UpdateCost};
pub use probe::{NoProbe, Probe};
pub use simulation::Simulation;
pub use simulation::capture::{Extent, Pending};
pub use state::State;
pub use task::{Ending, Run};
pub use watch::{BadKind, FirstBad};
