//! Divides the first stage of a segment that needs halos: its interior runs while the ranks exchange them.

use super::{BoxRun, Effect, Need, Split, StageHalos, cut_axes};
use crate::ir::{
    CutSet, Division, ElementBox, FieldId, Held, Pipeline, Reach, StageId, Valid, alternation_of,
};
use crate::plan::{Command, List, Plan, Segment, When};
use crate::workgroups::{Groups, Shape};

impl Plan {
    /// Divides a dispatch of each segment of a step, if ranks run it.
    pub(in crate::plan) fn divide(&mut self, pipeline: &Pipeline) {
        for number in 0..self.step.len() {
            self.step[number].split = split(pipeline, self, &self.step[number]);
        }
    }
}

/// The division of a segment of the step list. `None` if it needs no halos, or if its first stage that does cannot be
/// divided.
fn split(pipeline: &Pipeline, plan: &Plan, segment: &Segment) -> Option<Split> {
    let all = plan.halos.as_ref()?;
    if segment.list != List::Step || segment.applies.is_some() {
        return None;
    }
    for (number, command) in segment.commands.iter().enumerate() {
        let invocation = match command {
            Command::Barrier(_) => continue,
            Command::Dispatch {
                invocation,
                groups: Groups::Direct(_),
                when: When::Always,
            } => *invocation,
            _ => return None,
        };
        let id = pipeline.step[invocation].stage;
        let halos = all.get(id)?;
        if deepest(pipeline, all, halos).is_some_and(|depth| depth > 0) {
            return divided(pipeline, plan, halos, number, invocation);
        }
    }
    None
}

fn divided(
    pipeline: &Pipeline,
    plan: &Plan,
    halos: &StageHalos,
    command: usize,
    invocation: usize,
) -> Option<Split> {
    let id = pipeline.step[invocation].stage;
    let stage = &pipeline.stages[id];
    let signature = &pipeline.kernel_of(stage).signature;
    // The search for races looks at a dispatch as a whole. A tile is not divided, nor a box that is reduced.
    if signature.has_marks() || stage.tiles.is_some() || stage.runs.is_some() {
        return None;
    }
    let cut = pipeline.cut.as_deref()?;
    if let Some(set) = cut.set_of(stage) {
        return divided_particles(pipeline, plan, set, command, (id, halos));
    }
    // A copy of the engine runs whole.
    cut.grow(id)?;
    // Not between levels: their planes need not lie at one place.
    let grids = (stage.bindings.iter()).filter_map(|field| cut.grid(pipeline.fields[*field].resource));
    let mut scales = grids.map(|grid| grid.scale).chain([cut.scale_of(stage)]);
    if scales.any(|scale| scale.per != [1; 3]) {
        return None;
    }
    let by = margin(pipeline, plan, halos, invocation)?;
    let whole = pipeline.dispatched(id);
    let shape = Shape::of_stage(pipeline, stage, plan.class);
    let mut interior = cut.partition.shrunk(cut.rank, stage.domain.size, by)?;
    if cut.partition.parts[0] > 1 {
        interior = interior.in_whole_groups(u64::from(shape.workgroup[0] * shape.vector_width));
    }
    let run = |area: ElementBox| {
        let groups = shape.groups_of(&stage.domain, area.size).ok()?;
        Some(BoxRun { area, groups })
    };
    Some(Split {
        command,
        interior: run(interior)?,
        border: (whole.without(&interior, stage.domain.size).into_iter())
            .map(run)
            .collect::<Option<_>>()?,
    })
}

/// The division of a stage over particles of this rank: those whose cells need no halo, and those below and above. A run fills
/// in which these are: see [`crate::ir::Held::parts`].
fn divided_particles(
    pipeline: &Pipeline,
    plan: &Plan,
    set: &CutSet,
    command: usize,
    (id, halos): (StageId, &StageHalos),
) -> Option<Split> {
    let stage = &pipeline.stages[id];
    let is_own = |field: FieldId| pipeline.fields[field].resource == set.set();
    // Messages may contain cells that it writes, but not what ranks add up later.
    let is_added = |effect: &Effect| match effect {
        Effect::Shares => true,
        Effect::Part { layout, .. } => layout.division == Division::Sum,
        _ => false,
    };
    let mut effects = halos.effects.iter();
    if !effects.all(|(field, effect)| is_own(*field) || is_added(effect)) {
        return None;
    }
    let groups = Shape::of_stage(pipeline, stage, plan.class).groups_of(&stage.domain, stage.domain.size);
    let groups = groups.ok()?;
    let count = pipeline.count_at_start(set.set());
    let cut = pipeline.cut.as_deref()?;
    let at_start = Held::at_start(set, [cut.rank, cut.partition.ranks()], count);
    let [interior, below, above] = at_start.parts(0..0).map(|held| BoxRun {
        area: held.as_box(),
        groups,
    });
    Some(Split {
        command,
        interior,
        border: vec![below, above],
    })
}

/// The distance of the interior from the surface of the part: as far as the stage reads, and farther where it overwrites
/// what it reads, because messages contain that as well.
fn margin(pipeline: &Pipeline, plan: &Plan, halos: &StageHalos, invocation: usize) -> Option<u64> {
    let id: StageId = pipeline.step[invocation].stage;
    let stage = &pipeline.stages[id];
    let signature = &pipeline.kernel_of(stage).signature;
    let deepest = deepest(pipeline, plan.halos.as_ref()?, halos)?;
    let cut = pipeline.cut.as_deref()?;
    let writes = (signature.fields.iter().zip(&stage.bindings)).filter(|(local, _)| local.writes);
    let mut margin = deepest;
    for (local, field) in writes {
        let phases = 0..u64::from(pipeline.phases());
        let mut copies = phases.map(|phase| plan.copies(List::Step, invocation, *field, phase));
        let is_read = halos.needs.iter().any(|need| need.field == *field);
        if is_read && copies.any(|(read, written)| read == written) {
            let Reach::Cells(cells) = local.reach.writes else {
                return None;
            };
            let differs = pipeline.size_of(*field) != stage.domain.size;
            let alternation = alternation_of(pipeline, cut, stage, *field);
            let offset = alternation.map_or(0, |found| found.pairs.farthest());
            let cells = u64::from(cells.saturating_sub(offset));
            margin = margin.max(deepest + cells + u64::from(differs));
        }
    }
    Some(margin)
}

/// The largest distance from the part of an element whose values a stage needs from another rank.
fn deepest(pipeline: &Pipeline, all: &[StageHalos], halos: &StageHalos) -> Option<u64> {
    let depth = |need: &Need| match need.valid {
        Valid::Depth(depth) => Some(u64::from(depth + astray(pipeline, all, need))),
        // Needs no exchange in steady state, or the whole exchange comes first.
        Valid::All | Valid::Box(_) | Valid::Lines(_) => None,
    };
    halos.needs.iter().filter_map(depth).max()
}

/// The largest distance between an owner of an entry that a stage needs, and the owner that a stage has left.
fn astray(pipeline: &Pipeline, all: &[StageHalos], need: &Need) -> u32 {
    let family = pipeline.swaps.family(need.field);
    let effects = all.iter().flat_map(|halos| &halos.effects);
    let left = effects.filter_map(|(field, effect)| match effect {
        _ if pipeline.swaps.family(*field) != family => None,
        effect => effect.layout(pipeline, *field).map(|layout| layout.owners),
    });
    let distances = left.flat_map(|left| [0, 1].map(|step| left.in_step(step)));
    let axes = cut_axes(pipeline);
    distances
        .map(|left| left.apart(&need.owners, axes))
        .max()
        .unwrap_or(0)
}
