//! `sastrugi list`: what comes with the program.

use sastrugi::shipped::{self, Shipped};

/// Lists the pipelines and modules that come with the program.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi list
  sastrugi run flip_dam                        runs one of them, from any directory
  sastrugi new my --from flip_dam              copies it, to be changed")]
pub(super) struct Arguments {}

pub(super) fn main(_: &Arguments) -> u8 {
    let section = |heading: &str, found: Vec<Shipped>| {
        let width = found.iter().map(|shipped| shipped.name.len()).max().unwrap_or(0);
        let lines = found
            .iter()
            .map(|shipped| format!("  {:width$}  {}\n", shipped.name, shipped.title));
        format!("{heading}\n{}", lines.collect::<String>())
    };
    super::print(&format!(
        "{}\n{}",
        section("Pipelines, for `sastrugi run NAME`:", shipped::pipelines()),
        section(
            "Modules, for \"module\": \"modules/NAME.json\" in `use`:",
            shipped::modules()
        )
    ))
}
