//! Tests that start the program and look at what it says and writes. Those of the library's inside are in
//! `tests/engine`.

#[path = "../common/mod.rs"]
mod common;

mod bad_specs;
mod checkpoints;
mod cli;
mod docs;
mod foreign_stage;
mod formats;
mod repeatable;
mod schema;
