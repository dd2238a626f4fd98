//! Hidden options of `sastrugi run` that break a run, or slow it down, on purpose: to see that an order matters, or that
//! time does not.

use std::thread::sleep;
use std::time::Duration;

use crate::plan::Lane;
use crate::run::Probe;

#[derive(Clone, Copy, clap::Args)]
pub(super) struct Faults {
    /// Leaves out the n-th barrier of the step list, to see that it matters.
    #[arg(long, hide = true, value_name = "N")]
    drop_barrier: Option<usize>,
    /// Leaves out the waits of one lane, to see that they matter.
    #[arg(long, hide = true, value_name = "LANE")]
    drop_waits: Option<LaneName>,
    /// Sleeps up to so many milliseconds in every update of a sparse grid, to see that results are the same.
    #[arg(long, hide = true, value_name = "MS")]
    delay_updates: Option<u64>,
    /// Sleeps so many milliseconds before each file, as if the disk were slow.
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
