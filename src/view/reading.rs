//! Reads a pipeline for a window, as `run` does.

use std::collections::BTreeMap;
use std::path::Path;

use crate::gpu::Gpu;
use crate::initial;
use crate::ir::Pipeline;
use crate::problem::Problems;
use crate::run::{RunError, device_class};
use crate::shader::{self, Module};
use crate::spec;

/// Reads a file, and checks all that it names but the shaders.
pub(super) fn read_pipeline(gpu: &Gpu, file: &Path, overrides: &[String]) -> Result<Pipeline, Problems> {
    let (mut pipeline, document) = spec::load(file, overrides)?;
    let of_files = initial::check(&pipeline);
    if !of_files.is_empty() {
        return Err(of_files.located(&document));
    }
    pipeline.shape_for(device_class(gpu));
    Ok(pipeline)
}

/// Reads a file and compiles its shaders.
pub(super) fn read(
    gpu: &Gpu,
    file: &Path,
    overrides: &[String],
) -> Result<(Pipeline, Vec<Module>), RunError> {
    let pipeline = read_pipeline(gpu, file, overrides)?;
    let modules = shader::build(&pipeline, &BTreeMap::new(), gpu.cache())?;
    Ok((pipeline, modules))
}
