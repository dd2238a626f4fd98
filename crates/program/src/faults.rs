//! Hidden options of `sastrugi run` that break a run or slow it down on purpose, to test that an order matters, or that
//! time does not.

use std::time::Duration;

use sastrugi::{Disturbance, Work};

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

impl Faults {
    pub(super) fn disturbance(&self) -> Disturbance {
        let milliseconds = |ms: Option<u64>| Duration::from_millis(ms.unwrap_or(0));
        Disturbance {
            drop_barrier: self.drop_barrier,
            drop_waits: self.drop_waits.map(|lane| match lane {
                LaneName::Step => Work::Steps,
                LaneName::Frame => Work::Frames,
                LaneName::Download => Work::Downloads,
            }),
            delay_updates: milliseconds(self.delay_updates),
            delay_writes: milliseconds(self.delay_writes),
        }
    }
}
