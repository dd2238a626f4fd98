//! Counters of the turns that repeats with `while` take.

use super::Entry;
use crate::ir::{Domain, Draft, FieldId};

/// Name of the counter of turns of repeats with this condition. Names in pipeline files never start with sg_.
pub(crate) fn counter(condition: &str) -> String {
    format!("sg_turns_{condition}")
}

/// The stage that counts a turn.
pub(crate) fn count(condition: &str, counter: FieldId, entry: Entry) -> Draft {
    let name = format!("count_turn_of_{condition}{}", entry.suffix);
    let mut stage = entry.draft(name, "engine/count_turn.comp", Domain::list(1, None));
    stage.stated.workgroup = Some([1, 1, 1]);
    stage.read("turns", counter);
    stage.write("turns", counter);
    stage
}
