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
    /// The part of the program that uses the memory of fields directly: see [`crate::Simulation::memory`].
    pub share: Share,
    /// Time limit of a submission, after which the device counts as hung.
    pub timeout: Duration,
}

/// The users of the memory of fields besides the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Share {
    /// None.
    #[default]
    No,
    /// The host, on a device whose memory is that of the host (lavapipe).
    Host,
    /// CUDA, on the same NVIDIA device.
    Cuda,
}

impl Options {
    /// The default options.
    pub const PLAIN: Options = Options {
        checked: false,
        races: true,
        shuffle: None,
        full_barriers: false,
        share: Share::No,
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
