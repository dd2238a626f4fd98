//! Names of the clock in stage lists, and what is known of the repeats that go through the time of the step.

use crate::ir::FieldId;

/// What such a repeat looks at.
pub(super) const CLOCK_LEFT: &str = "clock.left";
/// What a stage writes that sets how long a turn is.
pub(super) const CLOCK_DT: &str = "clock.dt";
const OF_CLOCK: &str = "clock.";

/// A repeat that goes through the time of the step.
pub(super) struct TimedRepeat {
    pub clock: FieldId,
    /// Its place, and those of the stages that set how long a turn is.
    pub pointer: String,
    pub setters: Vec<String>,
}

/// Whether a name is of the clock. No resource has it: `clock` is a word of shaders.
pub(super) fn is_of_clock(name: &str) -> bool {
    name.starts_with(OF_CLOCK)
}
