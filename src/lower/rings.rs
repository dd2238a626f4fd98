//! Which fields need copies: only what every step writes whole. The rest is the same in every step, or changes in place.

use std::collections::BTreeSet;

use super::meaning::Meaning;
use crate::problem::Problem;

/// Most steps until all rings are back at their first copy: each is recorded.
const MAX_SLOTS: u32 = 240;

pub(super) fn lower(meaning: &mut Meaning) {
    let pipeline = &mut meaning.pipeline;
    for field in 0..pipeline.fields.len() {
        let stages = pipeline.step.iter().map(|entry| &pipeline.stages[entry.stage]);
        if !stages.into_iter().any(|stage| stage.moves_on(field)) {
            pipeline.fields[field].ring = 1;
        }
    }
    let slots = pipeline.slots();
    if slots <= MAX_SLOTS {
        return;
    }
    let rings = pipeline.fields.iter().map(|field| field.ring);
    let rings: BTreeSet<u32> = rings.filter(|ring| *ring > 1).collect();
    let (place, message) = match pipeline.swaps.order() {
        1 => (
            "/particles",
            format!("the least common multiple of the ring lengths {rings:?} is {slots}"),
        ),
        order => (
            "/step",
            format!(
                "swaps that come round every {order} steps and rings of {rings:?} copies come round together only every \
                 {slots} steps"
            ),
        ),
    };
    let help = format!("choose lengths that divide one another; the limit is {MAX_SLOTS} steps");
    meaning.problems.push(Problem::new(place, message).help(help));
}
