//! Derives from the reach of stages which halos they need and how they change them.

use std::collections::BTreeMap;

use super::{Effect, StageHalos};
use crate::ir::{Cut, FieldId, Layout, Pipeline, Reach, Stage, StageId, Valid};

/// The needs and effects of every stage; `None` if the pipeline is not cut.
pub fn of(pipeline: &Pipeline) -> Option<Vec<StageHalos>> {
    let cut = pipeline.cut.as_deref()?;
    let stages = 0..pipeline.stages.len();
    Some(stages.map(|id| of_stage(pipeline, cut, id)).collect())
}

fn of_stage(pipeline: &Pipeline, cut: &Cut, id: StageId) -> StageHalos {
    let stage = &pipeline.stages[id];
    match (cut.grow(id), pipeline.built_in(stage)) {
        (Some(grow), _) => of_part(pipeline, cut, stage, grow),
        (None, Some("engine/fill.comp" | "engine/fill_long.comp")) => StageHalos {
            needs: Vec::new(),
            // A condition may prevent it.
            effects: (stage.writes().iter())
                .filter(|_| stage.conditions.is_empty())
                .map(|field| (*field, Effect::Whole))
                .collect(),
        },
        (None, Some("engine/copy.comp")) => {
            let (from, always) = (stage.reads().first(), stage.conditions.is_empty());
            let copy = from.map(|field| Effect::CopyOf {
                field: *field,
                always,
            });
            StageHalos {
                needs: Vec::new(),
                effects: stage.writes().iter().copied().zip(copy).collect(),
            }
        }
        (None, _) => StageHalos {
            needs: stage.reads().iter().map(|field| (*field, Valid::All)).collect(),
            effects: Vec::new(),
        },
    }
}

/// The needs and effects of a stage that runs over parts, grown by cells.
fn of_part(pipeline: &Pipeline, cut: &Cut, stage: &Stage, grow: [u64; 3]) -> StageHalos {
    let signature = &pipeline.kernel_of(stage).signature;
    let is_cut = |axis: &usize| cut.partition.parts[*axis] > 1;
    let axes = || (0..3).filter(is_cut);
    let grown = axes().map(|axis| grow[axis]).max().unwrap_or(0);
    let mut needs: BTreeMap<FieldId, Valid> = BTreeMap::new();
    // Conditions and the clock are not among the local fields.
    for field in stage.reads() {
        needs.insert(*field, Valid::All);
    }
    let (locals, values) = (&signature.fields, &signature.reduces);
    let mut near: BTreeMap<FieldId, Valid> = BTreeMap::new();
    for (local, field) in locals
        .iter()
        .zip(&stage.bindings)
        .filter(|(local, _)| local.reads)
    {
        let sides = pipeline.size_of(*field);
        let valid = match local.reach {
            Reach::Cells(cells) if cut.grids.contains(&pipeline.fields[*field].resource) => {
                let differs = axes().any(|axis| sides[axis] != stage.domain.size[axis]);
                Valid::Depth(grown as u32 + cells + u32::from(differs))
            }
            _ => Valid::All,
        };
        let known = near.entry(*field).or_insert(valid);
        *known = valid.max(*known);
    }
    needs.extend(near);
    let mut effects: Vec<(FieldId, Effect)> = Vec::new();
    let written = locals.iter().zip(&stage.bindings).enumerate();
    for (number, (local, field)) in written.filter(|(_, (local, _))| local.writes) {
        let is_value = values.iter().any(|result| result.values == number);
        let layout = if is_value {
            Layout {
                sides: stage.domain.size,
                entries: 1,
                bytes: local.element.bytes() as u32,
            }
        } else {
            pipeline.layout_of(*field)
        };
        let effect = (*field, Effect::Part(layout));
        if !effects.contains(&effect) {
            effects.push(effect);
        }
    }
    StageHalos {
        needs: needs.into_iter().collect(),
        effects,
    }
}
