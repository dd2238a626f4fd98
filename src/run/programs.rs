//! GPU pipelines of all stages, created in parallel: each takes the driver 75 to 130 ms.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::gpu::{Gpu, GpuError, Pipeline, PipelineInfo};
use crate::shader::Module;
use crate::shader::interface::{CHECKED, LEAST_SUBGROUP};

use super::built_in::built_in;
use super::error::RunError;
use super::pages::Pages;

/// One GPU pipeline per stage, in the order of the stages, and the engine's own.
pub struct Programs {
    pub stages: Vec<Pipeline>,
    pub advance_clock: Pipeline,
}

impl Programs {
    pub fn new(gpu: &Gpu, modules: &[Module], pages: &Pages, checked: bool) -> Result<Programs, RunError> {
        let threads = std::thread::available_parallelism()
            .map_or(1, |n| n.get())
            .min(modules.len().max(1));
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Result<Pipeline, GpuError>)>> = Mutex::new(Vec::new());
        let advance_clock = std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(module) = modules.get(number) else { return };
                        let pipeline = stage(gpu, module, pages, checked);
                        done.lock()
                            .unwrap_or_else(|poisoned| poisoned.into_inner())
                            .push((number, pipeline));
                    }
                });
            }
            built_in(gpu, "advance_clock", include_bytes!("advance_clock.comp"))
        })?;
        let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        done.sort_by_key(|(number, _)| *number);
        let stages = done
            .into_iter()
            .map(|(_, pipeline)| pipeline)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Programs {
            stages,
            advance_clock,
        })
    }
}

fn stage(gpu: &Gpu, module: &Module, pages: &Pages, checked: bool) -> Result<Pipeline, GpuError> {
    let mut constants = module.constants.clone();
    for (first, grid) in &module.interface.paging {
        constants.extend(
            pages
                .constants(*grid)
                .map(|(offset, value)| (first + offset, value)),
        );
    }
    constants.push((LEAST_SUBGROUP, gpu.report().limits.min_subgroup_size));
    if checked && module.covered {
        constants.push((CHECKED, 1));
    }
    gpu.pipeline(&PipelineInfo {
        name: &module.name,
        spirv: &module.words,
        constants: &constants,
    })
}
