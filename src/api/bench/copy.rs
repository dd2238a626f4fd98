//! The rate of a copy from one buffer to another: the limit of stages that compute little.

use super::super::builder::Builder;
use super::super::device::Device;
use super::super::entry::Entry;
use super::super::error::Error;
use super::super::simulation::Simulation;
use crate::element::Element;

/// Bytes of each buffer: larger than the caches of the device.
const GPU_BYTES: u64 = 256 << 20;
const PROCESSOR_BYTES: u64 = 64 << 20;
/// Bytes of an element.
const ELEMENT: u64 = 16;
const COPIES: u32 = 9;

/// Bytes per nanosecond, reads and writes together.
pub fn rate(device: &Device) -> Result<f64, Error> {
    let info = device.info();
    let wanted = if info.is_processor {
        PROCESSOR_BYTES
    } else {
        GPU_BYTES
    };
    let bytes = wanted.min(info.max_buffer_bytes).min(info.memory_bytes / 8);
    let elements = bytes / ELEMENT;
    let stage = Entry::stage("copy", elements).reads(["from"]).writes(["to"]);
    let pipeline = Builder::new("copy")
        .time(1)
        .buffer("from", Element::Vec4, elements)
        .key(&["buffers", "from", "background"], 1)
        .buffer("to", Element::Vec4, elements)
        .step(
            stage.glsl("#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) { set_to(i, from(i)); }\n"),
        )
        .build()?;
    let mut simulation = Simulation::new(device, &pipeline)?;
    simulation.steps(2)?;
    for _ in 0..COPIES {
        simulation.timed_step()?;
    }
    let ms = simulation
        .stage_times()
        .first()
        .map_or(f64::INFINITY, |(_, ms)| *ms);
    Ok(2.0 * (elements * ELEMENT) as f64 * 1e-6 / ms)
}
