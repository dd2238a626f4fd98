//! `sastrugi interface`: the generated `stage.glsl` of one stage, or another generated file that kernels include.

use std::path::PathBuf;

use crate::ir::Signature;
use crate::problem::{Problem, Problems};
use crate::shared_constants;
use crate::spec;

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
    match text(arguments) {
        Ok(text) => super::print(&text),
        Err(problems) => {
            super::complain(&problems);
            2
        }
    }
}

fn text(arguments: &Arguments) -> Result<String, Problems> {
    if let Some(shared) = shared_constants::glsl(&arguments.stage) {
        return Ok(shared);
    }
    let (pipeline, _) = spec::load(&super::shipped::find(&arguments.spec)?, &[])?;
    match pipeline.stages.iter().find(|stage| stage.name == arguments.stage) {
        Some(stage) => {
            let signature = &pipeline.kernel_of(stage).signature;
            Ok(accesses(signature) + &crate::shader::interface::generate(signature).text)
        }
        None => {
            let names = pipeline.stages.iter().map(|stage| stage.name.as_str());
            let message = format!(
                "`{}` is not a stage of {}",
                arguments.stage,
                arguments.spec.display()
            );
            Err(Problem::without_place(message)
                .suggest(&arguments.stage, names)
                .into())
        }
    }
}

/// What the stage accesses, and how far from its own element, in comments.
fn accesses(signature: &Signature) -> String {
    let mut text = String::from("// What the kernel accesses, and how far from its own element:\n");
    for field in &signature.fields {
        let access = match (field.reads, field.writes) {
            (true, true) => "reads and writes",
            (false, true) => "writes",
            _ => "reads",
        };
        text += &format!("//   {access} {}: {}\n", field.name, field.reach);
    }
    text
}
