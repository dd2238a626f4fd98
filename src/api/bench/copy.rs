//! The rate of a copy from one buffer to another: the limit of stages that compute little.

use serde_json::json;

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
/// Number of timed copies: one takes tens of milliseconds on a processor.
const GPU_COPIES: u32 = 9;
const PROCESSOR_COPIES: u32 = 4;
const COPY: &str = "#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) { set_to(i, from(i)); }\n";

/// Bytes per nanosecond, reads and writes together.
pub fn rate(device: &Device) -> Result<f64, Error> {
    let info = device.info();
    let (wanted, copies) = if info.is_processor {
        (PROCESSOR_BYTES, PROCESSOR_COPIES)
    } else {
        (GPU_BYTES, GPU_COPIES)
    };
    let bytes = wanted.min(info.max_buffer_bytes).min(info.memory_bytes / 8);
    let elements = bytes / ELEMENT;
    let mut pipeline = Builder::new("copy")
        .time(1)
        .buffer("from", Element::Vec4, elements)
        .key(&["buffers", "from", "background"], 1)
        .buffer("to", Element::Vec4, elements)
        .shader("copy.comp", COPY);
    // Devices differ in the size of the workgroups that copy fastest.
    let largest = device.gpu.report().limits.max_group_invocations;
    for size in [256, 1024].into_iter().filter(|size| *size <= largest) {
        let stage = Entry::stage(&format!("copy_{size}"), elements)
            .reads(["from"])
            .writes(["to"]);
        let tuning = json!({"workgroup": [size, 1, 1]});
        pipeline = pipeline.step(stage.key("shader", "copy.comp").key("tuning", tuning));
    }
    let mut simulation = Simulation::new(device, &pipeline.build()?)?;
    simulation.steps(2)?;
    for _ in 0..copies {
        simulation.timed_step()?;
    }
    let times = simulation.stage_times().into_iter().map(|(_, ms)| ms);
    let ms = times.fold(f64::INFINITY, f64::min);
    Ok(2.0 * (elements * ELEMENT) as f64 * 1e-6 / ms)
}
