//! Tests that start the program and look at what it says and writes. Those of the library's inside are in
//! `tests/engine`.

mod bad_specs;
mod checkpoints;
mod cli;
mod device;
mod docs;
mod foreign_stage;
mod formats;
mod layers;
mod library;
mod repeatable;
mod schema;
