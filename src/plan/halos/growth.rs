//! Which stages may run beyond their part, how far, and up to which depth their fields are valid then.

use super::{Effect, StageHalos};
use crate::ir::{
    Cut, Division, FieldId, Home, Over, Pipeline, Reach, Share, StageId, lacking, more, more_of, width,
};

/// The depth around the part up to which a stage writes a field, in elements of the field.
pub(super) fn depth_of(pipeline: &Pipeline, cut: &Cut, id: StageId, field: FieldId) -> u32 {
    let beyond = cut.beyond(id);
    let lost = lost(pipeline, cut, id, field);
    let depth = |axis: usize| {
        let [own, of_field] = scales(pipeline, cut, id, field);
        (own[axis] * beyond[axis]).saturating_sub(lost[axis]) / of_field[axis]
    };
    axes(cut).map(depth).min().unwrap_or(0) as u32
}

/// The elements along each axis by which the part of a stage grows, so that it writes a field up to a depth.
pub(super) fn growth(pipeline: &Pipeline, cut: &Cut, id: StageId, field: FieldId, depth: u32) -> [u64; 3] {
    let lost = lost(pipeline, cut, id, field);
    let [own, of_field] = scales(pipeline, cut, id, field);
    let mut growth = [0; 3];
    for axis in axes(cut) {
        growth[axis] = (of_field[axis] * u64::from(depth) + lost[axis]).div_ceil(own[axis]);
    }
    let stage = &pipeline.stages[id];
    if stage.tiles.is_none() {
        growth[0] = growth[0].next_multiple_of(width(stage));
    }
    growth
}

/// Returns true for a stage that may run over elements of other parts too: it leaves there what the stage leaves on their rank.
pub(super) fn may_grow(pipeline: &Pipeline, cut: &Cut, id: StageId, halos: &StageHalos) -> bool {
    let stage = &pipeline.stages[id];
    let signature = &pipeline.kernel_of(stage).signature;
    // Elements that a stage leaves as they are keep their value in the same memory alone.
    let has_one_copy = |field: &FieldId| pipeline.fields[*field].ring == 1;
    // Ghosts of particles are no farther than the stage needs.
    let is_in_cells = |field: &FieldId| {
        let found = &pipeline.fields[*field];
        let is_held = found.home == Home::Device || cut.grid(found.resource).is_some();
        is_held && cut.set(found.resource).is_none()
    };
    let is_over = match stage.domain.over {
        Over::Elements | Over::ActiveCells => true,
        Over::Groups => stage.tiles.is_some() && !pipeline.is_reduction(stage),
        _ => false,
    };
    matches!(cut.shares[id], Share::Part { .. })
        && is_over
        && cut.set_of(stage).is_none()
        && cut.division_of_stage(id) == Division::Cells
        && signature.reduces.is_empty()
        && stage.bindings.iter().all(is_in_cells)
        && (halos.effects.iter()).all(|(field, effect)| match effect {
            Effect::Part { layout, .. } => {
                let of_cells = cut.grid(pipeline.fields[*field].resource).is_some();
                let of_tiles = pipeline.resource_of(*field).is_buffer() && stage.tiles.is_some();
                let is_plain = *layout == pipeline.layout_of(*field) && has_one_copy(field);
                of_cells && is_plain || of_tiles && !cut.sums.contains(field)
            }
            _ => false,
        })
        && !(signature.fields.iter()).any(|local| local.writes && local.reach.writes == Reach::Anywhere)
}

/// The cells along each axis in an element of a stage, and in one of a field.
fn scales(pipeline: &Pipeline, cut: &Cut, id: StageId, field: FieldId) -> [[u64; 3]; 2] {
    [
        cut.scale_of(&pipeline.stages[id]),
        pipeline.layout_of(field).scale,
    ]
    .map(|scale| scale.per.map(u64::from))
}

/// The cells along each axis by which what a stage writes ends before its grown part does: parts of different lattices end at
/// different planes, and the last elements of an axis may cover fewer cells.
fn lost(pipeline: &Pipeline, cut: &Cut, id: StageId, field: FieldId) -> [u64; 3] {
    let stage = &pipeline.stages[id];
    let layout = pipeline.layout_of(field);
    let mut lost = cut.slack_of(stage, layout.scale);
    let over = stage.tiles.map(|tiles| tiles.grid).or(stage.domain.resource);
    let grids = (
        over.and_then(|id| cut.grid(id)),
        cut.grid(pipeline.fields[field].resource),
    );
    let lacking = lacking(pipeline, stage);
    for axis in axes(cut) {
        if let (Some(own), Some(of_field)) = grids {
            lost[axis] += lacking[axis] * u64::from(own.scale.per[axis]);
            if more(pipeline, stage, own, axis) != more_of(pipeline, field, of_field, axis) {
                lost[axis] += u64::from(layout.scale.per[axis]);
            }
        }
    }
    lost
}

fn axes(cut: &Cut) -> impl Iterator<Item = usize> {
    (0..3).filter(|axis| cut.partition.parts[*axis] > 1)
}
