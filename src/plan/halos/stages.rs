//! Derives from the reach of stages which halos they need and how they change them.

use std::collections::BTreeMap;

use super::{Effect, StageHalos};
use crate::ir::{
    Cut, ElementBox, FieldId, Home, Layout, Pipeline, Reach, Stage, StageId, Valid, is_of_tiles, more,
    more_of,
};

/// Bytes of a partial result of a component of a reduction.
const PARTIAL_BYTES: u32 = 8;

/// The needs and effects of every stage; `None` if the pipeline is not cut.
pub fn of(pipeline: &Pipeline) -> Option<Vec<StageHalos>> {
    let cut = pipeline.cut.as_deref()?;
    let stages = 0..pipeline.stages.len();
    Some(stages.map(|id| of_stage(pipeline, cut, id)).collect())
}

fn of_stage(pipeline: &Pipeline, cut: &Cut, id: StageId) -> StageHalos {
    let stage = &pipeline.stages[id];
    match (cut.grow(id), pipeline.built_in(stage)) {
        (Some(_), _) if pipeline.is_reduction(stage) => of_reduction(pipeline, cut, stage),
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
        // It may keep values that it writes, or combine them with others.
        (None, _) => StageHalos {
            needs: (stage.reads().iter())
                .map(|field| (*field, measured(pipeline, stage, *field).unwrap_or(Valid::All)))
                .chain(stage.writes().iter().map(|field| (*field, Valid::All)))
                .collect(),
            effects: Vec::new(),
        },
    }
}

/// The elements of a field that a stage measures one by one; `None` if it reads the field otherwise.
fn measured(pipeline: &Pipeline, stage: &Stage, field: FieldId) -> Option<Valid> {
    let signature = &pipeline.kernel_of(stage).signature;
    if pipeline.fields[field].home == Home::Pages {
        return None;
    }
    let mut all = None;
    for number in (0..stage.bindings.len()).filter(|number| stage.bindings[*number] == field) {
        let items: Vec<_> = (signature.measured.iter())
            .filter(|item| item.field == number)
            .collect();
        if items.is_empty() {
            return None;
        }
        for item in items {
            let (_, low) = item.only?;
            let element = Valid::Box(ElementBox { low, size: [1; 3] });
            all = Some(all.map_or(element, |all: Valid| all.joined(element)));
        }
    }
    all
}

/// The needs and effects of a stage that runs over parts, grown by cells.
fn of_part(pipeline: &Pipeline, cut: &Cut, stage: &Stage, grow: [u64; 3]) -> StageHalos {
    let signature = &pipeline.kernel_of(stage).signature;
    let own = cut.scale_of(stage);
    let of_tiles = stage.tiles.map(|tiles| tiles.grid);
    let grid = of_tiles.or(stage.domain.resource);
    let more_along = |axis| grid.map_or(0, |grid| more(pipeline, stage, grid, axis));
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
        let grid = cut.grid(pipeline.fields[*field].resource);
        let valid = match (local.reach, grid) {
            (Reach::Cells(cells), Some(grid)) => {
                let slack = cut.slack_of(stage, grid.scale);
                let depth = cut_axes(cut).map(|axis| {
                    let [a, b] = [own, grid.scale].map(|scale| u64::from(scale.per[axis]));
                    let differs = more_along(axis) != more_of(pipeline, *field, axis);
                    (a * grow[axis] + slack[axis]).div_ceil(b) + u64::from(cells) + u64::from(differs)
                });
                Valid::Depth(depth.max().unwrap_or(0) as u32)
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
        let layout = if is_value || is_of_tiles(pipeline, stage, number) {
            Layout {
                sides: stage.domain.size,
                entries: 1,
                bytes: local.element.bytes() as u32,
                scale: own,
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

/// The first level of a reduction, on the tiles of a part. The values are read by no other stage.
fn of_reduction(pipeline: &Pipeline, cut: &Cut, stage: &Stage) -> StageHalos {
    let signature = &pipeline.kernel_of(stage).signature;
    let scale = cut.scale_of(stage);
    let mut halos = StageHalos::default();
    for (local, field) in signature.fields.iter().zip(&stage.bindings) {
        let resource = pipeline.fields[*field].resource;
        if local.writes {
            let entries = signature.measured.len() as u32;
            let bytes = PARTIAL_BYTES;
            let layout = Layout {
                sides: stage.domain.size,
                entries,
                bytes,
                scale,
            };
            halos.effects.push((*field, Effect::Part(layout)));
        }
        let of_elements = stage.tiles.and_then(|tiles| cut.grid(tiles.grid));
        if let Some(grid) = of_elements.filter(|_| local.reads) {
            // No tile goes beyond an end of the grid.
            let slack = cut.slack([scale, grid.scale], false);
            let depth = cut_axes(cut).map(|axis| slack[axis].div_ceil(u64::from(grid.scale.per[axis])));
            halos
                .needs
                .push((*field, Valid::Depth(depth.max().unwrap_or(0) as u32)));
            if resource != grid.id {
                halos.effects.push((*field, Effect::Spent));
            }
        }
    }
    halos
}

fn cut_axes(cut: &Cut) -> impl Iterator<Item = usize> {
    (0..3).filter(|axis| cut.partition.parts[*axis] > 1)
}
