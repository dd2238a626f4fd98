//! Options for the execution of stages.

use std::time::Duration;

/// Options for the execution of stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Accessors check their index; see [`crate::Simulation::fault`].
    pub checked: bool,
    /// A checked run searches for data races between the elements of a stage.
    pub races: bool,
    /// Runs the workgroups of every stage in an order that this number determines, instead of the device's. The results of
    /// a stage must not depend on it.
    pub shuffle: Option<u32>,
    /// A full barrier after every command. The device must be opened with a single queue.
    pub full_barriers: bool,
    /// Time limit of a submission, after which the device counts as hung.
    pub timeout: Duration,
}

impl Options {
    /// The default options.
    pub const PLAIN: Options = Options {
        checked: false,
        races: true,
        shuffle: None,
        full_barriers: false,
        timeout: Duration::from_secs(300),
    };

    /// Time limit of an exchange between ranks: longer than that of a submission, so that a rank whose device hangs reports
    /// this before the others give it up.
    pub(super) fn exchange_timeout(&self) -> Duration {
        self.timeout + Duration::from_secs(10)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::PLAIN
    }
}
