//! Measures the snow model and the material point method on this machine's device and prints docs/validation.md:
//!
//!     cargo run --example validation > docs/validation.md
//!
//! Ends with exit code 1 where a bound does not hold.

#[path = "../tests/physics/mod.rs"]
mod physics;
#[path = "../tests/reference/mod.rs"]
mod reference;

use std::process::ExitCode;

use sastrugi::gpu::{Gpu, OpenOptions};

fn main() -> ExitCode {
    let gpu = match Gpu::open(&OpenOptions::default()) {
        Ok(gpu) => gpu,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!("# Validation");
    println!();
    println!("Written by `cargo run --example validation > docs/validation.md`; `tests/snow_physics.rs` and");
    println!(
        "`tests/matter_physics.rs` assert the same rows, and that the checks object to what is wrong. The models"
    );
    println!("are in [snow.md](snow.md) and [mpm.md](mpm.md); ε is 2^-23.");
    println!();
    println!("Device: {}.", gpu.report().name);
    println!("\n## The snow model");
    let mut broken = print(&gpu, physics::MEASUREMENTS);
    println!("\n## The material point method");
    println!("\n{}", physics::matter::ABOUT.trim_end());
    broken += print(&gpu, physics::matter::MEASUREMENTS);
    if broken == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Prints the tables of a list of measurements, and returns how many rows do not hold.
fn print(gpu: &Gpu, list: &[(&str, physics::Measurement)]) -> usize {
    let mut broken = 0;
    for (title, measurement) in list {
        eprintln!("{title}");
        println!("\n### {title}\n");
        println!("| measured | value | bound | why this bound |");
        println!("|---|---|---|---|");
        for row in measurement(gpu) {
            let mark = if row.holds() { "" } else { " **broken**" };
            broken += usize::from(!row.holds());
            println!(
                "| {} | {} | {} | {}{mark} |",
                cell(&row.what),
                number(row.measured),
                number(row.bound),
                cell(row.why)
            );
        }
    }
    broken
}

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Whole numbers as they are, others with three digits.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e7 {
        format!("{value}")
    } else {
        format!("{value:.2e}")
    }
}
