//! The cut of a pipeline, as data.

use std::borrow::Cow;

use super::super::ids::{FieldId, ResourceId, StageId};
use super::super::owners::Owners;
use super::super::stage::{Stage, Tiles};
use super::boxes::{ElementBox, Partition, Scale, Valid};
use super::sets::CutSet;

/// Largest number of elements that every rank may repeat in a step.
pub(super) const MAX_REPEATED: u64 = 1 << 16;

/// The reason for which a stage is not cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It runs over no grid.
    Elsewhere,
    OtherGrid(ResourceId),
    /// A level of the grid that is too small to be cut.
    Coarse(ResourceId),
    Sparse(ResourceId),
    Particles(ResourceId),
    /// It runs over columns, and the grid is cut along z.
    Columns,
    Groups,
    /// A transform of so few values that every rank repeats it.
    SmallTransform,
    /// A grid with fewer lines along an axis than ranks.
    FewLines(ResourceId, usize),
    /// A spectrum with half of the waves along an axis that is cut.
    Halved(ResourceId, usize),
    /// A grid with fewer tiles than parts along an axis.
    FewTiles(ResourceId),
    /// Its kernel numbers its invocations by itself, or is compiled in advance.
    OwnNumbers,
    Engine,
    SetsClock,
    /// It runs over particles of a set that is cut, and reads others.
    OtherParticles(FieldId),
    WritesAnywhere(FieldId),
    WritesElsewhere(FieldId),
}

/// The part of a rank.
#[derive(Debug, Clone)]
pub struct Cut {
    pub rank: usize,
    pub partition: Partition,
    /// The grids that are cut and their levels, all at one place, finest first, with height fields over their columns; empty if
    /// nothing is cut.
    pub grids: Vec<CutGrid>,
    /// The sets that are cut like the grids.
    pub sets: Vec<CutSet>,
    /// Buffers of which every rank has a part of the sum.
    pub sums: Vec<FieldId>,
    /// Buffers to which stages only add, but one of them runs whole on every rank.
    pub no_sums: Vec<FieldId>,
    /// By stage.
    pub shares: Vec<Share>,
    /// By stage, the axis along which a stage runs on whole lines instead of its part.
    pub lined: Vec<Option<usize>>,
    /// By how many elements along each axis a stage runs farther beyond its part than its writes require, by stage: it
    /// computes halos that ranks would exchange otherwise.
    pub beyond: Vec<[u64; 3]>,
}

/// A grid that is cut, a level of one, or a height field over its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutGrid {
    pub id: ResourceId,
    pub scale: Scale,
    /// Its cells along each axis. A height field has those of the grid, but may have one vertex more.
    pub cells: [u64; 3],
    /// A level that all ranks compute alike, on gathered fields: exchanges would take longer. Stages that also use a finer
    /// level run on parts of it.
    pub is_small: bool,
}

/// The elements of a stage that a rank runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Share {
    /// Its part, grown by cells along each axis.
    Part { grow: [u64; 3] },
    /// All elements.
    Everywhere(Reason),
}

/// How ranks divide the elements of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Division {
    /// By the cells to which they belong.
    #[default]
    Cells,
    /// By the cells in which the particles of a set were sorted.
    Particles(ResourceId),
    /// By lines along an axis: every rank has whole ones.
    Lines(usize),
    /// Every rank has a part of the sum that is the value, up to the end of a frame.
    Sum,
    /// Every rank has added to its own copy: their sum is the value.
    Shares,
}

/// The arrangement of a field in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Elements along each axis, x fastest.
    pub sides: [u64; 3],
    /// Entries of each element, stored plane by plane in z.
    pub entries: u32,
    /// Bytes of an entry of an element.
    pub bytes: u32,
    /// Its elements in the cells that are divided.
    pub scale: Scale,
    /// The elements to which its entries belong: the rank of their part has the right values.
    pub owners: Owners,
    pub division: Division,
}

/// Some entries of the elements of a box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots {
    pub area: ElementBox,
    /// In ascending order.
    pub entries: Vec<u32>,
}

/// How a user wants a simulation to be cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CutRequest {
    /// Parts along each axis; `None` chooses those with the least surface.
    pub parts: Option<[usize; 3]>,
    /// Stages that may run whole on every rank.
    pub whole: Whole,
}

/// Stages that may run whole on every rank, at any cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Whole {
    /// No stage.
    #[default]
    None,
    /// Stages with these names.
    Stages(Vec<String>),
    /// All stages.
    All,
}

/// A reason for which a pipeline cannot be cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncut {
    /// The JSON pointer of a stage; `None` if the reason is not in the file.
    pub pointer: Option<String>,
    pub message: String,
    pub help: Option<String>,
}

impl Uncut {
    pub(super) fn request(message: impl Into<String>) -> Vec<Uncut> {
        vec![Uncut {
            pointer: None,
            message: message.into(),
            help: None,
        }]
    }
}

impl Layout {
    /// The same arrangement with other owners.
    pub fn with(self, owners: Owners) -> Layout {
        Layout { owners, ..self }
    }

    /// The same arrangement, divided otherwise.
    pub fn divided(self, division: Division) -> Layout {
        Layout { division, ..self }
    }

