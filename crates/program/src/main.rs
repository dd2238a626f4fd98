//! The program `sastrugi`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(sastrugi_cli::main(std::env::args_os()))
}
