//! Particle sets that are cut like a grid: their particles are sorted by its cells.
//!
//! Particles keep the indices of one rank. Sorted by cell, those of a part have consecutive indices if the grid is cut along
//! its last axis alone. A rank also has those of the planes next to its part: the *ghosts*. Its stages run over both, so that
//! sums over particles are complete in the cells of the part, and ghosts stay as valid as the particles of the part, unless
//! stages read neighbours: see `spent`.
//! Between two sorts, a particle belongs to the cell in which it was sorted, and is at most `drift` cells away from it.

use std::ops::Range;

use super::super::ids::ResourceId;
use super::super::pipeline::Pipeline;
use super::super::stage::Stage;
use super::super::{Reach, Sorted, SortedCells};
use super::sets::CutSet;
use super::{Cut, ElementBox, Slots, Uncut, Valid, Whole, more, more_of};

/// Largest number of particles in a piece of a message.
const MAX_SENT: usize = 1 << 20;

/// The consecutive particles that a rank has, and those of its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub first: u64,
    pub end: u64,
    pub own_first: u64,
    pub own_end: u64,
    /// First of the particles that are new since the last sort. Every rank has all of them.
    pub new_first: u64,
    pub new_end: u64,
}

impl Held {
    /// Before the first sort, every rank has all particles. With ghosts, it runs over all, and they count as those of rank 0.
    /// Without, each rank runs over equally many.
    pub fn at_start(set: &CutSet, [rank, ranks]: [usize; 2], count: u64) -> Held {
        let own = Neighbours::at_start(set, [rank, ranks], count);
        let all = set.ghosts.is_some();
        Held {
            first: if all { 0 } else { own.own_first },
            end: if all { count } else { own.own_end },
            own_first: own.own_first,
            own_end: own.own_end,
            new_first: count,
            new_end: count,
        }
    }

    /// The number of particles that a rank has.
    pub fn count(self) -> u64 {
        self.end - self.first + (self.new_end - self.new_first)
    }

    /// The particles of an interior, those before it and those after it.
    pub fn parts(self, inner: Range<u64>) -> [Held; 3] {
        let part = |first, end, new_end| Held {
            first,
            end,
            new_end,
            ..self
        };
        [
            part(inner.start, inner.end, self.new_first),
            part(self.first, inner.start.max(self.first), self.new_first),
            part(inner.end.max(self.first), self.end, self.new_end),
        ]
    }

    /// The runs of sorted particles, by their numbers after the first one, that move to a place: from, to and count of each. New
    /// particles are sorted behind the others.
    pub fn moves(self, sorted: Range<u64>, to: u64) -> Vec<[u64; 3]> {
        let runs = [
            (sorted.start.min(self.end)..sorted.end.min(self.end), 0),
            (
                sorted.start.max(self.end)..sorted.end.max(self.end),
                self.new_first.saturating_sub(self.end),
            ),
        ];
        let runs = runs.into_iter().filter(|(run, _)| !run.is_empty());
        runs.map(|(run, more)| {
            [
                run.start + more,
                to + (run.start - sorted.start),
                run.end - run.start,
            ]
        })
        .collect()
    }

    /// As the box of a stage in its argument block: the first particle, the first own and the first new one, and the ends.
    pub fn as_box(self) -> ElementBox {
        ElementBox {
            low: [self.first, self.own_first, self.new_first],
            size: [self.end, self.own_end, self.new_end],
        }
    }
}

/// The own particles of a rank, with those that are ghosts of its neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbours {
    pub own_first: u64,
    pub own_end: u64,
    /// The end of those that the rank below has as ghosts, and the first that the rank above has.
    pub below_end: u64,
    pub above_first: u64,
    /// The same without one plane of ghosts, without two, up to all that stages spend.
    pub spent: Vec<[u64; 2]>,
}

impl Neighbours {
    /// Before the first sort: see [`Held::at_start`].
    pub fn at_start(set: &CutSet, [rank, ranks]: [usize; 2], count: u64) -> Neighbours {
        let share = |rank: usize| (u128::from(count) * rank as u128 / ranks as u128) as u64;
        match set.ghosts {
            Some(_) if rank == 0 => Neighbours::alone(0..count),
            Some(_) => Neighbours::alone(0..0),
            None => Neighbours::alone(share(rank)..share(rank + 1)),
        }
    }

    /// Particles of which none is a ghost of another rank.
    pub fn alone(own: Range<u64>) -> Neighbours {
        Neighbours {
            own_first: own.start,
            own_end: own.end,
            below_end: own.start,
            above_first: own.end,
            spent: Vec::new(),
        }
    }

    /// The end of those that the rank below has as ghosts, and the first that the rank above has, without some planes.
    pub fn without(&self, spent: u64) -> [u64; 2] {
        let found = spent
            .checked_sub(1)
            .and_then(|plane| self.spent.get(plane as usize));
        found.copied().unwrap_or([self.below_end, self.above_first])
    }

