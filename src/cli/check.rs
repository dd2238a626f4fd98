//! `sastrugi check`: every mistake at once, without a GPU or a Vulkan loader.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::gpu::{self, DeviceReport};
use crate::ir::{Pipeline, ResourceId, ShaderSource, Stage, report_parameters};
use crate::plan::Plan;
use crate::plan::memory::{MemoryItem, MemoryPlan};
use crate::plan::{paging, shadows};
use crate::problem::{Problem, Problems};
use crate::run::size;

/// Finds every mistake in pipeline files and their shaders, without a GPU.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi check pipelines/*.json
  sastrugi check my.json --device          the memory that it requires, and whether it fits the device
  sastrugi check my.json --format json     for editors

Exit codes: 0 no mistakes, 2 mistakes were found.")]
pub(super) struct Arguments {
    /// Pipeline files.
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// Sets a value, as for `run`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Compiles every shader again and does not use the cache.
    #[arg(long)]
    no_cache: bool,
    /// Checks only the files, not the shaders.
    #[arg(long)]
    no_shaders: bool,
    /// Also checks against a device (the best one, or by number or name) and prints the memory plan.
    #[arg(long, value_name = "N|NAME", num_args = 0..=1, default_missing_value = "")]
    device: Option<String>,
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Format {
    Text,
    /// One JSON array of {file, line, column, length, pointer, message, help}; lines and columns count from 1.
    Json,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    let device = match arguments.device.as_deref().map(gpu::find_device).transpose() {
        Ok(device) => device,
        Err(error) => {
            crate::cli::say!("error: {error}");
            return 1;
        }
    };
    let mut found = Problems::default();
    let mut printed = 0;
    for path in &arguments.specs {
        match check(arguments, path, device.as_ref()) {
            Ok(summary) if arguments.format == Format::Text => {
                printed = printed.max(super::print(&format!("{}: {summary}\n", path.display())));
            }
            Ok(_) => {}
            Err(problems) => {
                if arguments.format == Format::Text {
                    super::complain(&problems);
                    crate::cli::say!("{}: {}", path.display(), counted(problems.list.len(), "problem"));
                }
                found.list.extend(problems.list);
            }
        }
    }
    if arguments.format == Format::Json {
        printed = super::print(&format!("{:#}\n", found.json()));
    }
    if found.is_empty() { printed } else { 2 }
}

fn check(arguments: &Arguments, path: &Path, device: Option<&DeviceReport>) -> Result<String, Problems> {
    let cache = super::cache::cache(!arguments.no_cache);
    let shaders = (!arguments.no_shaders).then_some(&cache);
    let (pipeline, document) = super::load(&super::shipped::find(path)?, &arguments.set, shaders)?;
    let plan = crate::plan::plan(&pipeline).map_err(Problem::without_place)?;
    if !arguments.no_shaders {
        crate::shader::build(&pipeline, &BTreeMap::new(), &cache)
            .map_err(|problems| problems.located(&document))?;
    }
    let is_own = |stage: &&Stage| {
        let kernel = &pipeline.kernels[stage.kernel];
        matches!(
            kernel.source,
            ShaderSource::BuiltIn(_) | ShaderSource::Written { .. }
        )
    };
    let own = match pipeline.stages.iter().filter(is_own).count() {
        0 => String::new(),
        own => format!(" ({own} of the engine)"),
    };
    let mut summary = format!(
        "ok: {}{own}, {} per step, {}",
        counted(pipeline.stages.len(), "stage"),
        counted(pipeline.step.len(), "dispatch"),
        counted(pipeline.outputs.len() + pipeline.series.len(), "output")
    );
    for set in pipeline.resources.iter().filter(|set| !set.sources().is_empty()) {
        let particles: u64 = set.sources().iter().map(|source| source.count).sum();
        summary.push_str(&format!(
            ", {} in `{}`",
            counted(particles as usize, "particle"),
            set.name
        ));
    }
    for text in report_parameters(&pipeline.parameters) {
        summary.push_str(&format!("\n{text}"));
    }
    if let Some(device) = device {
        summary.push_str(
            &memory_plan(&pipeline, &plan, device).map_err(|problems| problems.located(&document))?,
        );
    }
    Ok(summary)
}

/// The memory plan as text, or what does not fit.
fn memory_plan(pipeline: &Pipeline, plan: &Plan, device: &DeviceReport) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let mut blocks = Vec::new();
    for (id, grid) in pipeline.sparse_grids() {
        match paging::choose(grid, &crate::run::device::abilities(device)) {
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
    let mut text = format!("\nmemory on {}:\n", device.name);
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

/// "1 stage", "2 dispatches".
fn counted(count: usize, noun: &str) -> String {
    let ending = match (count, noun.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {noun}{ending}")
}
