//! Deliberate errors and delays in runs, for tests.

use std::thread::sleep;
use std::time::Duration;

use crate::plan::Lane;
use crate::run::Probe;

/// Breaks or delays a [`Run`](crate::Run) on purpose. Tests use it to show that an order matters, or that timing does
/// not. The default disturbs nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disturbance {
    /// Omits the n-th barrier of the step list, counted from 0.
    pub drop_barrier: Option<usize>,
    /// Omits all waits of this work for other work.
    pub drop_waits: Option<Work>,
    /// Maximum sleep before an update of a sparse grid. The time differs between updates, but not between runs.
    pub delay_updates: Duration,
    /// Sleep of writers before each file, as on a slow disk.
    pub delay_writes: Duration,
}

/// Work that waits for other work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// The entries of steps.
    Steps,
    /// The entries of frames.
    Frames,
    /// Downloads of outputs.
    Downloads,
}

impl Probe for Disturbance {
    fn drops_barrier(&self, number: usize) -> bool {
        self.drop_barrier == Some(number)
    }

    fn drops_waits(&self, lane: Lane) -> bool {
        let dropped = self.drop_waits.map(|work| match work {
            Work::Steps => Lane::Step,
            Work::Frames => Lane::Frame,
            Work::Downloads => Lane::Download,
        });
        dropped == Some(lane)
    }

    fn before_update(&self, number: u64) {
        if !self.delay_updates.is_zero() {
            let random = blake3::hash(&number.to_le_bytes()).as_bytes()[0];
            sleep(self.delay_updates * u32::from(random) / 255);
        }
    }

    fn file_delay(&self) -> Duration {
        self.delay_writes
    }
}
