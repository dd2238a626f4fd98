//! Times of the parts of a start, until the first step.

use std::time::{Duration, Instant};

use crate::gpu::Gpu;
use crate::output::manifest::Startup;

/// A stopwatch that measures the time from one call to the next.
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    pub(super) fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// Does some work and measures it in milliseconds.
    pub(super) fn of<R>(milliseconds: &mut f64, work: impl FnOnce() -> R) -> R {
        let mut stopwatch = Stopwatch::start();
        let result = work();
        *milliseconds = stopwatch.lap();
        result
    }

    /// Milliseconds since the last call.
    pub(super) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        milliseconds(now - std::mem::replace(&mut self.0, now))
    }
}

pub(super) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Fills in the sums after the first step is submitted. `began` is the start of the program, if known.
pub(super) fn complete(startup: &mut Startup, gpu: &Gpu, began: Option<Instant>, first_step: Instant) {
    let opened = gpu.opened();
    // Work on the device before the first run of the program is not part of a start.
    if let Some(began) = began {
        startup.device_ms = Some(milliseconds(opened.took));
        startup.device_to_first_step_ms = Some(milliseconds(first_step.saturating_duration_since(opened.at)));
        startup.program_to_first_step_ms = Some(milliseconds(first_step.saturating_duration_since(began)));
    }
}
