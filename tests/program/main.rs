//! Tests that start the program and look at what it says and writes. Those of the library's inside are in
//! `tests/engine`.

mod bad_specs;
mod between_steps;
mod checkpoints;
mod cli;
mod device;
mod diagnostics;
mod docs;
mod entries;
mod foreign_stage;
mod formats;
mod layers;
mod library;
mod lowered;
mod many_runs;
mod outputs;
mod ranks;
mod repeatable;
mod replay;
mod rounds;
mod schema;
mod scripts;
#[path = "../common/skip.rs"]
mod skip;
mod smoke_and_water;
mod statistics;
mod subgroups;
#[cfg(feature = "window")]
mod window;
mod worlds;

use std::process::Command;

use sastrugi::{Device, DeviceOptions, ErrorKind};

use skip::skip;

/// The directory of the workspace.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The cache of compiled kernels: in the target directory of cargo, so that tests do not change the cache of the user.
const CACHE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/test-cache");

/// A command that starts the program.
fn start() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sastrugi"));
    command.env("SASTRUGI_CACHE_DIR", CACHE);
    command
}

/// `None`, with the reason printed, where there is no device; with SASTRUGI_REQUIRE_GPU set that fails the test.
fn device_or_skip(options: &DeviceOptions) -> Option<Device> {
    match Device::open(options) {
        Ok(device) => Some(device),
        Err(error)
            if error.kind() == ErrorKind::NoDevice && std::env::var_os("SASTRUGI_REQUIRE_GPU").is_none() =>
        {
            skip(&error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}
