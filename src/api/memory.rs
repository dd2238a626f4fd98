//! The memory that a pipeline requires on a device.

use crate::gpu::DeviceReport;
use crate::ir::{self, ResourceId};
use crate::plan::memory::{MemoryItem, MemoryPlan};
use crate::plan::{Plan, paging, shadows};
use crate::problem::{Problem, Problems};
use crate::run::device::abilities;
use crate::run::size;

use super::device::DeviceInfo;
use super::pipeline::Pipeline;

impl Pipeline {
    /// The memory that it requires on a device, as a table with a line for each allocation. The error contains what does
    /// not fit. The device is not opened.
    pub fn memory_on(&self, device: &DeviceInfo) -> Result<String, Problems> {
        text(&self.inner, &self.plan()?, &device.report).map_err(|problems| self.located(problems))
    }
}

/// The memory plan as text, or what does not fit.
fn text(pipeline: &ir::Pipeline, plan: &Plan, device: &DeviceReport) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let mut blocks = Vec::new();
    for (id, grid) in pipeline.sparse_grids() {
        match paging::choose(grid, &abilities(device)) {
            Ok(choice) => blocks.push((id, choice)),
            Err(cause) => {
                let resource = &pipeline.resources[id];
                let message = format!("grid `{}` on {}: {cause}", resource.name, device.name);
                let problem = Problem::new(&resource.pointer, message);
                problems.push(problem.help("set another `budget` or `paging` in `sparse`"));
            }
        }
    }
    let memory = MemoryPlan::of(pipeline, plan, &blocks);
    let largest = device.limits.max_buffer_bytes;
    for item in &memory.device {
        if item.bytes > largest {
            let resource = item.resource.map(|id| pipeline.resources[id].pointer.clone());
            let pointer = resource.unwrap_or_default();
            let message = format!(
                "`{}` requires {}, but a buffer of {} has at most {}",
                item.name,
                size(item.bytes),
                device.name,
                size(largest)
            );
            problems.push(Problem::new(pointer, message).help("make the resource smaller, or split it"));
        }
    }
    let on_device = device
        .heaps
        .iter()
        .filter(|heap| heap.device_local)
        .map(|heap| heap.bytes)
        .max()
        .unwrap_or(0);
    if memory.device_bytes() > on_device {
        let message = format!(
            "the fields require {}, but {} has {}",
            size(memory.device_bytes()),
            device.name,
            size(on_device)
        );
        problems.push(
            Problem::without_place(message).help("use smaller grids or particle sets, or shorter rings"),
        );
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut text = format!("memory on {}:\n", device.name);
    let line =
        |item: &MemoryItem| format!("  {:<24} {:>12} x {}\n", item.name, size(item.bytes), item.copies);
    memory.device.iter().for_each(|item| text.push_str(&line(item)));
    text.push_str(&format!(
        "  total of the fields {} of {}\n",
        size(memory.device_bytes()),
        size(on_device)
    ));
    for (id, choice) in &blocks {
        let name = &pipeline.resources[*id].name;
        if choice.reserved_bytes > 0 {
            let reserved = size(choice.reserved_bytes);
            text.push_str(&format!("  {name} reserves {reserved} of addresses\n"));
        }
        if let Some(notice) = &choice.notice {
            text.push_str(&format!("  notice: {name}: {notice}\n"));
        }
    }
    let max_blocks = |grid: ResourceId| {
        let of_grid = blocks.iter().find(|(id, _)| *id == grid);
        of_grid.map_or(0, |(_, choice)| choice.max_blocks)
    };
    let [of_steps, of_frames] = shadows::bytes(
        pipeline,
        plan,
        &max_blocks,
        shadows::most(on_device, memory.device_bytes()),
    );
    text.push_str(&format!(
        "  --checked takes at most {} more for steps and {} for frames\n",
        size(of_steps),
        size(of_frames)
    ));
    memory.host.iter().for_each(|item| text.push_str(&line(item)));
    text.push_str(&format!(
        "  total host memory {}; it fits",
        size(memory.host_bytes())
    ));
    Ok(text)
}
