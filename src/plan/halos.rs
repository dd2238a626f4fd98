//! The halos of fields in a simulation that is cut into parts: what stages need and what they leave valid.
//!
//! A run keeps one table of all copies of all fields. All ranks go through the same segments with the same table, so they
//! decide alike before which segments they exchange halos.

mod beyond;
mod fresh;
mod growth;
mod kept;
mod known;
mod lines;
mod split;
mod stages;
mod types;
mod want;

use std::collections::{BTreeMap, HashMap};

use super::schedule::FieldCopy;
use super::{Command, List, Plan, Segment};
use crate::ir::{Division, FieldId, Layout, Owners, Pipeline, Valid};

pub use beyond::compute_halos;
pub(super) use fresh::Fresh;
use known::Known;
pub(super) use stages::of;
pub use types::{BoxRun, Effect, Need, Split, StageHalos};
pub use want::{Particles, Want};

/// The validity of each copy of each field during a run.
#[derive(Debug, Clone, Default)]
pub struct Halos {
    /// By the field that owns the memory, and the copy. Whole copies are absent.
    known: HashMap<FieldCopy, Known>,
}

/// The axes that are cut.
fn cut_axes(pipeline: &Pipeline) -> [bool; 3] {
    let cut = pipeline.cut.as_deref();
    cut.map_or([false; 3], |cut| cut.partition.parts.map(|parts| parts > 1))
}

/// The stages of a segment, with the numbers of their entries.
fn dispatches<'a>(
    pipeline: &'a Pipeline,
    plan: &'a Plan,
    segment: &'a Segment,
) -> impl Iterator<Item = (usize, &'a StageHalos)> {
    let entries = segment.list.entries(pipeline);
    segment.commands.iter().filter_map(move |command| match command {
        Command::Dispatch { invocation, .. } => {
            let halos = plan.halos.as_ref()?.get(entries[*invocation].stage)?;
            Some((*invocation, halos))
        }
        _ => None,
    })
}

impl Halos {
    /// The copies to exchange before a segment of a list, in a pass that starts after `steps` steps. All ranks get the same order.
    /// An exchange that takes place also brings halos for the next segment of a step, if that one needs no exchange then.
    pub fn wants(
        &self,
        pipeline: &Pipeline,
        plan: &Plan,
        (list, number): (List, usize),
        steps: u64,
    ) -> Vec<Want> {
        let segments = plan.segments(list);
        let segment = &segments[number];
        let mut wanted = self.wanted(pipeline, plan, segment, steps);
        let next = segments
            .get(number + 1)
            .filter(|next| list == List::Step && next.is_due(steps));
        if let Some(next) = next.filter(|_| !wanted.is_empty()) {
            let family = |field| pipeline.swaps.family(field);
            let changed: Vec<FieldId> = dispatches(pipeline, plan, segment)
                .flat_map(|(_, halos)| halos.effects.iter().map(|(field, _)| family(*field)))
                .collect();
            let of_next = self.wanted(pipeline, plan, next, steps);
            let can_be_early =
                |want: &Want| want.is_halo() && want.is_of_cells() && !changed.contains(&family(want.at.0));
            if of_next.values().flatten().all(can_be_early) {
                for want in of_next.into_values().flatten() {
                    want.join(wanted.entry(want.at).or_default());
                }
            }
        }
        wanted.into_values().flatten().collect()
    }

    /// The wants of a segment alone, by copy.
    fn wanted(
        &self,
        pipeline: &Pipeline,
        plan: &Plan,
        segment: &Segment,
        steps: u64,
    ) -> BTreeMap<FieldCopy, Vec<Want>> {
        let axes = cut_axes(pipeline);
        let mut wanted: BTreeMap<FieldCopy, Vec<Want>> = BTreeMap::new();
        // Copies that the segment itself makes whole.
        let mut filled: Vec<FieldCopy> = Vec::new();
        let mut want = |at: FieldCopy, need: Need| {
            let known = self.known.get(&at);
            if let Some(known) = known.filter(|known| !known.has(&need, axes)) {
                known.want(at, &need).join(wanted.entry(at).or_default());
            }
        };
        for (entry, halos) in dispatches(pipeline, plan, segment) {
            for need in &halos.needs {
                let at = plan.copy_of(segment.list, entry, need.field, steps).0;
                if !filled.contains(&at) {
                    let owners = need.owners.in_step(steps);
                    want(at, Need { owners, ..*need });
                }
            }
            for (field, effect) in &halos.effects {
                let at = plan.copy_of(segment.list, entry, *field, steps).1;
                if let Some(layout) = effect.layout(pipeline, *field) {
                    // The part of another arrangement would be lost.
                    let known = self.known.get(&at).map(|known| known.layout.with(layout.owners));
                    match known.filter(|known| *known != layout) {
                        Some(known) if known.divided(layout.division) == layout => {
                            want(at, Need::of(*field, layout.division.own()));
                        }
                        Some(_) => want(at, Need::of(*field, Valid::All)),
                        None => {}
                    }
                }
                if *effect == Effect::Whole {
                    filled.push(at);
                }
            }
        }
        wanted
    }

