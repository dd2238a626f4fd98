//! Derives from the reach of stages which halos they need and how they change them.

use super::growth::depth_of;
use super::kept::{self, Kept};
use super::{Effect, Need, StageHalos, lines};
use crate::ir::{
    Alternation, Cut, Division, ElementBox, FieldId, Home, Layout, LocalField, Over, Owners, Pipeline,
    Purpose, Reach, Stage, StageId, Valid, alternation_of, is_of_tiles, more, more_of,
};

/// Bytes of a partial result of a component of a reduction.
const PARTIAL_BYTES: u32 = 8;

/// The needs and effects of every stage; `None` if the pipeline is not cut.
pub fn of(pipeline: &Pipeline) -> Option<Vec<StageHalos>> {
    let cut = pipeline.cut.as_deref()?;
    let stages = 0..pipeline.stages.len();
    let kept = kept::kept(pipeline);
    let mut all: Vec<StageHalos> = stages.map(|id| of_stage(pipeline, cut, id, &kept)).collect();
    add_needs_of_writers(pipeline, &mut all);
    kept::add_changes(&kept, pipeline, &mut all);
    Some(all)
}

/// Adds the needs of stages that write or copy fields whose entries alternate, or of which transforms leave lines. Values that a
/// writer keeps must be where they belong. Copies need them at their own elements, so that their owners do not depend on a
/// condition.
fn add_needs_of_writers(pipeline: &Pipeline, all: &mut [StageHalos]) {
    let family = |field: FieldId| pipeline.swaps.family(field);
    let effects = all.iter().flat_map(|halos| &halos.effects);
    let moves = |effect: &Effect| match effect {
        Effect::Part { layout, .. } if layout.owners != Owners::Own => true,
        Effect::Part { layout, .. } | Effect::Rewritten(layout) => {
            matches!(layout.division, Division::Lines(_))
        }
        _ => false,
    };
    let moving: Vec<FieldId> = effects
        .filter(|(_, effect)| moves(effect))
        .map(|(field, _)| family(*field))
        .collect();
    let own = |field: FieldId| Need::of(field, Valid::Depth(0));
    for halos in all {
        let of_effect = |(to, effect): &(FieldId, Effect)| match effect {
            Effect::Part { layout, .. } => {
                vec![Need::belonging(*to, layout.division.own(), layout.owners)]
            }
            Effect::CopyOf { field, always: true } => vec![own(*field)],
            Effect::CopyOf { field, .. } => vec![own(*field), own(*to)],
            Effect::Kept => vec![own(*to)],
            Effect::Shares
            | Effect::Scattered(_)
            | Effect::Rewritten(_)
            | Effect::Unkept
            | Effect::Whole
            | Effect::Spent => Vec::new(),
        };
        let needed = halos.effects.iter().flat_map(of_effect);
        let needed: Vec<_> = needed
            .filter(|need| moving.contains(&family(need.field)))
            .collect();
        for wanted in needed {
            let is_known = |need: &Need| (need.field, need.owners) == (wanted.field, wanted.owners);
            if !halos.needs.iter().any(is_known) {
                halos.needs.push(wanted);
            }
        }
    }
}

/// The needs and effects of a stage.
pub fn of_stage(pipeline: &Pipeline, cut: &Cut, id: StageId, kept: &[Kept]) -> StageHalos {
    let stage = &pipeline.stages[id];
    match (cut.grow(id), pipeline.built_in(stage)) {
        (Some(_), _) if stage.runs.is_some() => of_runs(pipeline, cut, stage),
        (Some(_), _) if pipeline.is_reduction(stage) => of_reduction(pipeline, cut, stage),
        (Some(_), _) if stage.lines.is_some() => lines::of_lines(pipeline, cut, stage),
        _ if pipeline.sorts_cut_set(cut, stage) || pipeline.emits_into_cut_set(cut, stage) => {
            of_change(pipeline, cut, stage)
        }
        (Some(_), _) if cut.division_of_stage(id) != Division::Cells => lines::of_stage(pipeline, cut, id),
        (Some(grow), _) => of_part(pipeline, cut, id, grow, kept),
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
        // All ranks bind and fill the same blocks; others keep what they have.
        (None, _) if matches!(stage.purpose, Purpose::Update(_)) => StageHalos::default(),
        // It may keep values that it writes, or combine them with others.
        (None, _) => StageHalos {
            needs: (stage.reads().iter())
                .map(|field| Need::of(*field, measured(pipeline, stage, *field).unwrap_or(Valid::All)))
                .chain(stage.writes().iter().map(|field| Need::of(*field, Valid::All)))
                .collect(),
            effects: Vec::new(),
        },
    }
}

