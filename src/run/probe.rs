//! Hooks for tests and measurements: to break an order on purpose and see that it matters, to delay work that must not
//! affect results, and to time work that the host does not wait for otherwise.

use std::time::Duration;

use crate::plan::Lane;

/// The hooks that the engine calls. By default nothing happens.
pub trait Probe: Send + Sync {
    /// Whether to omit the n-th barrier of the step list.
    fn drops_barrier(&self, _number: usize) -> bool {
        false
    }

    /// Whether to omit the waits of a lane for other lanes.
    fn drops_waits(&self, _lane: Lane) -> bool {
        false
    }

    /// Called in every update of a sparse grid, with the number of updates before it.
    fn before_update(&self, _number: u64) {}

    /// How long writers wait before each file, to simulate a slow disk.
    fn file_delay(&self) -> Duration {
        Duration::ZERO
    }

    /// Whether the host waits for every bind of pages, to time it.
    fn times_binds(&self) -> bool {
        false
    }
}

/// Leaves everything as it is.
pub struct NoProbe;

impl Probe for NoProbe {}
