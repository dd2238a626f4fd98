//! `sastrugi bench --sweep`: the cost of an element in each case of a sweep.

mod plot;
mod table;

use sastrugi::batch::{self, Case};
use sastrugi::{BenchSweep, Device, Error, Pipeline};

use super::Arguments;
use crate::signals::{INTERRUPTED, Signals};

/// Why a sweep ended before its last case.
enum Stop {
    Interrupted,
    Failed(Error),
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    match measured(arguments) {
        Ok((sweep, stop)) => {
            let printed = crate::print(&table::text(&sweep));
            match stop {
                None => printed,
                Some(Stop::Interrupted) => INTERRUPTED,
                Some(Stop::Failed(error)) => failed(&error),
            }
        }
        Err(error) => failed(&error),
    }
}

/// The measured cases, and why there are not more.
fn measured(arguments: &Arguments) -> Result<(BenchSweep, Option<Stop>), Error> {
    let (device, cases) = begin(arguments)?;
    let mut sweep = BenchSweep::new(&device)?;
    let signals = Signals::install().unwrap_or_else(|error| {
        crate::say!("warning: Ctrl-C will end the measurement at once: {error}");
        Signals::default()
    });
    let stop = measure(arguments, &device, &cases, &mut sweep, &signals);
    if let Some(file) = arguments.plot.as_ref().filter(|_| !sweep.cases.is_empty()) {
        super::write(file, &plot::text(&sweep)?)?;
    }
    Ok((sweep, stop))
}

fn failed(error: &Error) -> u8 {
    crate::report(error);
    crate::exit_code(error)
}

/// Reads the pipelines of all cases, so that mistakes are reported before the first measurement, and opens the device.
fn begin(arguments: &Arguments) -> Result<(Device, Vec<(Case, Pipeline)>), Error> {
    arguments.check_targets()?;
    let mut cases = Vec::new();
    for case in batch::cases(&arguments.sweep)? {
        let pipeline = arguments.pipeline(&case.overrides);
        let pipeline = pipeline.inspect_err(|_| crate::say!("{}:", case.overrides.join(" ")))?;
        cases.push((case, pipeline));
    }
    Ok((arguments.open()?, cases))
}

/// Measures the cases one after the other. The file of `--json` has all measured cases at any time.
fn measure(
    arguments: &Arguments,
    device: &Device,
    cases: &[(Case, Pipeline)],
    sweep: &mut BenchSweep,
    signals: &Signals,
) -> Option<Stop> {
    let bar = super::bar();
    let mut stop = None;
    for (number, (case, pipeline)) in cases.iter().enumerate() {
        bar.set_message(crate::terminal::plain(&case.overrides.join(" ")));
        let mut proceed = |part: f64| {
            bar.set_position((100.0 * (number as f64 + part) / cases.len() as f64) as u64);
            !signals.stop()
        };
        let result = sweep.measure(device, case, pipeline, arguments.options(), &mut proceed);
        stop = match result.and_then(|done| {
            arguments.write_json(serde_json::to_string_pretty(sweep))?;
            Ok(done)
        }) {
            Ok(true) if signals.stop() => Some(Stop::Interrupted),
            Ok(true) => continue,
            Ok(false) => Some(Stop::Interrupted),
            Err(error) => Some(Stop::Failed(error)),
        };
        bar.finish_and_clear();
        crate::say!("{}:", case.overrides.join(" "));
        break;
    }
    bar.finish_and_clear();
    stop
}
