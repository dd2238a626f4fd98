//! The program: everything is in the `cli` module of the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    sastrugi::command_line()
}
