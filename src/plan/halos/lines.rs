//! The needs and effects of transforms of lines.

use super::{Effect, Need, StageHalos};
use crate::ir::{Cut, FieldId, Pipeline, Stage, StageId, Valid};

/// The needs and effects of another stage that runs on whole lines, and accesses its own elements alone.
pub(super) fn of_stage(pipeline: &Pipeline, cut: &Cut, id: StageId) -> StageHalos {
    let stage = &pipeline.stages[id];
    let division = cut.division_of_stage(id);
    let is_on_grid = |field: FieldId| cut.grid(pipeline.fields[field].resource).is_some();
    let need = |field: &FieldId| {
        let valid = if is_on_grid(*field) {
            division.own()
        } else {
            Valid::All
        };
        Need::of(*field, valid)
    };
    let effect = |field: &FieldId| {
        let layout = pipeline.layout_of(*field).divided(division);
        (*field, Effect::Part { layout, depth: 0 })
    };
    // It may keep values that it does not write.
    let fields = stage.reads().iter().chain(stage.writes());
    StageHalos {
        needs: fields.map(need).collect(),
        effects: stage.writes().iter().map(effect).collect(),
    }
}

/// The needs and effects of a pass of a transform, on the lines of a rank.
pub(super) fn of_lines(pipeline: &Pipeline, cut: &Cut, stage: &Stage) -> StageHalos {
    let mut halos = StageHalos::default();
    let Some(lines) = stage.lines.as_deref() else {
        return halos;
    };
    let own = cut.division_of(lines.axis).own();
    let [source, target] = &lines.ends;
    let is_in_place = source.field == target.field;
    // Conditions, the clock and tables.
    let others = stage.reads().iter().filter(|field| **field != source.field);
    halos
        .needs
        .extend(others.map(|field| Need::of(*field, Valid::All)));
    halos.needs.push(Need::of(source.field, own));
    // A condition may keep the last values, which must then be those of the lines.
    if !stage.conditions.is_empty() && !target.is_scratch && !is_in_place {
        halos.needs.push(Need::of(target.field, own));
    }
    if source.is_scratch && !is_in_place {
        halos.effects.push((source.field, Effect::Spent));
    }
    let layout = pipeline.layout_of_lines(cut, lines, 1);
    halos.effects.push((target.field, Effect::Rewritten(layout)));
    halos
}