    /// The exchanges that make these copies of fields whole.
    pub fn missing(&self, copies: impl IntoIterator<Item = FieldCopy>) -> Vec<Want> {
        let missing: BTreeMap<FieldCopy, Want> = (copies.into_iter())
            .filter_map(|at| {
                let known = self.known.get(&at)?;
                Some((at, known.want(at, &Need::of(at.0, Valid::All))))
            })
            .collect();
        missing.into_values().collect()
    }

    /// The exchanges after which each rank has the right values of the elements of its part in these copies.
    pub fn lacking(&self, pipeline: &Pipeline, copies: impl IntoIterator<Item = FieldCopy>) -> Vec<Want> {
        let axes = cut_axes(pipeline);
        let lacking: BTreeMap<FieldCopy, Want> = (copies.into_iter())
            .filter_map(|at| {
                let need = Need::of(at.0, Valid::Depth(0));
                let known = self.known.get(&at).filter(|known| !known.has(&need, axes))?;
                Some((at, known.want(at, &need)))
            })
            .collect();
        lacking.into_values().collect()
    }

    /// The whole copies to which ranks add in a segment: on other ranks than 0, they must be 0 before.
    pub fn shared_by(
        &self,
        pipeline: &Pipeline,
        plan: &Plan,
        segment: &Segment,
        steps: u64,
    ) -> Vec<FieldCopy> {
        let shares = dispatches(pipeline, plan, segment).flat_map(|(entry, halos)| {
            let fields = halos
                .effects
                .iter()
                .filter(|(_, effect)| *effect == Effect::Shares);
            fields.map(move |(field, _)| plan.copy_of(segment.list, entry, *field, steps).1)
        });
        let mut copies: Vec<FieldCopy> = shares.filter(|at| !self.known.contains_key(at)).collect();
        copies.sort_unstable();
        copies.dedup();
        copies
    }

    /// The arrangement of a copy, with the ranks and elements to which its entries belong: they have the right values.
    pub fn arranged(&self, at: FieldCopy, layout: Layout) -> Layout {
        let known = self.known.get(&at);
        let layout = layout.with(known.map_or(Owners::Own, |known| known.layout.owners));
        match known.map(|known| known.layout.division) {
            Some(division @ Division::Lines(_)) => layout.divided(division),
            _ => layout,
        }
    }

    /// Notes that the values of a copy were replaced on all ranks.
    pub fn replaced(&mut self, at: FieldCopy) {
        self.set_whole(at);
        // It may decide which elements of others are kept.
        self.known.values_mut().for_each(|known| known.kept = 0);
    }

    /// Notes that all ranks have exchanged.
    pub fn exchanged(&mut self, wants: &[Want]) {
        for want in wants {
            match want.valid {
                Valid::All => self.set_whole(want.at),
                // Boxes are exchanged whenever they are needed.
                Valid::Box(_) => {}
                Valid::Lines(axis) => {
                    if let Some(known) = self.known.get_mut(&want.at) {
                        known.lines[axis] = true;
                    }
                }
                Valid::Depth(depth) => {
                    if let Some(known) = self.known.get_mut(&want.at) {
                        known.add(want.owners, depth);
                    }
                }
            }
        }
    }

    /// Notes what a segment leaves behind.
    pub fn ran(&mut self, pipeline: &Pipeline, plan: &Plan, segment: &Segment, steps: u64) {
        for (entry, halos) in dispatches(pipeline, plan, segment) {
            for (field, effect) in &halos.effects {
                let at = plan.copy_of(segment.list, entry, *field, steps).1;
                match *effect {
                    Effect::Part { layout, depth } => {
                        let layout = layout.with(layout.owners.in_step(steps));
                        self.known.insert(at, Known::part(layout, depth));
                    }
                    Effect::Shares => {
                        let layout = Layout {
                            division: Division::Shares,
                            ..pipeline.layout_of(*field)
                        };
                        self.known.insert(at, Known::part(layout, 0));
                    }
                    Effect::Scattered(layout) | Effect::Rewritten(layout) => {
                        self.known.insert(at, Known::part(layout, 0));
                    }
                    Effect::Kept => {
                        let kept = self.known.get(&at).map_or(u32::MAX, Known::kept);
                        let part = Known::part(pipeline.layout_of(*field), 0);
                        self.known.insert(at, Known { kept, ..part });
                    }
                    Effect::Unkept => {
                        let family = pipeline.swaps.family(*field);
                        let all = self.known.iter_mut();
                        let of_family = all.filter(|(at, _)| pipeline.swaps.family(at.0) == family);
                        of_family.for_each(|(_, known)| known.kept = 0);
                    }
                    Effect::Whole | Effect::Spent => self.set_whole(at),
                    Effect::CopyOf { field, always } => {
                        let from = plan.copy_of(segment.list, entry, field, steps).0;
                        self.copied(from, at, always);
                    }
                }
            }
        }
    }

    fn copied(&mut self, from: FieldCopy, to: FieldCopy, always: bool) {
        let known = match (self.known.get(&from), self.known.get(&to)) {
            (None, _) if always => return self.set_whole(to),
            (None, _) => return,
            (Some(from), Some(to)) if !always => to.least(from),
            (Some(from), _) => Known {
                kept: 0,
                ..from.clone()
            },
        };
        self.known.insert(to, known);
    }

    fn set_whole(&mut self, at: FieldCopy) {
        self.known.remove(&at);
    }
}
