//! Running a pipeline: the loop over steps and frames, its outputs and its manifest.
//!
//! [`Simulation`] is a pipeline on a device and can be driven step by step; [`run`] drives one from its first frame to
//! its last. Nothing here prints: messages go to an [`Observer`].

mod arguments;
mod balance;
mod built_in;
mod changes;
pub mod checkpoint;
pub mod device;
pub mod directory;
mod error;
mod exchange;
mod execute;
pub mod fault;
mod frames;
mod hashes;
mod host;
mod indices;
mod loops;
pub mod measures;
mod memory;
mod observer;
mod options;
pub mod pages;
mod planes;
mod populations;
mod prepared;
mod probe;
mod programs;
mod race;
mod races;
mod ranked;
mod recordings;
mod replay;
mod report;
mod request;
mod resolved;
mod session;
mod sharing;
mod simulation;
mod space;
mod staged_frame;
mod start;
mod startup;
pub mod state;
mod timing;
mod trace;
pub mod unfinished;
pub mod watch;
mod world_directories;
mod worlds;

pub use changes::{ChangeWriter, Changes};
#[cfg(feature = "internals")]
pub use device::{device_class, target};
pub use directory::Earlier;
pub use error::RunError;
#[cfg(feature = "internals")]
pub use exchange::{Peers, Windows};
pub use execute::run;
pub use frames::Frames;
pub use observer::{Event, NoObserver, Observer};
pub use options::{Options, Share};
#[cfg(feature = "internals")]
pub use pages::UpdateCost;
pub use populations::present_elements;
#[cfg(feature = "internals")]
pub use probe::NoProbe;
pub use probe::Probe;
#[cfg(feature = "internals")]
pub use probe::Spoil;
pub use ranked::problems as problems_of_cut;
pub use report::options_of;
pub use request::Ending;
pub use request::RunRequest;
pub use simulation::Simulation;
#[cfg(feature = "internals")]
pub use simulation::capture::Extent;
pub use space::size;
#[cfg(feature = "internals")]
pub use state::SimulationState;
#[cfg(feature = "internals")]
pub use watch::{BadKind, FirstBad};
