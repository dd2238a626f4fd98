//! `sastrugi measure`: measures the cost of parts of the engine on a device, and differences between devices. It is for
//! work on the engine, and not listed in the help.

mod binds;
mod common;
mod loops;
mod paging;
mod states;

/// Measures parts of the engine on a device.
#[derive(clap::Args)]
#[command(hide = true)]
pub(super) struct Arguments {
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

pub(super) fn main(arguments: &Arguments) -> u8 {
    let measured = match &arguments.what {
        What::Binds => binds::measure(),
        What::Loops(arguments) => loops::measure(arguments),
        What::Paging(arguments) => paging::measure(arguments),
        What::States(arguments) => states::measure(arguments),
    };
    match measured {
        Ok(()) => 0,
        Err(error) => {
            crate::cli::say!("error: {error}");
            1
        }
    }
}