    /// The particles of a part between two planes of cells, from the `first` particles of each row.
    pub fn between(set: &CutSet, ghosts: u64, first: &[u64], [low, high]: [u64; 2]) -> Neighbours {
        let first_of = |plane: u64| first[set.row_from(plane) as usize];
        let (own_first, own_end) = (first_of(low), first_of(high));
        let of_ghosts = |ghosts: u64| {
            [low + ghosts, high.saturating_sub(ghosts)].map(|plane| first_of(plane).clamp(own_first, own_end))
        };
        let [below_end, above_first] = of_ghosts(ghosts);
        Neighbours {
            own_first,
            own_end,
            below_end,
            above_first,
            spent: (1..=set.spent).map(|spent| of_ghosts(ghosts - spent)).collect(),
        }
    }

    /// Gives the particles of each rank their places behind those of the rank below.
    pub fn append(all: &mut [Neighbours]) {
        let mut end = 0;
        for own in all {
            let place = |index: u64| end + (index - own.own_first);
            *own = Neighbours {
                own_first: end,
                own_end: place(own.own_end),
                below_end: place(own.below_end),
                above_first: place(own.above_first),
                spent: own.spent.iter().map(|ends| ends.map(place)).collect(),
            };
            end = own.own_end;
        }
    }

    /// The particles that one rank sends to another: all of its own, or the ghosts of the other.
    pub fn slots(&self, [from, to]: [usize; 2], valid: Valid, entries: u32) -> Vec<Slots> {
        let range = match valid {
            Valid::All | Valid::Box(_) | Valid::Lines(_) => self.own_first..self.own_end,
            Valid::Depth(_) if to + 1 == from => self.own_first..self.below_end,
            Valid::Depth(_) if to == from + 1 => self.above_first..self.own_end,
            Valid::Depth(_) => return Vec::new(),
        };
        slots_of(range, entries)
    }
}

/// Consecutive particles, in pieces of messages.
pub(super) fn slots_of(particles: Range<u64>, entries: u32) -> Vec<Slots> {
    let end = particles.end;
    let firsts = particles.step_by(MAX_SENT);
    let slots = firsts.map(|first| Slots {
        area: ElementBox {
            low: [first, 0, 0],
            size: [end.min(first + MAX_SENT as u64) - first, 1, 1],
        },
        entries: (0..entries).collect(),
    });
    slots.collect()
}

impl Cut {
    /// How a set is cut; `None` if it is not.
    pub fn set(&self, id: ResourceId) -> Option<&CutSet> {
        self.sets.iter().find(|set| set.set() == id)
    }

    /// The set that is cut and that a stage runs over.
    pub fn set_of(&self, stage: &Stage) -> Option<&CutSet> {
        self.set(stage.shares.or(stage.domain.resource)?)
    }
}

impl Pipeline {
    /// The sets that are sorted by the cells of one of the grids in `step`. With a cut along other axes, every rank has whole
    /// sets if stages may run whole.
    pub(super) fn sets_to_cut(&self, cut: &Cut, whole: &Whole) -> Result<Vec<CutSet>, Vec<Uncut>> {
        let mut sets: Vec<CutSet> = Vec::new();
        for (sorted, cells) in self.sorted_by_cells() {
            if cut.grid(cells.grid).is_none_or(|grid| grid.scale.per != [1; 3]) {
                continue;
            }
            let size = self.resources[cells.grid].size;
            let axis = cells.slowest;
            let [accesses, writes] = self.farthest(sorted.set);
            let drift = u64::from(cells.drift);
            let blocks = cells.counts(size);
            let per = u64::from(cells.blocks[axis]);
            let spent = self.spent_planes(sorted.set);
            let mut inner = cut.partition.planes[axis].iter().rev().skip(1);
            let set = CutSet {
                sorted: *sorted,
                drift,
                ghosts: (cells.ghosts)
                    .then(|| (drift + writes).max(self.gathered_planes(cut, sorted.set, axis)) + spent),
                spent,
                margin: drift + accesses,
                axis,
                row: blocks.iter().product::<u64>() / blocks[axis],
                rows: blocks[axis],
                per,
                beyond: if inner.all(|plane| plane.is_multiple_of(per)) {
                    0
                } else {
                    per - 1
                },
            };
            let is_along = |parts: [usize; 3]| (0..3).all(|of| of == axis || parts[of] == 1);
            let may_be_whole = *whole != Whole::None || !cells.ghosts;
            let refused = self.check_count(cut, &set);
            if !may_be_whole || is_along(cut.partition.parts) && refused.is_empty() {
                self.check_parts(cut, &set)?;
                if !refused.is_empty() {
                    return Err(refused);
                }
                sets.push(set);
            }
        }
        Ok(sets)
    }

