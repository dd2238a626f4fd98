//! How long a run takes until its first step: where the time of a start goes.

use std::time::{Duration, Instant};

use crate::gpu::Gpu;
use crate::output::manifest::Startup;

/// A stopwatch that tells the time from one call to the next.
pub(super) struct Laps(Instant);

impl Laps {
    pub(super) fn start() -> Laps {
        Laps(Instant::now())
    }

    /// Does some work, and says how many milliseconds it took.
    pub(super) fn of<R>(milliseconds: &mut f64, work: impl FnOnce() -> R) -> R {
        let mut laps = Laps::start();
        let result = work();
        *milliseconds = laps.lap();
        result
    }

    /// Milliseconds since the last call.
    pub(super) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        milliseconds(now - std::mem::replace(&mut self.0, now))
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Fills in the sums, when the first step has been submitted. `began` is when the program did, where that is known.
pub(super) fn complete(startup: &mut Startup, gpu: &Gpu, began: Option<Instant>, first_step: Instant) {
    let opened = gpu.opened();
    // What happened on the device before the program's first run belongs to no start.
    if let Some(began) = began {
        startup.device_ms = Some(milliseconds(opened.took));
        startup.device_to_first_step_ms = Some(milliseconds(first_step.saturating_duration_since(opened.at)));
        startup.program_to_first_step_ms = Some(milliseconds(first_step.saturating_duration_since(began)));
    }
}
