//! `sastrugi interface`: the generated `stage.glsl` of one stage, or another generated file that kernels include.

use std::path::PathBuf;

use sastrugi::{Problem, Problems, shipped};

/// Prints the generated GLSL interface of a stage.
#[derive(clap::Args)]
#[command(after_help = "Example: compile a stage with glslc against its interface\n  \
    sastrugi interface pipelines/snow.json advect > /tmp/i/stage.glsl\n  \
    glslc --target-env=vulkan1.3 -fshader-stage=compute -I/tmp/i -Ishaders shaders/snow/advect.comp -o advect.spv")]
pub(super) struct Arguments {
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    /// A stage, or a file with numbers that kernels share with the program, such as engine/scan.glsl.
    #[arg(value_name = "STAGE")]
    stage: String,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    super::print_or_complain(text(arguments))
}

fn text(arguments: &Arguments) -> Result<String, Problems> {
    let shared = (arguments.stage.starts_with("engine/")).then(|| shipped::text(&arguments.stage));
    if let Some(shared) = shared.flatten() {
        return Ok(shared);
    }
    let pipeline = super::pipeline(&arguments.spec, &[])?.build()?;
    pipeline.interface(&arguments.stage).ok_or_else(|| {
        let message = format!(
            "`{}` is not a stage of {}",
            arguments.stage,
            arguments.spec.display()
        );
        Problem::without_place(message)
            .suggest(&arguments.stage, pipeline.stages())
            .into()
    })
}
