//! Fields of which elements read, in other elements, no value that the same stages write: such values stay valid in halos.

use super::{Effect, StageHalos};
use crate::ir::{FieldId, Pipeline, Stage};

/// A family of fields, and the family of the field that decides which elements are kept.
pub struct Kept {
    family: FieldId,
    by: FieldId,
}

/// The families that stages keep, all by the same field.
pub fn kept(pipeline: &Pipeline) -> Vec<Kept> {
    let family = |field: FieldId| pipeline.swaps.family(field);
    let mut all: Vec<Kept> = Vec::new();
    for stage in &pipeline.stages {
        let locals = &pipeline.kernel_of(stage).signature.fields;
        for (local, field) in locals.iter().zip(&stage.bindings) {
            let Some(name) = &local.keeps else { continue };
            let found = locals.iter().position(|other| other.name == *name);
            all.extend(found.map(|number| Kept {
                family: family(*field),
                by: family(stage.bindings[number]),
            }));
        }
    }
    let differs = |one: &Kept| {
        all.iter()
            .any(|other| other.family == one.family && other.by != one.by)
    };
    let differ: Vec<bool> = all.iter().map(differs).collect();
    all.into_iter()
        .zip(differ)
        .filter_map(|(kept, differs)| (!differs).then_some(kept))
        .collect()
}

/// Returns true if a stage keeps a field, in all its uses.
pub fn keeps(kept: &[Kept], pipeline: &Pipeline, stage: &Stage, field: FieldId) -> bool {
    let locals = pipeline.kernel_of(stage).signature.fields.iter();
    let mut bound = (locals.zip(&stage.bindings)).filter(|(_, bound)| **bound == field);
    let family = pipeline.swaps.family(field);
    kept.iter().any(|kept| kept.family == family)
        && bound.all(|(local, _)| local.keeps.is_some() && local.alternation.is_none())
}

/// Adds to the effects of stages that they change which elements are kept.
pub fn add_changes(kept: &[Kept], pipeline: &Pipeline, all: &mut [StageHalos]) {
    for (stage, halos) in pipeline.stages.iter().zip(all) {
        let written = |by: FieldId| {
            let mut fields = stage.writes().iter();
            fields.any(|field| pipeline.swaps.family(*field) == by)
        };
        for kept in kept.iter().filter(|kept| written(kept.by)) {
            let effect = (kept.family, Effect::Unkept);
            if !halos.effects.contains(&effect) {
                halos.effects.push(effect);
            }
        }
    }
}
