//! `sastrugi show`: the text of what comes with the program.

use sastrugi::{Problem, shipped};

/// Prints the text of a pipeline, a module or a kernel that comes with the program.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi show flip_dam                       a pipeline, see `sastrugi list`
  sastrugi show modules/liquid                 a module
  sastrugi show flow/advect.comp               a kernel, or a file that kernels include")]
pub(super) struct Arguments {
    #[arg(value_name = "NAME")]
    name: String,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    let name = arguments.name.strip_suffix(".json").unwrap_or(&arguments.name);
    if let Some(text) = shipped::text(name) {
        return super::print(&text);
    }
    let modules = shipped::modules();
    let modules = modules.iter().map(|module| format!("modules/{}", module.name));
    let pipelines = shipped::pipelines();
    let known: Vec<String> = pipelines
        .iter()
        .map(|pipeline| pipeline.name.to_string())
        .chain(modules)
        .chain(shipped::kernels())
        .collect();
    let message = format!("nothing called `{name}` comes with the program");
    let problem = Problem::without_place(message).help("`sastrugi list` lists pipelines and modules");
    super::complain(&problem.suggest(name, known.iter().map(String::as_str)).into());
    2
}
