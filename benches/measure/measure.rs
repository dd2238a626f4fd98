//! Measures the cost of parts of the engine on a device, and differences between devices, for work on the engine:
//! `cargo run --release --example measure -- binds`.

mod binds;
mod common;
mod loops;
mod paging;
mod states;

use std::process::ExitCode;

use clap::Parser;

/// Measures parts of the engine on a device.
#[derive(Parser)]
#[command(name = "measure")]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Measures the cost of binding memory to pages of sparse buffers.
    Binds,
    Loops(loops::Arguments),
    Paging(paging::Arguments),
    States(states::Arguments),
}

fn main() -> ExitCode {
    let measured = match &Arguments::parse().what {
        What::Binds => binds::measure(),
        What::Loops(arguments) => loops::measure(arguments),
        What::Paging(arguments) => paging::measure(arguments),
        What::States(arguments) => states::measure(arguments),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