    /// The sets that are sorted by the cells of a grid, by equal sorts. Without ghosts, the set has no `capacity`.
    fn sorted_by_cells(&self) -> impl Iterator<Item = (&Sorted, SortedCells)> {
        self.sorts.iter().enumerate().filter_map(move |(number, sorted)| {
            let is_of_set = |other: &&Sorted| other.set == sorted.set;
            let is_first = !self.sorts[..number].iter().any(|other| is_of_set(&other));
            let are_equal = self.sorts.iter().filter(is_of_set).all(|other| other == sorted);
            let cells = sorted.cells?;
            let is_fixed = self.resources[sorted.set].live().is_none();
            (is_first && are_equal && (is_fixed || cells.ghosts)).then_some((sorted, cells))
        })
    }

    /// The cells of one of the grids by which a set is sorted.
    pub(super) fn sorts_by(&self, grids: &[ResourceId]) -> Option<SortedCells> {
        let mut all = self.sorted_by_cells().map(|(_, cells)| cells);
        all.find(|cells| grids.contains(&cells.grid))
    }

    /// The largest distances from its cell at which a particle of a set accesses a grid in `step`, and writes to it.
    fn farthest(&self, set: ResourceId) -> [u64; 2] {
        let stages = self.step.iter().map(|entry| &self.stages[entry.stage]);
        let over = stages.filter(|stage| stage.shares.or(stage.domain.resource) == Some(set));
        let locals = over.flat_map(|stage| {
            let locals = self.kernel_of(stage).signature.fields.iter();
            locals
                .zip(&stage.bindings)
                .filter(|(_, field)| self.fields[**field].resource != set)
        });
        let cells = |reach: Reach| match reach {
            Reach::Cells(cells) => u64::from(cells),
            Reach::Anywhere => 0,
        };
        locals.fold([0; 2], |[accesses, writes], (local, _)| {
            let written = if local.writes {
                cells(local.reach.writes)
            } else {
                0
            };
            [accesses.max(cells(local.reach.all)), writes.max(written)]
        })
    }

    /// The planes beyond a part in whose cells stages over cells read particles of a set in `step`, for elements that write into the
    /// part.
    fn gathered_planes(&self, cut: &Cut, set: ResourceId, axis: usize) -> u64 {
        let stages = self.step.iter().map(|entry| &self.stages[entry.stage]);
        let planes = stages.filter_map(|stage| {
            let of_tiles = stage.tiles.map(|tiles| tiles.grid);
            let grid = cut.grid(of_tiles.or(stage.domain.resource)?)?;
            let locals = self.kernel_of(stage).signature.fields.iter();
            let locals: Vec<_> = locals
                .zip(&stage.bindings)
                .map(|(local, field)| (local, *field, self.fields[*field].resource))
                .collect();
            let read = locals.iter().filter_map(|(local, _, of)| match local.reach.all {
                Reach::Cells(cells) if local.reads && *of == set => Some(u64::from(cells)),
                _ => None,
            });
            let written = locals.iter().filter_map(|(local, field, of)| {
                let other = cut.grid(*of).filter(|_| local.writes)?;
                let Reach::Cells(cells) = local.reach.writes else {
                    return None;
                };
                let differs = more(self, stage, grid, axis) != more_of(self, *field, other, axis);
                Some((u64::from(cells) + u64::from(differs)) * u64::from(other.scale.per[axis]))
            });
            // An element that is a tile may be in several parts.
            let per = u64::from(cut.scale_of(stage).per[axis]);
            let mut inner = cut.partition.planes[axis].iter().rev().skip(1);
            let is_aligned = inner.all(|plane| plane.is_multiple_of(per));
            let beyond = if is_aligned { 0 } else { per - 1 };
            Some(read.max()? + written.max().unwrap_or(0) + beyond)
        });
        planes.max().unwrap_or(0)
    }

    /// Parts must be along the last axis, and have the ghosts of their neighbours.
    fn check_parts(&self, cut: &Cut, set: &CutSet) -> Result<(), Vec<Uncut>> {
        let (name, letter) = (&self.resources[set.set()].name, ["x", "y", "z"][set.axis]);
        if (0..3).any(|axis| axis != set.axis && cut.partition.parts[axis] > 1) {
            return Err(Uncut::request(format!(
                "particles of `{name}` are cut along {letter} alone: their sort keeps planes of cells together"
            )));
        }
        let thinnest = cut.partition.thinnest();
        let ghosts = set.ghosts.unwrap_or(0);
        if thinnest < ghosts {
            return Err(Uncut::request(format!(
                "a part has {thinnest} planes of cells along {letter}, but ranks exchange the particles of `{name}` of {} \
                 planes: use fewer ranks, or a smaller `drift`",
                ghosts
            )));
        }
        Ok(())
    }
}
