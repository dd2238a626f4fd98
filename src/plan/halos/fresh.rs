//! Where a list must be split so that halos can be exchanged.

use std::collections::HashMap;

use super::{Effect, StageHalos};
use crate::ir::{FieldId, Pipeline, Valid};

/// How valid families of fields still are since the start of a segment that is being cut from a list.
#[derive(Debug, Default)]
pub struct Fresh {
    /// Absent: as at the start.
    known: HashMap<FieldId, Valid>,
}

impl Fresh {
    /// Returns true if a stage needs an exchange that cannot take place at the start of the segment.
    pub fn lacks(&self, pipeline: &Pipeline, halos: &StageHalos) -> bool {
        let known = |field: FieldId| self.known.get(&pipeline.swaps.family(field));
        let mut needs = halos.needs.iter();
        let lacks = needs.any(|(field, valid)| known(*field).is_some_and(|known| known < valid));
        // Values of another arrangement than the last must be complete before they are overwritten.
        let mut parts = halos.effects.iter();
        lacks
            || parts.any(|(field, effect)| match effect {
                Effect::Part(layout) => *layout != pipeline.layout_of(*field) && known(*field).is_some(),
                _ => false,
            })
    }

    /// Notes the effects of a stage.
    pub fn ran(&mut self, pipeline: &Pipeline, halos: &StageHalos) {
        for (field, effect) in &halos.effects {
            let valid = match effect {
                Effect::Part(_) | Effect::CopyOf { .. } => Valid::Depth(0),
                Effect::Whole => continue,
                Effect::Spent => {
                    self.known.remove(&pipeline.swaps.family(*field));
                    continue;
                }
            };
            self.known.insert(pipeline.swaps.family(*field), valid);
        }
    }
}
