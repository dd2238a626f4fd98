//! `sastrugi graph`: the plan of a pipeline, as text, DOT or Mermaid.

use std::path::PathBuf;

use sastrugi::{Builder, GraphFormat, Problems};

use super::run::Cut;

/// Prints the plan: stages, hazards, barriers and segments; or a form between the file and the plan; or the parts and
/// exchanges of ranks.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi graph pipelines/snow.json --format dot | dot -Tsvg -o snow.svg
  sastrugi graph pipelines/snow.json --after meaning     what the file means, before any pass
  sastrugi graph lbm_bunny --ranks 4                     parts and exchanges of a run on 4 ranks")]
pub(super) struct Arguments {
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[arg(long, value_name = "PASS", help = help_of_after())]
    after: Option<String>,
    /// Sets a value, as for `run`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    cut: Cut,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// Stages in order with their reads and writes, barriers with their reasons, and segments.
    Text,
    /// Graphviz.
    Dot,
    Mermaid,
}

fn help_of_after() -> String {
    let passes: Vec<&str> = Builder::passes().skip(1).collect();
    let passes = passes.join(", ");
    format!("Prints the lists as they are after this pass: `meaning` (before the first), then {passes}")
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    super::print_or_complain(draw(arguments))
}

fn draw(arguments: &Arguments) -> Result<String, Problems> {
    let builder = super::pipeline(&arguments.spec, &arguments.set)?;
    if let Some(pass) = &arguments.after {
        return builder.lists_after(pass);
    }
    let pipeline = builder.build()?;
    arguments.cut.check_unused()?;
    if let Some(ranks) = arguments.cut.ranks.filter(|ranks| *ranks > 1) {
        return pipeline.graph_of_ranks(&arguments.cut.request(), ranks as usize);
    }
    pipeline.graph(match arguments.format {
        Format::Text => GraphFormat::Text,
        Format::Dot => GraphFormat::Dot,
        Format::Mermaid => GraphFormat::Mermaid,
    })
}
