//! Repeats with `while`, and what goes with them: swaps, copies, counted turns.

use sastrugi::gpu::OpenOptions;
use sastrugi::run::Options;

use super::common::{self, TestGpu, simulation::*};

mod clock;
mod copies;
mod endings;
mod groups;
mod nested;
mod parts;
mod swaps;
mod turns;
mod unfinished;

/// A device that skips no commands under a condition.
pub(super) fn without_conditions() -> Option<TestGpu> {
    let options = OpenOptions {
        lowered: "VK_EXT_conditional_rendering".parse().unwrap(),
        ..OpenOptions::default()
    };
    let gpu = common::gpu_with(options)?;
    assert!(!gpu.is_conditional());
    Some(gpu)
}

/// The ways to run that must not differ in a bit.
pub(super) fn all_options() -> [Options; 3] {
    let plain = Options::default();
    [
        plain,
        Options {
            checked: true,
            races: false,
            ..plain
        },
        Options {
            full_barriers: true,
            ..plain
        },
    ]
}
