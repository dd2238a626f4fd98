//! Where a list must be split so that halos can be exchanged.

use std::collections::HashMap;

use super::{Effect, Need, StageHalos, cut_axes};
use crate::ir::{FieldId, Owners, Pipeline, Valid};

/// The families of fields that stages have written in parts since the start of a segment that is being cut from a list. Their
/// halos are not valid.
#[derive(Debug, Default)]
pub struct Fresh {
    /// With the elements to which their entries belong.
    known: HashMap<FieldId, Owners>,
}

impl Fresh {
    /// Returns true if a stage needs an exchange that cannot take place at the start of the segment.
    pub fn lacks(&self, pipeline: &Pipeline, halos: &StageHalos) -> bool {
        let axes = cut_axes(pipeline);
        let known = |field: FieldId| self.known.get(&pipeline.swaps.family(field));
        let needs = |need: &Need| {
            known(need.field)
                .is_some_and(|known| need.valid != Valid::Depth(0) || known.apart(&need.owners, axes) > 0)
        };
        // Values of another arrangement than the last must be complete before they are overwritten.
        halos.needs.iter().any(needs)
            || halos.effects.iter().any(|(field, effect)| match effect {
                Effect::Part(layout) => {
                    let is_other = layout.with(Owners::Own) != pipeline.layout_of(*field);
                    is_other && known(*field).is_some()
                }
                _ => false,
            })
    }

    /// Notes the effects of a stage.
    pub fn ran(&mut self, pipeline: &Pipeline, halos: &StageHalos) {
        for (field, effect) in &halos.effects {
            let family = pipeline.swaps.family(*field);
            match effect {
                Effect::Part(layout) => drop(self.known.insert(family, layout.owners)),
                Effect::CopyOf { .. } => drop(self.known.insert(family, Owners::Own)),
                Effect::Whole => {}
                Effect::Spent => drop(self.known.remove(&family)),
            }
        }
    }
}
