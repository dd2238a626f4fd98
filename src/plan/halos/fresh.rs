//! Where a list must be split so that halos can be exchanged.

use std::collections::{HashMap, HashSet};

use super::{Effect, Need, StageHalos, cut_axes};
use crate::ir::{Division, FieldId, Owners, Pipeline, Valid};

/// The families of fields that stages have changed since the start of a segment that is being cut from a list.
#[derive(Debug, Default)]
pub struct Fresh {
    /// Families that were written in parts: their halos are not valid.
    written: HashMap<FieldId, Written>,
    /// Families whose kept elements may have changed.
    unkept: HashSet<FieldId>,
    /// Families that stages have accessed, without those that only added shares.
    accessed: HashSet<FieldId>,
}

#[derive(Debug)]
struct Written {
    /// The elements to which entries belong now.
    owners: Owners,
    /// How ranks divide what a stage has written.
    division: Division,
    /// The least depth around the part up to which a stage has written them.
    depth: u32,
    /// The elements that other elements read were not written.
    kept: bool,
}

impl Fresh {
    /// Returns true if a stage needs an exchange that cannot take place at the start of the segment.
    pub fn lacks(&self, pipeline: &Pipeline, halos: &StageHalos) -> bool {
        let axes = cut_axes(pipeline);
        let family = |field: FieldId| pipeline.swaps.family(field);
        let lacks = |need: &Need| {
            let is_valid = |written: &Written| {
                let is_written =
                    |depth: u32| depth <= written.depth && written.owners.apart(&need.owners, axes) == 0;
                let is_divided = matches!(written.division, Division::Lines(_));
                match need.valid {
                    Valid::Lines(_) => written.division.own() == need.valid,
                    _ if is_divided => false,
                    Valid::Depth(depth) => need.kept && written.kept || is_written(depth),
                    Valid::Box(_) | Valid::All => need.kept && written.kept,
                }
            };
            let written = self.written.get(&family(need.field));
            need.kept && self.unkept.contains(&family(need.field))
                || written.is_some_and(|written| !is_valid(written))
        };
        // Values of another arrangement than the last must be complete before they are overwritten.
        halos.needs.iter().any(lacks)
            || halos.effects.iter().any(|(field, effect)| match effect {
                // Copies become shares before the segment.
                Effect::Shares => self.accessed.contains(&family(*field)),
                Effect::Part { layout, .. } => {
                    let cells = match layout.division {
                        Division::Lines(_) => layout.divided(Division::Cells),
                        _ => *layout,
                    };
                    let is_other = cells.with(Owners::Own) != pipeline.layout_of(*field);
                    let written = self.written.get(&family(*field));
                    written.is_some_and(|written| is_other || written.division != layout.division)
                }
                _ => false,
            })
    }

    /// Notes the effects of a stage.
    pub fn ran(&mut self, pipeline: &Pipeline, halos: &StageHalos) {
        let needed = halos.needs.iter().map(|need| need.field);
        let others = halos
            .effects
            .iter()
            .filter(|(_, effect)| *effect != Effect::Shares);
        let accessed = needed.chain(others.map(|(field, _)| *field));
        (self.accessed).extend(accessed.map(|field| pipeline.swaps.family(field)));
        for (field, effect) in &halos.effects {
            let family = pipeline.swaps.family(*field);
            let division = match effect {
                Effect::Part { layout, .. } | Effect::Rewritten(layout) => layout.division,
                _ => Division::Cells,
            };
            let (owners, depth, keeps) = match effect {
                Effect::Part { layout, depth } => (layout.owners, *depth, false),
                Effect::CopyOf { .. } | Effect::Shares | Effect::Scattered(_) | Effect::Rewritten(_) => {
                    (Owners::Own, 0, false)
                }
                Effect::Kept => (Owners::Own, 0, true),
                Effect::Whole => continue,
                Effect::Unkept => {
                    self.unkept.insert(family);
                    continue;
                }
                Effect::Spent => {
                    self.written.remove(&family);
                    continue;
                }
            };
            let before = self.written.get(&family);
            let kept = keeps && before.is_none_or(|before| before.kept);
            // Members of a family share memory by turns: one of them may be valid less far.
            let depth = before.map_or(depth, |before| before.depth.min(depth));
            let written = Written {
                owners,
                division,
                depth,
                kept,
            };
            self.written.insert(family, written);
        }
    }
}
