//! The program `sastrugi`, a client of the public library: one file per subcommand, listed once in `Command`. Texts for
//! people go to stderr, results to stdout.
//!
//! A new subcommand is a file with `Arguments` (its doc comment is the help) and `main`, a `mod` line and a line in the
//! list below. The crate is a library so that the Python package can run the same command line.

#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

/// Prints a line for people to stderr. Nothing depends on whether somebody reads it: a closed or full stream is no reason to
/// end a run.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "{}", crate::terminal::plain(&format!($($text)*)));
    }};
}
use say;

/// Prints a line of a result to stdout, whatever becomes of it.
macro_rules! show {
    ($($text:tt)*) => {{
        let text = format!($($text)*);
        let _ = crate::print(&(text + "\n"));
    }};
}
use show;

mod bench;
mod check;
mod devices;
mod faults;
mod fields;
mod fmt;
mod follower;
mod graph;
mod interface;
mod list;
mod new;
mod plot;
mod problems;
mod progress;
mod run;
mod schema;
mod signals;
mod svg;
mod terminal;
mod text;
#[cfg(feature = "window")]
mod view;

use std::ffi::OsString;
use std::path::Path;

use clap::{Parser, Subcommand};
use sastrugi::{Builder, Error, ErrorKind, Pipeline, Problems};

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
  sastrugi bench my.json

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
    Bench: bench,
    Devices: devices,
}

/// Runs the command line, whose first argument is the name of the program, and returns its exit code. Only wrong
/// arguments, `--help` and `--version` end the process.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    #[cfg(unix)]
    signals::survive_large_files();
    // Wrong arguments exit with 2, like wrong input; clap uses the same code.
    Cli::parse_from(arguments).command.main()
}

/// A pipeline as it is named on the command line, with overrides.
fn pipeline(spec: &Path, overrides: &[String]) -> Result<Builder, Problems> {
    Ok(Pipeline::from_file(sastrugi::shipped::find(spec)?).set_all(overrides))
}

/// Keeps what is compiled in the cache of this user, if it is wanted.
fn cached(builder: Builder, wanted: bool) -> Builder {
    match sastrugi::cache_directory().filter(|_| wanted) {
        Some(directory) => builder.cache(directory),
        None => builder,
    }
}

/// 2 for wrong input, 1 for all later failures.
fn exit_code(error: &Error) -> u8 {
    match error.kind() {
        ErrorKind::Input | ErrorKind::UnknownDevice => 2,
        _ => 1,
    }
}

/// Prints why something failed.
fn report(error: &Error) {
    match error.problems() {
        Some(problems) => complain(problems),
        None => say!("error: {error}"),
    }
}

/// Prints problems with the input, with colours on a terminal.
fn complain(problems: &Problems) {
    use std::io::{IsTerminal, Write};
    let text = render(problems, std::io::stderr().is_terminal());
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Prints a text, or what is wrong, and returns the exit code: 2 for problems.
fn print_or_complain(text: Result<String, Problems>) -> u8 {
    match text {
        Ok(text) => print(&text),
        Err(problems) => {
            complain(&problems);
            2
        }
    }
}

/// Prints a result to stdout, and returns the exit code: 1 if it did not arrive. A reader that wanted no more, such as
/// `head`, is no failure.
fn print(text: &str) -> u8 {
    use std::io::{ErrorKind, IsTerminal, Write, stdout};
    // Programs that read the result get it as it is.
    let shown = stdout().is_terminal().then(|| terminal::plain(text));
    let text = shown.as_deref().unwrap_or(text);
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
