//! GPU pipelines of all stages, created in parallel: each takes the driver 75 to 130 ms.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::gpu::{Gpu, GpuError, Pipeline, PipelineInfo};
use crate::ir;
use crate::shader::compile::GlslCompiler;
use crate::shader::interface::{CHECKED, LEAST_SUBGROUP};
use crate::shader::library::{Found, Library};
use crate::shader::{Module, spirv};

use super::RunError;
use super::pages::Pages;

/// One GPU pipeline per stage, in the order of the stages, and the engine's own.
pub struct Programs {
    pub stages: Vec<Pipeline>,
    pub advance_clock: Pipeline,
}

impl Programs {
    pub fn new(
        gpu: &Gpu,
        pipeline: &ir::Pipeline,
        modules: &[Module],
        pages: &Pages,
        checked: bool,
    ) -> Result<Programs, RunError> {
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
                        let of = &pipeline.stages[number];
                        let program = stage(gpu, of, module, pages, checked);
                        done.lock()
                            .unwrap_or_else(|poisoned| poisoned.into_inner())
                            .push((number, program));
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

fn stage(
    gpu: &Gpu,
    stage: &ir::Stage,
    module: &Module,
    pages: &Pages,
    checked: bool,
) -> Result<Pipeline, GpuError> {
    let mut constants = module.constants.clone();
    for (first, grid) in &module.kernel.interface.paging {
        constants.extend(
            pages
                .constants(stage.resources[*grid])
                .map(|(offset, value)| (first + offset, value)),
        );
    }
    constants.push((LEAST_SUBGROUP, gpu.report().limits.min_subgroup_size));
    if checked && module.kernel.covered {
        constants.push((CHECKED, 1));
    }
    gpu.pipeline(&PipelineInfo {
        name: &module.stage,
        spirv: &module.kernel.words,
        constants: &constants,
    })
}

/// A kernel of the engine's own.
pub fn built_in(gpu: &Gpu, name: &str, text: &[u8]) -> Result<Pipeline, RunError> {
    let source = Found {
        name: format!("{name}.comp"),
        bytes: text.to_vec(),
    };
    let library = Library::new(std::path::Path::new(""), None);
    let compiled = GlslCompiler::new()
        .and_then(|compiler| compiler.compile(&source, "", &library))
        .map_err(|cause| RunError::Failed(format!("the built-in stage {name} does not compile: {cause}")))?;
    Ok(gpu.pipeline(&PipelineInfo {
        name,
        spirv: &spirv::no_contraction(&compiled.words),
        constants: &[],
    })?)
}
