//! Kernels of the engine's own, which belong to no stage.

use std::path::Path;

use crate::gpu::{Gpu, Pipeline, PipelineInfo};
use crate::shader::library::{Found, Library};
use crate::shader::{CachedCompiler, spirv};

use super::error::RunError;

/// Compiles a kernel that is a part of the program.
pub(super) fn built_in(gpu: &Gpu, name: &str, text: &[u8]) -> Result<Pipeline, RunError> {
    let source = Found {
        name: format!("{name}.comp"),
        bytes: text.to_vec(),
    };
    let library = Library::new(Path::new(""), None);
    let compiled = CachedCompiler::new(gpu.cache())
        .compile(&source, "", &library)
        .map_err(|cause| RunError::Failed(format!("the built-in stage {name} does not compile: {cause}")))?;
    Ok(gpu.pipeline(&PipelineInfo {
        name,
        spirv: &spirv::no_contraction(&compiled.words),
        constants: &[],
    })?)
}
