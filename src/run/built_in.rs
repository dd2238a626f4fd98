//! Kernels of the engine that do not belong to a stage.

use std::path::Path;

use crate::gpu::{ComputePipeline, ComputePipelineInfo, Gpu};
use crate::shader::library::{Found, Library};
use crate::shader::worlds::{self, WorldAxis};
use crate::shader::{CachedCompiler, spirv};

use super::error::RunError;

/// Compiles a built-in kernel.
pub(super) fn built_in(gpu: &Gpu, name: &str, text: &[u8]) -> Result<ComputePipeline, RunError> {
    pipeline(gpu, name, &words(gpu, name, text)?)
}

/// As [`built_in`], for several worlds.
pub(super) fn stacked(
    gpu: &Gpu,
    name: &str,
    text: &[u8],
    axis: WorldAxis,
) -> Result<ComputePipeline, RunError> {
    let words = words(gpu, name, text)?;
    pipeline(gpu, name, &worlds::stack(&words, axis).map_err(RunError::Failed)?)
}

fn pipeline(gpu: &Gpu, name: &str, words: &[u32]) -> Result<ComputePipeline, RunError> {
    Ok(gpu.pipeline(&ComputePipelineInfo {
        name,
        spirv: words,
        constants: &[],
    })?)
}

fn words(gpu: &Gpu, name: &str, text: &[u8]) -> Result<Vec<u32>, RunError> {
    let source = Found {
        name: format!("{name}.comp"),
        bytes: text.to_vec(),
    };
    let library = Library::new(Path::new(""));
    let compiled = CachedCompiler::new(gpu.cache())
        .compile(&source, "", &library)
        .map_err(|failure| {
            let cause = failure.text;
            RunError::Failed(format!("the built-in stage {name} does not compile: {cause}"))
        })?;
    Ok(spirv::no_contraction(&compiled.words))
}
