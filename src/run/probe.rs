//! Hooks for tests and measurements. They drop barriers and waits on purpose, delay work that must not affect results, and
//! time work for which the host does not wait otherwise.

use std::time::Duration;

use crate::ir::ElementBox;
use crate::plan::Lane;

/// A mistake in an exchange of halos between ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spoil {
    #[default]
    None,
    /// Nothing is exchanged.
    Drop,
    /// Halos are one cell too thin.
    Shallow,
    /// Entries are sent as if they belonged where they are, not where the receiver needs them.
    Unshifted,
    /// Lines that ranks transform lack values of the last elements of their ranks.
    ShortLines,
    /// Parts that differ along several axes exchange nothing.
    NoCorners,
    /// Particles next to a part are not sent to its rank.
    NoGhosts,
    /// Particles keep their places although others have come or gone.
    Unmoved,
}

/// The hooks that the engine calls. By default they do nothing.
pub trait Probe: Send + Sync {
    /// Returns true to omit the n-th barrier of the step list.
    fn drops_barrier(&self, _number: usize) -> bool {
        false
    }

    /// Returns true to omit the waits of a lane for other lanes.
    fn drops_waits(&self, _lane: Lane) -> bool {
        false
    }

    /// The mistake to make in the n-th exchange of halos, equal on all ranks.
    fn spoils(&self, _exchange: u64) -> Spoil {
        Spoil::None
    }

    /// The time of a step up to a frame on a part, in milliseconds, instead of its measured time: to balance parts without a clock.
    fn load(&self, _frame: u64, _part: ElementBox) -> Option<f64> {
        None
    }

    /// The longest messages between ranks, in bytes, for which their devices wait for each other without the host. `None` for
    /// what suits the devices.
    fn signals_up_to(&self) -> Option<u64> {
        None
    }

    /// Called in every update of a sparse grid, with the number of updates before it.
    fn before_update(&self, _number: u64) {}

    /// The time for which writers wait before each file, to simulate a slow disk.
    fn file_delay(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns true to let the host wait for every bind of pages, to time it.
    fn times_binds(&self) -> bool {
        false
    }
}

/// Changes nothing.
pub struct NoProbe;

impl Probe for NoProbe {}
