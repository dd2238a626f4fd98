//! The halos of fields in a simulation that is cut into parts: what stages need and what they leave valid.
//!
//! A run keeps one table of all copies of all fields. All ranks go through the same segments with the same table, so they
//! decide alike before which segments they exchange halos.

mod beyond;
mod fresh;
mod growth;
mod kept;
mod lines;
mod split;
mod stages;
mod types;

use std::collections::{BTreeMap, HashMap};

use super::schedule::FieldCopy;
use super::{Command, Plan, Segment};
use crate::ir::{
    Division, ElementBox, Layout, Neighbours, Owners, Partition, Pipeline, ResourceId, Slots, Valid,
};

pub use beyond::compute_halos;
pub(super) use fresh::Fresh;
pub(super) use stages::of;
pub use types::{BoxRun, Effect, Need, Split, StageHalos};

/// The validity of each copy of each field during a run.
#[derive(Debug, Clone, Default)]
pub struct Halos {
    /// By the field that owns the memory, and the copy. Whole copies are absent.
    known: HashMap<FieldCopy, Known>,
}

/// The valid elements of a copy of a field, equal on all ranks.
#[derive(Debug, Clone)]
struct Known {
    /// With the owners whose ranks have the right values.
    layout: Layout,
    /// The depths around the part up to which entries are valid, by the elements to which they belong.
    depths: Vec<(Owners, u32)>,
    /// The axes along which ranks have whole lines.
    lines: [bool; 3],
    /// The depth for elements that stages with [`Effect::Kept`] do not write.
    kept: u32,
}

/// The particles of each rank, by set.
pub type Particles = BTreeMap<ResourceId, Vec<Neighbours>>;

/// A copy of a field that must become valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Want {
    pub at: FieldCopy,
    pub valid: Valid,
    /// The elements to which entries belong where they are needed.
    pub owners: Owners,
    pub layout: Layout,
}

impl Want {
    /// True for the halo of a part, which travels in every step.
    pub fn is_halo(&self) -> bool {
        matches!(self.valid, Valid::Depth(_)) && !self.is_from_lines()
    }

    /// True if ranks have whole lines, and lack elements of their parts.
    pub fn is_from_lines(&self) -> bool {
        matches!(self.layout.division, Division::Lines(_))
    }

    /// The entries that one rank sends to another. `particles` are those of each rank, by set.
    pub fn pieces(&self, partition: &Partition, particles: &Particles, ranks: [usize; 2]) -> Vec<Slots> {
        match self.layout.division {
            Division::Cells | Division::Lines(_) => self.layout.pieces(partition, ranks, self.valid, self.owners),
            Division::Particles(set) => {
                let of_sender = particles.get(&set).and_then(|all| all.get(ranks[0]));
                of_sender.map_or(Vec::new(), |own| {
                    own.slots(ranks, self.valid, self.layout.entries)
                })
            }
            Division::Sum => Vec::new(),
            Division::Shares if ranks[0] == ranks[1] => Vec::new(),
            Division::Shares => vec![Slots {
                area: ElementBox {
                    low: [0; 3],
                    size: self.layout.sides,
                },
                entries: (0..self.layout.entries).collect(),
            }],
        }
    }

    pub fn is_of_cells(&self) -> bool {
        matches!(self.layout.division, Division::Cells | Division::Lines(_))
    }

    /// True if ranks add what they receive to their own copies.
    pub fn is_of_shares(&self) -> bool {
        self.layout.division == Division::Shares
    }

    /// True if equal wants lead to equal messages.
    pub fn repeats(&self) -> bool {
        self.is_of_cells() || self.is_of_shares()
    }

    /// Adds a want to those of the same copy.
    fn join(self, wants: &mut Vec<Want>) {
        // Lines and halos travel apart: together they would be much less than the whole.
        let lines = |want: &Want| match want.valid {
            Valid::Lines(axis) => Some(axis),
            _ => None,
        };
        let is_alike = |want: &&mut Want| want.owners == self.owners && lines(want) == lines(&self);
        match wants.iter_mut().find(is_alike) {
            Some(known) => known.valid = known.valid.joined(self.valid),
            None => wants.push(self),
        }
        let is_box = |want: &Want| matches!(want.valid, Valid::Box(_));
        let is_all = |want: &Want| want.valid == Valid::All;
        if wants.iter().any(is_all) || wants.len() > 1 && wants.iter().any(is_box) {
            *wants = vec![self.whole()];
        }
    }

    fn whole(self) -> Want {
        Want {
            valid: Valid::All,
            owners: Owners::Own,
            ..self
        }
    }
}

impl Known {
    /// The values that a stage leaves behind which runs on parts, up to a depth around them.
    fn part(layout: Layout, depth: u32) -> Known {
        let mut known = Known {
            layout,
            depths: Vec::new(),
            lines: [false; 3],
            kept: 0,
        };
        match layout.division {
            Division::Lines(axis) => known.lines[axis] = true,
            _ => known.depths.push((layout.owners, depth)),
        }
        known
    }

    /// The want that serves a need of a copy.
    fn want(&self, at: FieldCopy, need: &Need) -> Want {
        Want {
            at,
            valid: need.valid,
            owners: need.owners,
            layout: self.layout,
        }
    }

    fn has(&self, need: &Need, axes: [bool; 3]) -> bool {
        let wanted = match need.valid {
            Valid::Depth(wanted) => wanted,
            Valid::Lines(axis) => return self.lines[axis],
            Valid::Box(_) | Valid::All => return false,
        };
        let covers = |(known, depth): &(Owners, u32)| *depth >= wanted + known.apart(&need.owners, axes);
        need.kept && self.kept >= wanted || self.depths.iter().any(covers)
    }

    /// The depth for elements that stages with [`Effect::Kept`] do not write.
    fn kept(&self) -> u32 {
        let own = self.depths.iter().find(|(owners, _)| *owners == Owners::Own);
        own.map_or(0, |(_, depth)| *depth).max(self.kept)
    }

    fn add(&mut self, owners: Owners, depth: u32) {
        if matches!(self.layout.division, Division::Lines(_)) {
            // Each rank has its part now.
            self.layout.division = Division::Cells;
        }
        match self.depths.iter_mut().find(|(known, _)| *known == owners) {
            Some((_, known)) => *known = depth.max(*known),
            None => self.depths.push((owners, depth)),
        }
    }

    /// The least of two, one of which a copy of the field has.
    fn least(&self, other: &Known) -> Known {
        let of_other = |owners: Owners| other.depths.iter().find(|(known, _)| *known == owners);
        let both = self.depths.iter().filter_map(|(owners, depth)| {
            let (_, theirs) = of_other(*owners)?;
            Some((*owners, *depth.min(theirs)))
        });
        let depths: Vec<_> = both.collect();
        let mut layout = self.layout;
        if !depths.iter().any(|(owners, _)| *owners == layout.owners) {
            // The needs of copies: see `stages`.
            layout.owners = Owners::Own;
        }
        Known {
            layout,
            depths,
            lines: std::array::from_fn(|axis| self.lines[axis] && other.lines[axis]),
            kept: 0,
        }
    }
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
    /// The copies to exchange before a segment, in a pass that starts after `steps` steps. All ranks get the same order.
    pub fn wants(&self, pipeline: &Pipeline, plan: &Plan, segment: &Segment, steps: u64) -> Vec<Want> {
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
        wanted.into_values().flatten().collect()
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
