//! What of a device matters to a run.

use crate::gpu::{DeviceKind, DeviceReport, Gpu};
use crate::ir::{DeviceClass, Pipeline};
use crate::plan::paging::{self, Abilities};

/// The class that a device's kernels are shaped for.
pub(crate) fn device_class(gpu: &Gpu) -> DeviceClass {
    match gpu.report().kind {
        DeviceKind::Cpu => DeviceClass::Processor,
        _ => DeviceClass::Gpu,
    }
}

/// Device and driver, as checkpoints name them.
pub(crate) fn device_name(gpu: &Gpu) -> String {
    let device = gpu.report();
    format!("{}, {} {}", device.name, device.driver_name, device.driver_info)
}

/// What of a device matters to paging.
pub(crate) fn abilities(device: &DeviceReport) -> Abilities {
    let residency = device.sparse.binding && device.sparse.residency_buffer;
    Abilities {
        sparse_bytes: residency.then_some(device.sparse.address_space_bytes),
        largest_buffer: device.limits.max_buffer_bytes,
        memory: device.heaps.iter().map(|heap| heap.bytes).max().unwrap_or(0),
    }
}

/// Where a device makes do with less than a pipeline asks for. What does not fit at all is an error of the simulation.
pub(crate) fn notices(pipeline: &Pipeline, device: &DeviceReport) -> Vec<String> {
    let abilities = abilities(device);
    let grids = pipeline.sparse_grids();
    let notices = grids.filter_map(|(id, grid)| {
        let notice = paging::choose(grid, &abilities).ok()?.notice?;
        Some(format!("grid `{}`: {notice}", pipeline.resources[id].name))
    });
    notices.collect()
}
