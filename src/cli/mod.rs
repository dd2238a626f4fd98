//! The command line: one file per subcommand, listed once in [`Command`]. InlineShaders for people go to stderr, results to
//! stdout.
//!
//! A new subcommand is a file with `Arguments` (its doc comment is the help) and `main`, a `mod` line and a line in the
//! list below.

/// Prints a line for people to stderr. Nothing depends on whether somebody reads it: a closed or full stream is no reason to
/// end a run.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}
use say;

/// Prints a line of a result to stdout, whatever becomes of it.
macro_rules! show {
    ($($text:tt)*) => {{
        let text = format!($($text)*);
        let _ = crate::cli::print(&(text + "\n"));
    }};
}
use show;

mod batch;
mod cache;
mod check;
mod devices;
mod faults;
mod fields;
mod fmt;
mod follower;
mod graph;
mod interface;
mod list;
mod measure;
mod new;
mod plot;
pub mod problems;
mod progress;
mod run;
mod schema;
mod shipped;
mod signals;
mod sweep;
mod text;
#[cfg(feature = "window")]
mod view;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::cache::Cache;
use crate::initial;
use crate::ir::Pipeline;
use crate::problem::Problems;
use crate::spec::{self, Document};

#[doc(hidden)]
pub use problems::render;

/// Runs particle and grid simulations on Vulkan devices, from pipelines written as data.
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
  sastrugi list && sastrugi run flip_dam && sastrugi show flip_dam
  sastrugi view flip_dam
  sastrugi new my && sastrugi run my/pipeline.json
  sastrugi plot out/snow
  sastrugi check my.json
  sastrugi graph my.json --format mermaid
  sastrugi interface my.json advect

Exit codes: 0 done, 1 the run failed, 2 the input is wrong, 130 interrupted.";

/// Makes the subcommands from their modules, in the order of the help.
macro_rules! subcommands {
    ($($(#[$condition:meta])? $command:ident: $module:ident,)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($(#[$condition])? $command(Box<$module::Arguments>),)*
        }

        impl Command {
            fn main(&self) -> u8 {
                match self {
                    $($(#[$condition])? Command::$command(arguments) => $module::main(arguments),)*
                }
            }
        }
    };
}

subcommands! {
    Run: run,
    #[cfg(feature = "window")]
    View: view,
    Check: check,
    Graph: graph,
    Fields: fields,
    Interface: interface,
    Schema: schema,
    New: new,
    Fmt: fmt,
    List: list,
    Show: text,
    Plot: plot,
    Devices: devices,
    Measure: measure,
}

/// Parses the arguments, runs the subcommand, and returns its exit code.
pub fn main() -> ExitCode {
    // Wrong arguments exit with 2, like wrong input; clap uses the same code.
    ExitCode::from(Cli::parse().command.main())
}

/// Reads a pipeline file with overrides, and the files with initial values. If there are mistakes and a cache is given, those
/// in the shaders of other stages are told with them, so that one round shows all.
fn load(
    path: &Path,
    overrides: &[String],
    shaders: Option<&Cache>,
) -> Result<(Pipeline, Document), Problems> {
    let (found, document) = spec::examine(path, overrides, None)?;
    let (pipeline, mut problems) = (found.meaning.pipeline, found.problems);
    problems.list.extend(initial::check(&pipeline).list);
    if problems.is_empty() {
        return Ok((pipeline, document));
    }
    let built = shaders.map(|cache| crate::shader::build(&pipeline, &BTreeMap::new(), cache));
    if let Some(Err(of_shaders)) = built {
        problems.list.extend(of_shaders.list);
    }
    Err(problems.located(&document))
}

/// Prints problems with the input, with colours on a terminal.
fn complain(problems: &Problems) {
    use std::io::{IsTerminal, Write};
    let text = render(problems, std::io::stderr().is_terminal());
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Prints a result to stdout, and returns the exit code: 1 if it did not arrive. A reader that wanted no more, such as
/// `head`, is no failure.
fn print(text: &str) -> u8 {
    use std::io::{ErrorKind, Write, stdout};
    let written = stdout()
        .write_all(text.as_bytes())
        .and_then(|()| stdout().flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            say!("error: cannot write to the standard output: {error}");
            1
        }
        _ => 0,
    }
}
