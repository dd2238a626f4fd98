//! The time of a dispatch that computes next to nothing: the least that each dispatch of a step costs.

use std::time::Instant;

use super::super::builder::Builder;
use super::super::device::Device;
use super::super::entry::Entry;
use super::super::error::Error;
use super::super::simulation::Simulation;
use crate::element::Element;

/// Dispatches of a step, each of which waits for the one before.
const DISPATCHES: u32 = 64;
/// Steps that are submitted together, so that the device never waits for the host.
const STEPS: u64 = 8;
const ATTEMPTS: u32 = 5;
const COUNT: &str =
    "#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) { set_sum(i, sum(i) + 1u); }\n";

/// Microseconds of a dispatch with its barrier.
pub fn time(device: &Device) -> Result<f64, Error> {
    let count = Entry::stage("count", 1).reads(["sum"]).writes(["sum"]);
    let pipeline = Builder::new("launch")
        .time(1)
        .buffer("sum", Element::Uint, 1)
        .shader("count.comp", COUNT)
        .step(Entry::repeat(
            "k",
            DISPATCHES,
            [count.key("shader", "count.comp")],
        ));
    let mut simulation = Simulation::new(device, &pipeline.build()?)?;
    let mut min_us = f64::INFINITY;
    for _ in 0..ATTEMPTS {
        simulation.wait()?;
        let before = Instant::now();
        simulation.steps(STEPS)?;
        simulation.wait()?;
        min_us = min_us.min(before.elapsed().as_secs_f64() * 1e6);
    }
    Ok(min_us / (STEPS * u64::from(DISPATCHES)) as f64)
}