    /// The entries that a rank sends to another so that its field becomes valid, where entries belong to `owners`: see
    /// [`Partition::pieces`].
    pub fn pieces(
        &self,
        partition: &Partition,
        [from, to]: [usize; 2],
        valid: Valid,
        owners: Owners,
    ) -> Vec<Slots> {
        let Some(scaled) = partition.scaled(self.scale) else {
            return Vec::new();
        };
        let Some(owned) = self.division.of(Cow::Borrowed(&*scaled)) else {
            return Vec::new();
        };
        self.grouped(&owners, |offsets| {
            scaled.pieces(&owned, [from, to], self.sides, valid, offsets)
        })
    }

    /// The entries that belong to the part of a rank.
    pub fn part(&self, partition: &Partition, rank: usize) -> Vec<Slots> {
        let scaled = partition.scaled(self.scale);
        let Some(owned) = scaled.and_then(|scaled| self.division.of(scaled)) else {
            return Vec::new();
        };
        self.grouped(&Owners::Own, |[offset, _]| owned.owned(rank, self.sides, offset))
    }

    /// The boxes of each entry. Entries with equal boxes are together. `boxes` gets the offsets of an entry from its owners, in
    /// this arrangement and where it is needed.
    fn grouped(&self, needed: &Owners, boxes: impl Fn([[i64; 3]; 2]) -> Vec<ElementBox>) -> Vec<Slots> {
        let mut by_offsets: Vec<([[i64; 3]; 2], Vec<u32>)> = Vec::new();
        for entry in 0..self.entries {
            let offsets = [self.owners.offset(entry), needed.offset(entry)];
            match by_offsets.iter_mut().find(|(known, _)| *known == offsets) {
                Some((_, entries)) => entries.push(entry),
                None => by_offsets.push((offsets, vec![entry])),
            }
        }
        let mut slots: Vec<Slots> = Vec::new();
        for (offsets, entries) in by_offsets {
            for area in boxes(offsets) {
                match slots.iter_mut().find(|known| known.area == area) {
                    Some(known) => known.entries.extend(&entries),
                    None => slots.push(Slots {
                        area,
                        entries: entries.clone(),
                    }),
                }
            }
        }
        slots.iter_mut().for_each(|slots| slots.entries.sort_unstable());
        slots
    }
}

impl Slots {
    pub fn count(&self) -> u64 {
        self.area.elements() * self.entries.len() as u64
    }
}

impl Cut {
    /// How a grid is cut; `None` if it is not.
    pub fn grid(&self, id: ResourceId) -> Option<&CutGrid> {
        self.grids.iter().find(|grid| grid.id == id)
    }

    /// The elements of a domain in the cells that are divided.
    pub fn scale_of(&self, stage: &Stage) -> Scale {
        let of_grid = |id| self.grid(id).map_or(Scale::default(), |grid| grid.scale);
        match stage.tiles {
            Some(tiles) => tiles_of(of_grid(tiles.grid), tiles),
            None => stage.domain.resource.map_or(Scale::default(), of_grid),
        }
    }

    /// The largest distance between planes of two lattices along an axis that is cut, in the cells that are divided. The
    /// ends count if both are `wrapped` around.
    pub fn slack(&self, of: [Scale; 2], is_wrapped: bool) -> [u64; 3] {
        let [a, b] = of.map(|scale| self.partition.scaled(scale));
        let (Some(a), Some(b)) = (a, b) else { return [0; 3] };
        std::array::from_fn(|axis| {
            if self.partition.parts[axis] == 1 {
                return 0;
            }
            let planes = a.planes[axis].iter().zip(&b.planes[axis]);
            let counted = a.planes[axis].len() - usize::from(!is_wrapped);
            let [a, b] = of.map(|scale| u64::from(scale.per[axis]));
            let slack = planes
                .take(counted)
                .map(|(of_a, of_b)| (a * of_a).abs_diff(b * of_b));
            slack.max().unwrap_or(0)
        })
    }

    /// The [`Cut::slack`] between the domain of a stage and a field. The last tiles end with their grid, not beyond it.
    pub fn slack_of(&self, stage: &Stage, field: Scale) -> [u64; 3] {
        let tiled = stage.tiles.and_then(|tiles| self.grid(tiles.grid));
        let is_clipped = tiled.is_some_and(|grid| grid.scale == field);
        self.slack([self.scale_of(stage), field], !is_clipped)
    }

    /// How far boxes of a grid with `per` cells along each axis that begin in a part may extend beyond it, in cells.
    pub fn overhang(&self, per: [u32; 3]) -> [u64; 3] {
        std::array::from_fn(|axis| {
            let (planes, per) = (&self.partition.planes[axis], u64::from(per[axis]));
            let end = planes.last().copied().unwrap_or(0);
            let over = planes
                .iter()
                .map(|plane| plane.next_multiple_of(per).min(end) - plane);
            over.max().unwrap_or(0)
        })
    }

    /// By how many elements along each axis the part of a stage grows; `None` if it runs whole.
    pub fn grow(&self, stage: StageId) -> Option<[u64; 3]> {
        let beyond = self.beyond(stage);
        match self.shares[stage] {
            Share::Part { grow } => Some(std::array::from_fn(|axis| grow[axis] + beyond[axis])),
            Share::Everywhere(_) => None,
        }
    }

    /// The elements along each axis that a stage runs over only to compute halos.
    pub fn beyond(&self, stage: StageId) -> [u64; 3] {
        self.beyond.get(stage).copied().unwrap_or_default()
    }
}

/// The scale of tiles of a grid.
fn tiles_of(grid: Scale, tiles: Tiles) -> Scale {
    Scale {
        per: std::array::from_fn(|axis| grid.per[axis] * tiles.per[axis]),
        align: 1,
    }
}
