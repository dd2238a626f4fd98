//! The values that ranks exchange.

use std::collections::BTreeMap;

use crate::ir::{Division, ElementBox, Layout, Neighbours, Owners, Partition, ResourceId, Slots, Valid};
use crate::plan::schedule::FieldCopy;

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
            Division::Cells | Division::Lines(_) => {
                self.layout.pieces(partition, ranks, self.valid, self.owners)
            }
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
    pub(super) fn join(self, wants: &mut Vec<Want>) {
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