/// The effect of a stage that writes the part of its rank alone.
fn part(layout: Layout) -> Effect {
    Effect::Part { layout, depth: 0 }
}

/// A stage that sorts, removes or adds particles of a set that is cut. Its lists are those of this rank. All ranks add the same
/// particles.
fn of_change(pipeline: &Pipeline, cut: &Cut, stage: &Stage) -> StageHalos {
    let is_attribute = |field: &FieldId| cut.set(pipeline.fields[*field].resource).is_some();
    let is_other = |field: &FieldId| !is_attribute(field) && !pipeline.is_scratch(*field);
    let others = stage.reads().iter().copied().filter(is_other);
    let attributes = stage.writes().iter().filter(|field| is_attribute(field));
    StageHalos {
        needs: others.map(|field| Need::of(field, Valid::All)).collect(),
        effects: attributes
            .map(|field| (*field, part(pipeline.layout_of(*field))))
            .collect(),
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

/// Adds a need, or deepens the same one.
fn add(needs: &mut Vec<Need>, wanted: Need) {
    let is_same =
        |need: &&mut Need| (need.field, need.owners, need.kept) == (wanted.field, wanted.owners, wanted.kept);
    match needs.iter_mut().find(is_same) {
        Some(known) => known.valid = wanted.valid.max(known.valid),
        None => needs.push(wanted),
    }
}

/// The needs and effects of a stage that runs over parts, grown by cells.
fn of_part(pipeline: &Pipeline, cut: &Cut, id: StageId, grow: [u64; 3], kept: &[Kept]) -> StageHalos {
    let stage = &pipeline.stages[id];
    let signature = &pipeline.kernel_of(stage).signature;
    let own = cut.scale_of(stage);
    let of_tiles = stage.tiles.map(|tiles| tiles.grid);
    let grid_of_stage = of_tiles.or(stage.domain.resource).and_then(|id| cut.grid(id));
    let more_along = |axis| grid_of_stage.map_or(0, |grid| more(pipeline, stage, grid, axis));
    let locals = &signature.fields;
    let mut needs: Vec<Need> = Vec::new();
    for (local, field) in locals
        .iter()
        .zip(&stage.bindings)
        .filter(|(local, _)| local.reads)
    {
        if let Some(set) = cut.set(pipeline.fields[*field].resource) {
            // Its own particles, or those that were sorted near its cells: ghosts are among both.
            let is_near = cut.set_of(stage) == Some(set) || local.reach.all != Reach::Anywhere;
            let valid = if is_near { Valid::Depth(0) } else { Valid::All };
            add(&mut needs, Need::of(*field, valid));
            continue;
        }
        let (Reach::Cells(cells), Some(grid)) = (local.reach.all, cut.grid(pipeline.fields[*field].resource))
        else {
            add(&mut needs, Need::of(*field, Valid::All));
            continue;
        };
        let slack = cut.slack_of(stage, grid.scale);
        let depth = cut_axes(cut).map(|axis| {
            let [a, b] = [own, grid.scale].map(|scale| u64::from(scale.per[axis]));
            let differs = more_along(axis) != more_of(pipeline, *field, grid, axis);
            (a * grow[axis] + slack[axis]).div_ceil(b) + u64::from(differs)
        });
        // Nothing is far away if no axis is cut.
        let depth = depth.max().map(|depth| depth as u32);
        let alternation = alternation_of(pipeline, cut, stage, *field);
        let offset = alternation.map_or(0, |found| found.pairs.farthest());
        let far = Valid::Depth(depth.map_or(0, |depth| depth + cells.saturating_sub(offset)));
        if kept::keeps(kept, pipeline, stage, *field) {
            add(&mut needs, Need::of(*field, Valid::Depth(depth.unwrap_or(0))));
            let kept = Need {
                kept: true,
                ..Need::of(*field, far)
            };
            add(&mut needs, kept);
            continue;
        }
        owners(alternation).for_each(|owners| add(&mut needs, Need::belonging(*field, far, owners)));
    }
    // Conditions and the clock are not among the local fields.
    for field in stage.reads() {
        if !needs.iter().any(|need| need.field == *field) {
            needs.push(Need::of(*field, Valid::All));
        }
    }
    let effects = effects_of_part(pipeline, cut, id, kept);
    for (field, effect) in &effects {
        match effect {
            // It may keep values there.
            Effect::Part { depth, .. } if *depth > 0 => {
                add(&mut needs, Need::of(*field, Valid::Depth(*depth)));
            }
            _ => {}
        }
    }
    StageHalos { needs, effects }
}

/// The effects of a stage that runs over parts.
fn effects_of_part(pipeline: &Pipeline, cut: &Cut, id: StageId, kept: &[Kept]) -> Vec<(FieldId, Effect)> {
    let stage = &pipeline.stages[id];
    let signature = &pipeline.kernel_of(stage).signature;
    let (locals, values) = (&signature.fields, &signature.reduces);
    let mut effects: Vec<(FieldId, Effect)> = Vec::new();
    let written = locals.iter().zip(&stage.bindings).enumerate();
    let is_written = |local: &LocalField, field: FieldId| local.writes && !pipeline.is_request(field);
    for (number, (local, field)) in written.filter(|(_, (local, field))| is_written(local, **field)) {
        let is_value = values.iter().any(|result| result.values == number);
        if is_value && matches!(stage.domain.over, Over::ActiveCells | Over::SubBlocks) {
            // They are only read by the rank that has left them.
            continue;
        }
        let effect = if is_value || is_of_tiles(pipeline, stage, number) {
            part(Layout {
                sides: stage.domain.size,
                entries: 1,
                bytes: local.element.bytes() as u32,
                scale: cut.scale_of(stage),
                owners: Owners::Own,
                division: Division::Cells,
            })
        } else if kept::keeps(kept, pipeline, stage, *field) {
            Effect::Kept
        } else if is_share(pipeline, cut, stage, *field) {
            Effect::Shares
        } else {
            let alternation = alternation_of(pipeline, cut, stage, *field);
            let owners = owners(alternation).next().unwrap_or_default();
            Effect::Part {
                layout: pipeline.layout_of(*field).with(owners),
                depth: depth_of(pipeline, cut, id, *field),
            }
        };
        let effect = (*field, effect);
        if !effects.contains(&effect) {
            effects.push(effect);
        }
    }
    effects
}

/// Returns true if ranks add up their copies of a field after a stage.
fn is_share(pipeline: &Pipeline, cut: &Cut, stage: &Stage, field: FieldId) -> bool {
    !cut.sums.contains(&field) && pipeline.adds_shares(cut, stage, field)
}

/// The elements to which the entries belong that a stage accesses in even steps: first of this step, then of the last one, if it
/// reads them.
fn owners(alternation: Option<Alternation>) -> impl Iterator<Item = Owners> {
    let of = |found: Alternation, odd| Owners::Alternating {
        pairs: found.pairs,
        odd,
    };
    let (now, last) = match alternation {
        None => (Owners::Own, None),
        Some(found) => (of(found, false), found.last.then(|| of(found, true))),
    };
    std::iter::once(now).chain(last)
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
                owners: Owners::Own,
                division: Division::Cells,
            };
            halos.effects.push((*field, part(layout)));
        }
        let of_elements = stage.tiles.and_then(|tiles| cut.grid(tiles.grid));
        if let Some(grid) = of_elements.filter(|_| local.reads) {
            // No tile goes beyond an end of the grid.
            let slack = cut.slack([scale, grid.scale], false);
            let depth = cut_axes(cut).map(|axis| slack[axis].div_ceil(u64::from(grid.scale.per[axis])));
            halos
                .needs
                .push(Need::of(*field, Valid::Depth(depth.max().unwrap_or(0) as u32)));
            if resource != grid.id {
                halos.effects.push((*field, Effect::Spent));
            }
        }
    }
    halos
}

/// The first level of a reduction over the active blocks of a sparse grid: each rank has the partial results of the boxes that
/// begin in its part.
fn of_runs(pipeline: &Pipeline, cut: &Cut, stage: &Stage) -> StageHalos {
    let mut halos = StageHalos::default();
    let Some(runs) = stage.runs else { return halos };
    let depth = cut_axes(cut).map(|axis| cut.overhang(runs.per)[axis]).max();
    for field in stage.reads() {
        // Values that a stage leaves are those of all cells of its boxes.
        if pipeline.fields[*field].resource == runs.grid {
            let valid = Valid::Depth(depth.unwrap_or(0) as u32);
            halos.needs.push(Need::of(*field, valid));
        }
    }
    // Reductions share the buffer.
    let layout = |field| Layout {
        sides: [runs.words, 1, 1],
        division: Division::Shares,
        ..pipeline.layout_of(field)
    };
    let written = stage.writes().iter();
    halos.effects = written
        .map(|field| (*field, Effect::Scattered(layout(*field))))
        .collect();
    halos
}

fn cut_axes(cut: &Cut) -> impl Iterator<Item = usize> {
    (0..3).filter(|axis| cut.partition.parts[*axis] > 1)
}
