//! The halos of fields in a simulation that is cut into parts: what stages need and what they leave valid.
//!
//! A run keeps one table of all copies of all fields. All ranks go through the same segments with the same table, so they
//! decide alike before which segments they exchange halos.

mod fresh;
mod split;
mod stages;
mod types;

use std::collections::{BTreeMap, HashMap};

use super::schedule::FieldCopy;
use super::{Command, Plan, Segment};
use crate::ir::{Layout, Pipeline, Valid};

pub(super) use fresh::Fresh;
pub(super) use stages::of;
pub use types::{BoxRun, Effect, Split, StageHalos};

/// The validity of each copy of each field during a run.
#[derive(Debug, Clone, Default)]
pub struct Halos {
    /// By the field that owns the memory, and the copy. Whole copies are absent.
    known: HashMap<FieldCopy, (Valid, Layout)>,
}

/// A copy of a field that must become valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Want {
    pub at: FieldCopy,
    pub valid: Valid,
    pub layout: Layout,
}

impl Want {
    /// True for the halo of a part, which travels in every step.
    pub fn is_halo(&self) -> bool {
        matches!(self.valid, Valid::Depth(_))
    }
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
    /// The copies to exchange before a segment, in a pass that starts after `steps` steps. All ranks get the same order.
    pub fn wants(&self, pipeline: &Pipeline, plan: &Plan, segment: &Segment, steps: u64) -> Vec<Want> {
        let mut wanted: BTreeMap<FieldCopy, Want> = BTreeMap::new();
        // Copies that the segment itself makes whole.
        let mut filled: Vec<FieldCopy> = Vec::new();
        let mut want = |at: FieldCopy, valid: Valid| {
            if let Some((known, layout)) = self.known.get(&at).filter(|(known, _)| *known < valid) {
                debug_assert!(*known < Valid::All);
                let layout = *layout;
                let found = wanted.entry(at).or_insert(Want { at, valid, layout });
                found.valid = found.valid.joined(valid);
            }
        };
        for (entry, halos) in dispatches(pipeline, plan, segment) {
            for (field, valid) in &halos.needs {
                let at = plan.copy_of(segment.list, entry, *field, steps).0;
                if !filled.contains(&at) {
                    want(at, *valid);
                }
            }
            for (field, effect) in &halos.effects {
                let at = plan.copy_of(segment.list, entry, *field, steps).1;
                let other = |layout: &Layout| self.known.get(&at).is_some_and(|(_, known)| known != layout);
                match effect {
                    // The part of another arrangement would be lost.
                    Effect::Part(layout) if other(layout) => want(at, Valid::All),
                    Effect::Whole => filled.push(at),
                    _ => {}
                }
            }
        }
        wanted.into_values().collect()
    }

    /// The exchanges that make these copies of fields whole.
    pub fn missing(&self, copies: impl IntoIterator<Item = FieldCopy>) -> Vec<Want> {
        let missing: BTreeMap<FieldCopy, Want> = (copies.into_iter())
            .filter_map(|at| {
                let (_, layout) = *self.known.get(&at)?;
                let valid = Valid::All;
                Some((at, Want { at, valid, layout }))
            })
            .collect();
        missing.into_values().collect()
    }

    /// Notes that all ranks have exchanged.
    pub fn exchanged(&mut self, wants: &[Want]) {
        for want in wants {
            self.set(want.at, want.valid, want.layout);
        }
    }

    /// Notes what a segment leaves behind.
    pub fn ran(&mut self, pipeline: &Pipeline, plan: &Plan, segment: &Segment, steps: u64) {
        for (entry, halos) in dispatches(pipeline, plan, segment) {
            for (field, effect) in &halos.effects {
                let at = plan.copy_of(segment.list, entry, *field, steps).1;
                match *effect {
                    Effect::Part(layout) => self.set(at, Valid::Depth(0), layout),
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
        let source = self.known.get(&from).copied();
        match (source, self.known.get(&to)) {
            (None, _) if always => self.set_whole(to),
            (None, _) => {}
            (Some((valid, _)), Some((known, layout))) if !always => {
                let (valid, layout) = (valid.min(*known), *layout);
                self.set(to, valid, layout);
            }
            (Some((valid, layout)), _) => self.set(to, valid, layout),
        }
    }

    fn set(&mut self, at: FieldCopy, valid: Valid, layout: Layout) {
        match valid {
            Valid::All => self.set_whole(at),
            // Boxes are exchanged whenever they are needed.
            Valid::Box(_) => {}
            Valid::Depth(_) => {
                self.known.insert(at, (valid, layout));
            }
        }
    }

    fn set_whole(&mut self, at: FieldCopy) {
        self.known.remove(&at);
    }
}
