//! The program: everything is in the library's [`sastrugi::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    sastrugi::cli::main()
}
