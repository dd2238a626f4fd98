//! The memory that a pipeline requires on a device.

use crate::gpu::DeviceReport;
use crate::ir::{self, ResourceId};
use crate::plan::memory::{MemoryItem, MemoryPlan};
use crate::plan::paging::Choice;
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
        table(&self.inner, &self.plan()?, &device.report).map_err(|problems| self.located(problems))
    }
}

/// The memory plan as text, or what does not fit.
fn table(pipeline: &ir::Pipeline, plan: &Plan, device: &DeviceReport) -> Result<String, Problems> {
    let (blocks, mut problems) = blocks_on(pipeline, device);
    let memory = MemoryPlan::of(pipeline, plan, &blocks);
    let local = device.heaps.iter().filter(|heap| heap.device_local);
    let on_device = local.map(|heap| heap.bytes).max().unwrap_or(0);
    problems
        .list
        .extend(misfits(pipeline, &memory, device, on_device));
    if !problems.is_empty() {
        return Err(problems);
    }
    let fields = memory.device_bytes();
    let max_blocks = |grid: ResourceId| {
        let of_grid = blocks.iter().find(|(id, _)| *id == grid);
        of_grid.map_or(0, |(_, choice)| choice.max_blocks)
    };
    let most = shadows::most(on_device, fields);
    let [of_steps, of_frames] = shadows::bytes(pipeline, plan, &max_blocks, most);
    let mut lines = vec![format!("memory on {}:", device.name)];
    lines.extend(memory.device.iter().map(line));
    lines.push(format!(
        "  total of the fields {} of {}",
        size(fields),
        size(on_device)
    ));
    lines.extend(blocks.iter().flat_map(|(id, choice)| {
        let name = &pipeline.resources[*id].name;
        let reserved = (choice.reserved_bytes > 0)
            .then(|| format!("  {name} reserves {} of addresses", size(choice.reserved_bytes)));
        let notice = choice.notice.as_ref();
        let notice = notice.map(|notice| format!("  notice: {name}: {notice}"));
        reserved.into_iter().chain(notice)
    }));
    lines.push(format!(
        "  --checked takes at most {} more for steps and {} for frames",
        size(of_steps),
        size(of_frames)
    ));
    lines.extend(memory.host.iter().map(line));
    lines.push(format!(
        "  total host memory {}; it fits",
        size(memory.host_bytes())
    ));
    Ok(lines.join("\n"))
}

fn line(item: &MemoryItem) -> String {
    format!("  {:<24} {:>12} x {}", item.name, size(item.bytes), item.copies)
}

/// How the device stores the blocks of each sparse grid, and the grids for which it has no way.
fn blocks_on(pipeline: &ir::Pipeline, device: &DeviceReport) -> (Vec<(ResourceId, Choice)>, Problems) {
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
    (blocks, problems)
}

/// Buffers that are too large for the device, and a sum of fields that is.
fn misfits(
    pipeline: &ir::Pipeline,
    memory: &MemoryPlan,
    device: &DeviceReport,
    on_device: u64,
) -> Vec<Problem> {
    let largest = device.limits.max_buffer_bytes;
    let too_large = memory.device.iter().filter(|item| item.bytes > largest);
    let mut problems: Vec<Problem> = too_large
        .map(|item| {
            let resource = item.resource.map(|id| pipeline.resources[id].pointer.clone());
            let message = format!(
                "`{}` requires {}, but a buffer of {} has at most {}",
                item.name,
                size(item.bytes),
                device.name,
                size(largest)
            );
            let problem = Problem::new(resource.unwrap_or_default(), message);
            problem.help("make the resource smaller, or split it")
        })
        .collect();
    if memory.device_bytes() > on_device {
        let message = format!(
            "the fields require {}, but {} has {}",
            size(memory.device_bytes()),
            device.name,
            size(on_device)
        );
        let problem = Problem::without_place(message);
        problems.push(problem.help("use smaller grids or particle sets, or shorter rings"));
    }
    problems
}
