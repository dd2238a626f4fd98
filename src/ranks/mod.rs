//! The processes of one simulation: messages between them, and agreement on failures.
//!
//! A *rank* is one of these processes. [`Transport`](transport::Transport) exchanges bytes; everything else is built on it.
//! Nothing here knows pipelines or devices.

mod failure;
mod handover;
mod inbox;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod process;
mod shared;
#[cfg(test)]
mod tests;
mod threads;
mod transport;

pub use failure::{Agreed, Failure};
pub use handover::{ADDRESS_BYTES, Mailbox};
#[cfg(feature = "mpi")]
pub use mpi::Mpi;
pub use process::Ranks;
pub use shared::{SharedMemory, TICKET_BYTES};
