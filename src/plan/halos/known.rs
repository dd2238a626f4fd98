//! The valid elements of a copy of a field.

use super::Need;
use super::want::Want;
use crate::ir::{Division, Layout, Owners, Valid};
use crate::plan::schedule::FieldCopy;

/// The valid elements of a copy of a field, equal on all ranks.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// With the owners whose ranks have the right values.
    pub(super) layout: Layout,
    /// The depths around the part up to which entries are valid, by the elements to which they belong.
    pub(super) depths: Vec<(Owners, u32)>,
    /// The axes along which ranks have whole lines.
    pub(super) lines: [bool; 3],
    /// The depth for elements that stages with [`Effect::Kept`] do not write.
    pub(super) kept: u32,
}

impl Known {
    /// The values that a stage leaves behind which runs on parts, up to a depth around them.
    pub(super) fn part(layout: Layout, depth: u32) -> Known {
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
    pub(super) fn want(&self, at: FieldCopy, need: &Need) -> Want {
        Want {
            at,
            valid: need.valid,
            owners: need.owners,
            layout: self.layout,
        }
    }

    pub(super) fn has(&self, need: &Need, axes: [bool; 3]) -> bool {
        let wanted = match need.valid {
            Valid::Depth(wanted) => wanted,
            Valid::Lines(axis) => return self.lines[axis],
            Valid::Box(_) | Valid::All => return false,
        };
        let covers = |(known, depth): &(Owners, u32)| *depth >= wanted + known.apart(&need.owners, axes);
        need.kept && self.kept >= wanted || self.depths.iter().any(covers)
    }

    /// The depth for elements that stages with [`Effect::Kept`] do not write.
    pub(super) fn kept(&self) -> u32 {
        let own = self.depths.iter().find(|(owners, _)| *owners == Owners::Own);
        own.map_or(0, |(_, depth)| *depth).max(self.kept)
    }

    pub(super) fn add(&mut self, owners: Owners, depth: u32) {
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
    pub(super) fn least(&self, other: &Known) -> Known {
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
