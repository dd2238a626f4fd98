//! Ways into a run for tests and measurements: to break an order on purpose and see that it matters, to be slow where
//! that must change nothing, and to time what is not waited for otherwise.

use std::time::Duration;

use crate::plan::Lane;

/// What the engine asks at the places where a test may step in. By default nothing happens.
pub(crate) trait Probe: Send + Sync {
    /// Whether the n-th barrier of the step list is left out.
    fn drops_barrier(&self, _number: usize) -> bool {
        false
    }

    /// Whether a lane's waits for other lanes are left out.
    fn drops_waits(&self, _lane: Lane) -> bool {
        false
    }

    /// Called in every update of a sparse grid, with the number of updates before it.
    fn before_update(&self, _number: u64) {}

    /// How long writers wait before each file, as if the disk were slow.
    fn file_delay(&self) -> Duration {
        Duration::ZERO
    }

    /// Whether the host waits for every bind of pages, to time it.
    fn times_binds(&self) -> bool {
        false
    }
}

/// Leaves everything as it is.
pub(crate) struct NoProbe;

impl Probe for NoProbe {}
