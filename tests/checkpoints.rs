//! States, checkpoints and resumed runs: a run that goes on from a checkpoint makes the same bytes as one that was
//! never interrupted.

#[path = "common/mod.rs"]
mod common;
#[path = "checkpoints/state.rs"]
mod state;
