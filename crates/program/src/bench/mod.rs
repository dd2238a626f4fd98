//! `sastrugi bench`: the times and rates of stages.

mod compare;
mod roofline;
mod table;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use sastrugi::{Bench, BenchOptions, Device, DeviceOptions, Error, Problem};

/// Measures the time of each stage on the device, and the part of the rate of a copy that it reaches.
///
/// A run is some steps without outputs; then some of their steps with timestamps around every dispatch. Times are medians
/// over the runs. Bytes are those that a stage declares: every element that a dispatch reads or writes, once.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi bench pipelines/snow.json
  sastrugi bench pipelines/snow.json --json before.json
  sastrugi bench pipelines/snow.json --compare before.json     lists stages that are over 10 % slower
  sastrugi bench smoke --set n=256 --plot smoke.svg            a picture: rate against bytes, and the limit of a copy

Stages without bytes have an unknown number of elements: a repeat with `while`, newborn particles, or an update of a
sparse grid. A stage whose data fits the caches of the device can be faster than a copy.")]
pub(super) struct Arguments {
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    /// Sets a value, as for `run`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Device, by number or part of its name (see `sastrugi devices`).
    #[arg(long, value_name = "N|NAME")]
    device: Option<String>,
    /// Number of runs.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Steps per run [default: as many as take about a second].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Steps before the first run.
    #[arg(long, value_name = "N", default_value_t = 16)]
    warm_up: u64,
    /// Writes the result as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Compares the result with that of an earlier measurement.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Draws rates against bytes as SVG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Compiles every shader again and does not use the cache.
    #[arg(long)]
    no_cache: bool,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    match measure(arguments) {
        Ok(text) => super::print(&text),
        Err(error) => {
            super::report(&error);
            super::exit_code(&error)
        }
    }
}

fn measure(arguments: &Arguments) -> Result<String, Error> {
    // Files with mistakes are reported before the measurement.
    let before = arguments.compare.as_deref().map(read).transpose()?;
    if let Some(file) = &arguments.plot {
        crate::svg::check_target(
            file,
            "sastrugi bench",
            "name another file with --plot, or remove this one",
        )?;
    }
    if let Some(file) = arguments.json.as_deref().filter(|file| file.exists()) {
        read(file).map_err(|_| {
            let message = format!(
                "{} would be replaced, but `sastrugi bench` did not write it",
                file.display()
            );
            Problem::without_place(message).help("name another file with --json, or remove this one")
        })?;
    }
    let builder = super::pipeline(&arguments.spec, &arguments.set)?;
    let pipeline = super::cached(builder, !arguments.no_cache).build()?;
    let device = Device::open(&DeviceOptions {
        device: arguments.device.clone(),
        cache: sastrugi::cache_directory().filter(|_| !arguments.no_cache),
        ..DeviceOptions::default()
    })?;
    let options = BenchOptions {
        warm_up: arguments.warm_up,
        steps: arguments.steps,
        runs: arguments.runs,
    };
    let bar = bar();
    let mut progress = |part: f64| bar.set_position((100.0 * part) as u64);
    let bench = Bench::measure(&device, &pipeline, options, &mut progress);
    bar.finish_and_clear();
    let bench = bench?;
    if let Some(file) = &arguments.json {
        let text = serde_json::to_string_pretty(&bench).map_err(|error| Error::failed(error.to_string()))?;
        write(file, &(text + "\n"))?;
    }
    if let Some(file) = &arguments.plot {
        write(file, &roofline::text(&bench)?)?;
    }
    let mut text = table::text(&bench);
    if let Some(before) = &before {
        text += &compare::text(before, &bench);
    }
    Ok(text)
}

fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(100);
    let style = ProgressStyle::with_template("measuring {wide_bar} {percent} %  {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    crate::progress::tick(&bar);
    bar
}

fn read(file: &Path) -> Result<Bench, Error> {
    let help = "name a file that `sastrugi bench --json` wrote";
    let refused = |cause: String| Problem::without_place(format!("{}: {cause}", file.display())).help(help);
    let text = std::fs::read(file).map_err(|error| refused(error.to_string()))?;
    let bench = serde_json::from_slice(&text);
    bench.map_err(|error| refused(format!("it is no result of this version: {error}")).into())
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    sastrugi::write_file(file, text.as_bytes())
}
