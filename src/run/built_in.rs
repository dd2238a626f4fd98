//! Kernels of the engine that do not belong to a stage.

use std::path::Path;

use crate::gpu::{ComputePipeline, ComputePipelineInfo, Gpu};
use crate::shader::library::{Found, Library};
use crate::shader::{CachedCompiler, spirv};

use super::error::RunError;

/// Compiles a built-in kernel.
pub(super) fn built_in(gpu: &Gpu, name: &str, text: &[u8]) -> Result<ComputePipeline, RunError> {
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
    Ok(gpu.pipeline(&ComputePipelineInfo {
        name,
        spirv: &spirv::no_contraction(&compiled.words),
        constants: &[],
    })?)
}
