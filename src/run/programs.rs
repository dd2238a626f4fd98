//! GPU pipelines of all stages. They are created in parallel, because the driver needs 75 to 130 ms for each. Stages
//! with the same kernel and constants share one.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::gpu::{ComputePipeline, ComputePipelineInfo, DeviceKind, Gpu};
use crate::ir;
use crate::problem::Problem;
use crate::shader::interface::{CHECKED, MIN_SUBGROUP, NATIVE_HALVES};
use crate::shader::portable::EXACT_DIVISION;
use crate::shader::processor;
use crate::shader::specialize::specialize;
use crate::shader::worlds::{self, WorldAxis};
use crate::shader::{CompiledKernel, Module};

use super::built_in::{built_in, stacked};
use super::error::RunError;
use super::pages::SparseGrids;

/// The GPU pipelines of stages, and those of the engine.
pub struct Programs {
    pipelines: Vec<ComputePipeline>,
    /// The pipeline of each stage, in the order of the stages.
    of_stage: Vec<usize>,
    pub advance_clock: ComputePipeline,
}

/// Values of specialization constants by their ids.
type Constants = Vec<(u32, u32)>;

impl Programs {
    /// `axis` is that of several worlds.
    pub fn new(
        gpu: &Gpu,
        pipeline: &ir::Pipeline,
        modules: &[Module],
        pages: &SparseGrids,
        checked: bool,
        axis: Option<WorldAxis>,
    ) -> Result<Programs, RunError> {
        let mut wanted: Vec<(&Module, Constants)> = Vec::new();
        let mut known: HashMap<(*const CompiledKernel, Constants), usize> = HashMap::new();
        let mut of_stage = Vec::with_capacity(modules.len());
        for (stage, module) in pipeline.stages.iter().zip(modules) {
            let constants = constants(gpu, stage, module, pages, checked);
            let key = (Arc::as_ptr(&module.kernel), constants.clone());
            of_stage.push(*known.entry(key).or_insert_with(|| {
                wanted.push((module, constants));
                wanted.len() - 1
            }));
        }
        let is_processor = gpu.report().kind == DeviceKind::Cpu;
        let (pipelines, advance_clock) = rayon::join(
            || -> Vec<Result<ComputePipeline, RunError>> {
                let create = |(module, constants): &(&Module, Vec<(u32, u32)>)| {
                    // Other modules may change their arguments.
                    let is_rewritten = is_processor && module.kernel.covered;
                    let rewritten = is_rewritten.then(|| processor::rewrite(&module.kernel.words));
                    let words = rewritten.as_ref().unwrap_or(&module.kernel.words);
                    let stacked = axis.map(|axis| worlds::stack(words, axis)).transpose();
                    let stacked = stacked.map_err(|cause| cannot_stack(&module.stage, &cause))?;
                    Ok(gpu.pipeline(&ComputePipelineInfo {
                        name: &module.stage,
                        spirv: &specialize(stacked.as_ref().unwrap_or(words), constants),
                        constants: &[],
                    })?)
                };
                wanted.par_iter().map(create).collect()
            },
            || {
                let text = include_bytes!("advance_clock.comp");
                match axis {
                    Some(axis) => stacked(gpu, "advance_clock", text, axis),
                    None => built_in(gpu, "advance_clock", text),
                }
            },
        );
        // Collected first, so that the error of the first stage is reported.
        let pipelines = pipelines.into_iter().collect::<Result<Vec<_>, _>>()?;
        gpu.save_pipelines();
        Ok(Programs {
            pipelines,
            of_stage,
            advance_clock: advance_clock?,
        })
    }

    /// Number of different pipelines of stages.
    #[cfg(feature = "internals")]
    pub fn count(&self) -> usize {
        self.pipelines.len()
    }

    pub fn of(&self, stage: ir::StageId) -> &ComputePipeline {
        &self.pipelines[self.of_stage[stage]]
    }
}

/// The specialization constants of a stage, including those that depend on the device.
fn constants(
    gpu: &Gpu,
    stage: &ir::Stage,
    module: &Module,
    pages: &SparseGrids,
    checked: bool,
) -> Vec<(u32, u32)> {
    let mut constants = module.constants.clone();
    for (first, grid) in &module.kernel.interface.paging {
        let of_grid = pages.constants(stage.resources[*grid]);
        constants.extend(of_grid.map(|(offset, value)| (first + offset, value)));
    }
    constants.push((MIN_SUBGROUP, gpu.report().limits.min_subgroup_size));
    if gpu.report().has_exact_halves() {
        constants.push((NATIVE_HALVES, 1));
    }
    if gpu.report().has_exact_division() {
        constants.push((EXACT_DIVISION, 1));
    }
    if checked && module.kernel.covered {
        constants.push((CHECKED, 1));
    }
    constants
}

fn cannot_stack(stage: &str, cause: &str) -> RunError {
    let problem = Problem::without_place(format!("stage `{stage}` cannot run in several worlds: {cause}"));
    RunError::Input(
        problem
            .help("run each world by itself, or write the kernel in GLSL")
            .into(),
    )
}
