//! Hidden options of `sastrugi run` that break a run or slow it down on purpose, to test that an order matters, or that
//! time does not.

use std::thread::sleep;
use std::time::Duration;

use crate::plan::Lane;
use crate::run::Probe;

#[derive(Clone, Copy, clap::Args)]
pub(super) struct Faults {
    /// Omits the n-th barrier of the step list, for tests.
    #[arg(long, hide = true, value_name = "N")]
    drop_barrier: Option<usize>,
    /// Omits the waits of one lane, for tests.
    #[arg(long, hide = true, value_name = "LANE")]
    drop_waits: Option<LaneName>,
    /// Sleeps for up to this many milliseconds in every update of a sparse grid, for tests.
    #[arg(long, hide = true, value_name = "MS")]
    delay_updates: Option<u64>,
    /// Sleeps for this many milliseconds before each file, to simulate a slow disk.
    #[arg(long, hide = true, value_name = "MS")]
    delay_writes: Option<u64>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum LaneName {
    Step,
    Frame,
    Download,
}

impl Probe for Faults {
    fn drops_barrier(&self, number: usize) -> bool {
        self.drop_barrier == Some(number)
    }

    fn drops_waits(&self, lane: Lane) -> bool {
        match self.drop_waits {
            None => false,
            Some(LaneName::Step) => lane == Lane::Step,
            Some(LaneName::Frame) => lane == Lane::Frame,
            Some(LaneName::Download) => lane == Lane::Download,
        }
    }

    fn before_update(&self, number: u64) {
        if let Some(most) = self.delay_updates {
            // Another time in every update, the same in every run.
            let random = blake3::hash(&number.to_le_bytes()).as_bytes()[0];
            sleep(Duration::from_millis(u64::from(random) * most / 255));
        }
    }

    fn file_delay(&self) -> Duration {
        Duration::from_millis(self.delay_writes.unwrap_or(0))
    }
}
