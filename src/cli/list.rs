//! `sastrugi list`: what comes with the program.

use super::shipped;

/// Lists the pipelines and modules that come with the program.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi list
  sastrugi run flip_dam                        runs one of them, from any directory
  sastrugi new my --from flip_dam              copies it, to be changed")]
pub(super) struct Arguments {}

pub(super) fn main(_: &Arguments) -> u8 {
    let mut text = String::new();
    for (heading, modules) in [
        ("Pipelines, for `sastrugi run NAME`:", false),
        ("Modules, for \"module\": \"modules/NAME.json\" in `use`:", true),
    ] {
        if modules {
            text.push('\n');
        }
        text.push_str(&format!("{heading}\n"));
        let found = shipped::all(modules);
        let width = found.iter().map(|shipped| shipped.name.len()).max().unwrap_or(0);
        for shipped in found {
            text.push_str(&format!("  {:width$}  {}\n", shipped.name, shipped.title));
        }
    }
    super::print(&text)
}
