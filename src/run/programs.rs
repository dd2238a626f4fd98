//! GPU pipelines of all stages, created in parallel: each takes the driver 75 to 130 ms.

use rayon::prelude::*;

use crate::gpu::{Gpu, GpuError, Pipeline, PipelineInfo};
use crate::shader::interface::{CHECKED, LEAST_SUBGROUP};
use crate::shader::library::{Found, Library};
use crate::shader::{CachedCompiler, Module, spirv};

use super::RunError;
use super::pages::Pages;

/// One GPU pipeline per stage, in the order of the stages, and the engine's own.
pub struct Programs {
    pub stages: Vec<Pipeline>,
    pub advance_clock: Pipeline,
}

impl Programs {
    pub fn new(gpu: &Gpu, modules: &[Module], pages: &Pages, checked: bool) -> Result<Programs, RunError> {
        let (stages, advance_clock) = rayon::join(
            || {
                modules
                    .par_iter()
                    .map(|module| stage(gpu, module, pages, checked))
                    .collect()
            },
            || built_in(gpu, "advance_clock", include_bytes!("advance_clock.comp")),
        );
        // Collected first: of several errors the first stage's is reported.
        let stages: Vec<Result<Pipeline, GpuError>> = stages;
        let stages = stages.into_iter().collect::<Result<Vec<_>, _>>()?;
        let advance_clock = advance_clock?;
        gpu.keep_pipelines();
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

/// A kernel of the engine's own.
pub fn built_in(gpu: &Gpu, name: &str, text: &[u8]) -> Result<Pipeline, RunError> {
    let source = Found {
        name: format!("{name}.comp"),
        bytes: text.to_vec(),
    };
    let library = Library::new(std::path::Path::new(""), None);
    let compiled = CachedCompiler::new(gpu.cache())
        .compile(&source, "", &library)
        .map_err(|cause| RunError::Failed(format!("the built-in stage {name} does not compile: {cause}")))?;
    Ok(gpu.pipeline(&PipelineInfo {
        name,
        spirv: &spirv::no_contraction(&compiled.words),
        constants: &[],
    })?)
}
