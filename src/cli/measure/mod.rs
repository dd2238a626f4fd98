//! `sastrugi measure`: what parts of the engine cost on a device, and how far devices differ. For those who work on the
//! engine: it is not listed.

mod binds;
mod paging;
mod states;

use std::error::Error;

use crate::gpu::{Gpu, OpenOptions};

/// Measures parts of the engine on a device.
#[derive(clap::Args)]
#[command(hide = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// What it costs to bind memory to pages of sparse buffers.
    Binds,
    Paging(paging::Arguments),
    States(states::Arguments),
}

/// Whatever goes wrong is told as it is.
type Measured = Result<(), Box<dyn Error>>;

pub(super) fn main(arguments: &Arguments) -> u8 {
    let measured = match &arguments.what {
        What::Binds => binds::measure(),
        What::Paging(arguments) => paging::measure(arguments),
        What::States(arguments) => states::measure(arguments),
    };
    match measured {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {error}");
            1
        }
    }
}

/// The best device that is here.
fn open() -> Result<Gpu, Box<dyn Error>> {
    let gpu = Gpu::open(&OpenOptions::default())?;
    println!("device: {}", gpu.report().name);
    Ok(gpu)
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
