//! `sastrugi bench`: the times and rates of stages.

mod compare;
mod roofline;
mod sweep;
mod table;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use sastrugi::{Bench, BenchOptions, BenchSweep, Device, DeviceOptions, Error, Pipeline, Problem};

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
  sastrugi bench smoke --sweep n=25,50,100 --plot sizes.svg    the cost of a cell at three sizes, as table and picture

Stages without bytes have an unknown number of elements: a repeat with `while`, newborn particles, or an update of a
sparse grid. A stage whose data fits the caches of the device can be faster than a copy.

A sweep divides the time of a step by the elements of its largest domain that changes, and that of a stage by those of its
own domain. To change several values together, sweep a parameter that they are computed from. A case is marked if the time
of its launches, or of its submission, is over a third of a step.")]
pub(super) struct Arguments {
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    /// Sets a value, as for `run`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Measures every case of a sweep, as for `run`: the cost of an element in each of them.
    #[arg(long, value_name = "PATH=A,B,C", conflicts_with = "compare")]
    sweep: Vec<String>,
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
    /// Draws rates against bytes as SVG; with --sweep, costs of an element against the number of elements.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Compiles every shader again and does not use the cache.
    #[arg(long)]
    no_cache: bool,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    if !arguments.sweep.is_empty() {
        return sweep::main(arguments);
    }
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
    arguments.check_targets()?;
    let pipeline = arguments.pipeline(&[])?;
    let device = arguments.open()?;
    let bar = bar();
    let mut progress = |part: f64| bar.set_position((100.0 * part) as u64);
    let bench = Bench::measure(&device, &pipeline, arguments.options(), &mut progress);
    bar.finish_and_clear();
    let bench = bench?;
    arguments.write_json(serde_json::to_string_pretty(&bench))?;
    if let Some(file) = &arguments.plot {
        write(file, &roofline::text(&bench)?)?;
    }
    let mut text = table::text(&bench);
    if let Some(before) = &before {
        text += &compare::text(before, &bench);
    }
    Ok(text)
}

impl Arguments {
    /// Refuses to replace files that are no results of this command.
    fn check_targets(&self) -> Result<(), Problem> {
        if let Some(file) = &self.plot {
            crate::svg::check_target(
                file,
                "sastrugi bench",
                "name another file with --plot, or remove this one",
            )?;
        }
        let Some(file) = self.json.as_deref().filter(|file| file.exists()) else {
            return Ok(());
        };
        let is_result = std::fs::read(file).is_ok_and(|text| {
            serde_json::from_slice::<Bench>(&text).is_ok()
                || serde_json::from_slice::<BenchSweep>(&text).is_ok()
        });
        if is_result {
            return Ok(());
        }
        let message = format!(
            "{} would be replaced, but `sastrugi bench` did not write it",
            file.display()
        );
        Err(Problem::without_place(message).help("name another file with --json, or remove this one"))
    }

    /// The pipeline with the overrides of a case.
    fn pipeline(&self, of_case: &[String]) -> Result<Pipeline, Error> {
        let overrides: Vec<String> = self.set.iter().chain(of_case).cloned().collect();
        let builder = super::pipeline(&self.spec, &overrides)?;
        Ok(super::cached(builder, !self.no_cache).build()?)
    }

    fn open(&self) -> Result<Device, Error> {
        Device::open(&DeviceOptions {
            device: self.device.clone(),
            cache: sastrugi::cache_directory().filter(|_| !self.no_cache),
            ..DeviceOptions::default()
        })
    }

    fn options(&self) -> BenchOptions {
        BenchOptions {
            warm_up: self.warm_up,
            steps: self.steps,
            runs: self.runs,
        }
    }

    /// Writes the file of `--json`.
    fn write_json(&self, result: serde_json::Result<String>) -> Result<(), Error> {
        let Some(file) = &self.json else {
            return Ok(());
        };
        let text = result.map_err(|error| Error::failed(error.to_string()))?;
        write(file, &(text + "\n"))
    }
}

fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(100);
    let style = ProgressStyle::with_template("measuring {msg} {wide_bar} {percent} %  {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    crate::progress::tick(&bar);
    bar
}

fn read(file: &Path) -> Result<Bench, Error> {
    let help = "name a file that `sastrugi bench --json` wrote";
    let refused = |cause: String| Problem::without_place(format!("{}: {cause}", file.display())).help(help);
    let text = std::fs::read(file).map_err(|error| refused(error.to_string()))?;
    if serde_json::from_slice::<BenchSweep>(&text).is_ok() {
        let sweep = format!("{}: it has the cases of a sweep", file.display());
        return Err(Problem::without_place(sweep)
            .help("name a result without --sweep")
            .into());
    }
    let bench = serde_json::from_slice(&text);
    bench.map_err(|error| refused(format!("it is no result of this version: {error}")).into())
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    sastrugi::write_file(file, text.as_bytes())
}
