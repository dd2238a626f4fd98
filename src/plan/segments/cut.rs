//! Cuts a list into segments, and opens gates for its conditional dispatches.

use super::bare::{BareSegment, is_measure};
use crate::ir::{Completed, FieldId, Invocation, Pipeline, Purpose, ResourceId, Stage, Update};
use crate::plan::halos::Fresh;
use crate::plan::loops::{self, Gating};
use crate::plan::{Command, List, LoopPart, Plan, StageHalos};
use crate::workgroups::Groups;

/// Cuts a list. The accesses of gates are still missing.
pub(super) fn cut(
    plan: &mut Plan,
    pipeline: &Pipeline,
    list: List,
    invocations: &[Invocation],
    external: &[FieldId],
) -> Vec<BareSegment> {
    let mut cutter = Cutter {
        gating: Gating::new(pipeline, list, plan.conditional),
        plan,
        pipeline,
        list,
        external,
        part_lengths: loops::part_lengths(pipeline, list, invocations),
        written: Vec::new(),
        fresh: Fresh::default(),
        segments: Vec::new(),
    };
    for (number, invocation) in invocations.iter().enumerate() {
        cutter.add(number, invocation);
    }
    cutter.segments
}

struct Cutter<'a> {
    plan: &'a mut Plan,
    pipeline: &'a Pipeline,
    list: List,
    /// Families of fields that others read.
    external: &'a [FieldId],
    /// By repeat, the iterations of a part.
    part_lengths: Vec<usize>,
    /// Families of fields that earlier entries write.
    written: Vec<FieldId>,
    gating: Gating<'a>,
    /// The halos that the stages of the last segment have left, if the pipeline is cut.
    fresh: Fresh,
    segments: Vec<BareSegment>,
}

impl Cutter<'_> {
    /// Adds an entry to the last segment, or to a new one.
    fn add(&mut self, number: usize, invocation: &Invocation) {
        let stage = &self.pipeline.stages[invocation.stage];
        let groups = self.plan.stage_groups[invocation.stage];
        let first_external = self.is_first_external(stage);
        let part = loops::part_of(invocation.iteration, &self.part_lengths);
        let wanted = self.segment_for(invocation, stage);
        let lacks = self
            .halos(invocation)
            .is_some_and(|halos| self.fresh.lacks(self.pipeline, halos));
        let joins = |last: &BareSegment| {
            (last.every, last.first, last.measures, last.call)
                == (wanted.every, wanted.first, wanted.measures, wanted.call)
                && last.collects.is_none()
                && last.completes.is_none()
                && last.is_sort == wanted.is_sort
                && wanted.applies.is_none()
                && last.part.map(|part| (part.repeat, part.number)) == part
                // A part of a repeat stays whole, and so does a sort that runs twice.
                && (!first_external || part.is_some() || wanted.is_sort)
                && !lacks
        };
        if !self.segments.last().is_some_and(joins) {
            let part = self.new_part(part, stage);
            self.segments.push(BareSegment { part, ..wanted });
            self.fresh = Fresh::default();
        }
        if let Some(last) = self.segments.last_mut() {
            last.collects = collects(stage);
            let cut = self.pipeline.cut.as_deref();
            let is_cut = |of: &Completed| cut.is_some_and(|cut| cut.set(of.set()).is_some());
            last.completes = stage.completes.filter(is_cut);
        }
        self.dispatch(number, stage, groups);
        let halos = self.plan.halos.as_ref();
        if let Some(halos) = halos.and_then(|halos| halos.get(invocation.stage)) {
            self.fresh.ran(self.pipeline, halos);
        }
    }

    /// The needs and effects of the stage of an entry for halos.
    fn halos(&self, invocation: &Invocation) -> Option<&StageHalos> {
        self.plan.halos.as_ref()?.get(invocation.stage)
    }

    /// Returns true if a stage is the first one to write an external field, and notes its writes.
    fn is_first_external(&mut self, stage: &Stage) -> bool {
        let writes = || {
            stage
                .writes()
                .iter()
                .map(|field| self.pipeline.swaps.family(*field))
        };
        let is_first = writes().any(|field| self.external.contains(&field) && !self.written.contains(&field));
        self.written.extend(writes());
        is_first
    }

    /// An empty segment for an entry.
    fn segment_for(&self, invocation: &Invocation, stage: &Stage) -> BareSegment {
        let (every, first) = match self.list {
            List::Init => (1, 0),
            _ if invocation.call.is_some() => (1, 0),
            _ => (stage.every, stage.first),
        };
        BareSegment {
            every,
            first,
            applies: match stage.purpose {
                Purpose::Update(Update::Applies(grid)) => Some(grid),
                _ => None,
            },
            measures: is_measure(self.pipeline, self.list, invocation),
            call: invocation.call,
            is_sort: self.sorts_without_ghosts(stage),
            ..BareSegment::default()
        }
    }

    /// Returns true for a stage that ranks run once more after they have exchanged particles.
    fn sorts_without_ghosts(&self, stage: &Stage) -> bool {
        let cut = self.pipeline.cut.as_deref();
        cut.is_some_and(|cut| {
            self.pipeline.sorts_cut_set(cut, stage)
                && cut.set_of(stage).is_some_and(|set| set.ghosts.is_none())
        })
    }

    /// The part of a repeat that begins with a stage, by the numbers of the repeat and of the part.
    fn new_part(&mut self, part: Option<(usize, usize)>, stage: &Stage) -> Option<LoopPart> {
        let ((repeat, number), condition) = part.zip(stage.conditions.first())?;
        // Exchanges of halos split a part into several segments.
        let last = self.segments.last().and_then(|last| last.part);
        if let Some(same) = last.filter(|last| (last.repeat, last.number) == (repeat, number)) {
            return Some(same);
        }
        let note = self.plan.notes;
        self.plan.notes += 1;
        Some(LoopPart {
            repeat,
            number,
            condition: *condition,
            entry: number,
            note,
        })
    }

    /// Adds the dispatch of an entry to the last segment, after a gate if it needs one.
    fn dispatch(&mut self, number: usize, stage: &Stage, groups: Groups) {
        let Some(segment) = self.segments.len().checked_sub(1) else {
            return;
        };
        let (when, opened) = (self.gating).when(&mut self.plan.gates, number, groups, segment);
        let accesses = (self.plan).accesses(self.list, self.pipeline, stage, groups, when);
        let commands = &mut self.segments[segment].commands;
        commands.extend(opened.map(|gate| (Command::Gate(gate), Vec::new())));
        let dispatch = Command::Dispatch {
            invocation: number,
            groups,
            when,
        };
        commands.push((dispatch, accesses));
        self.gating.written(stage);
    }
}

/// The sparse grid whose requests the host can read after a stage.
fn collects(stage: &Stage) -> Option<ResourceId> {
    match stage.purpose {
        Purpose::Update(Update::Collects(grid)) => Some(grid),
        _ => None,
    }
}
