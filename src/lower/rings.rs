//! Removes copies of fields that no stage writes completely in every step: they stay constant or change in place.

use std::collections::BTreeSet;

use super::meaning::Meaning;
use crate::problem::Problem;

/// Largest number of steps until all rings are back at their first copy: every phase is recorded.
const MAX_PHASES: u32 = 240;

pub(super) fn lower(meaning: &mut Meaning) {
    let pipeline = &mut meaning.pipeline;
    for field in 0..pipeline.fields.len() {
        let entries = pipeline.step.iter().filter(|entry| entry.call.is_none());
        let stages = entries.map(|entry| &pipeline.stages[entry.stage]);
        if !stages.into_iter().any(|stage| stage.advances_ring(field)) {
            pipeline.fields[field].ring = 1;
        }
    }
    let phases = pipeline.phases();
    if phases <= MAX_PHASES {
        return;
    }
    let rings = pipeline.fields.iter().map(|field| field.ring);
    let rings: BTreeSet<u32> = rings.filter(|ring| *ring > 1).collect();
    let (place, message) = match pipeline.swaps.order() {
        1 => (
            "/particles",
            format!("the least common multiple of the ring lengths {rings:?} is {phases}"),
        ),
        order => (
            "/step",
            format!(
                "the swap period {order} and the ring lengths {rings:?} have a least common multiple of {phases} steps"
            ),
        ),
    };
    let help = format!("choose lengths that divide one another; the limit is {MAX_PHASES} steps");
    meaning.problems.push(Problem::new(place, message).help(help));
}
