//! The command line: one file per subcommand. Texts for people go to stderr, results to stdout.

mod batch;
mod cache;
mod check;
mod devices;
mod graph;
mod interface;
mod new;
mod run;
mod schema;
mod signals;
mod sweep;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::particles::initial;
use crate::spec::{self, Document, Pipeline, Problems};

/// Vulkan compute pipelines, written as data, for simulations that move particles over grids.
#[derive(Parser)]
#[command(name = "sastrugi", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sastrugi run pipelines/snow.json --out out/snow
  sastrugi run a.json b.json --set wind.period=20
  sastrugi new my && sastrugi run my/pipeline.json
  sastrugi check my.json
  sastrugi graph my.json --format mermaid
  sastrugi interface my.json advect

Exit codes: 0 done, 1 the run failed, 2 the input is wrong, 130 interrupted.";

#[derive(Subcommand)]
enum Command {
    /// Runs pipelines: frames to disk, with a manifest.
    Run(Box<run::Arguments>),
    /// Finds every mistake in pipeline files and their shaders, without a GPU.
    Check(check::Arguments),
    /// Draws the plan: stages, hazards, barriers and queue batches.
    Graph(graph::Arguments),
    /// Prints the GLSL interface that a stage sees.
    Interface(interface::Arguments),
    /// Prints the JSON Schema of pipeline files, or their reference.
    Schema(schema::Arguments),
    /// Writes a small commented pipeline to start from.
    New(new::Arguments),
    /// Lists the Vulkan devices, which would be chosen, and why others are refused.
    Devices,
}

/// Parses the arguments, runs, and says how it ended.
pub fn main() -> ExitCode {
    // Wrong arguments exit with 2, as wrong input does; that is clap's own code for them.
    let cli = Cli::parse();
    let code = match cli.command {
        Command::Run(arguments) => run::main(&arguments),
        Command::Check(arguments) => check::main(&arguments),
        Command::Graph(arguments) => graph::main(&arguments),
        Command::Interface(arguments) => interface::main(&arguments),
        Command::Schema(arguments) => schema::main(&arguments),
        Command::New(arguments) => new::main(&arguments),
        Command::Devices => devices::main(),
    };
    ExitCode::from(code)
}

/// Reads a pipeline file with overrides, and all that it starts from.
fn load(path: &Path, overrides: &[String]) -> Result<(Pipeline, Document), Problems> {
    let (pipeline, document) = spec::load(path, overrides)?;
    let problems = initial::check(&pipeline);
    match problems.is_empty() {
        true => Ok((pipeline, document)),
        false => Err(problems.located(&document)),
    }
}

/// Prints problems with the input, with colours on a terminal.
fn complain(problems: &Problems) {
    use std::io::IsTerminal;
    eprint!("{}", problems.render(std::io::stderr().is_terminal()));
}

/// Prints to stdout; a reader that went away is no failure.
fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().write_all(text.as_bytes());
}
