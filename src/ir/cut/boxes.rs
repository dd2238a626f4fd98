//! Parts of a lattice, and the boxes of elements that ranks run over and send to each other. Pure numbers.

use std::borrow::Cow;

use super::planes::{self, Planes, is_increasing};

/// A division of a lattice into boxes, one for each rank. All fields of the lattice are divided alike, also those with one
/// value more than cells along an axis: the last part has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Parts along each axis; x varies fastest in the numbers of ranks.
    pub parts: [usize; 3],
    /// The first cell of each part, and the end of the last.
    pub planes: Planes,
    /// Planes in x are multiples of this, and so are distances in x.
    pub align: u64,
}

/// A box of elements, which may wrap around the ends of the lattice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementBox {
    pub low: [u64; 3],
    pub size: [u64; 3],
}

/// The elements of a coarser lattice over the cells that are divided: a level of a grid, or the tiles of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scale {
    /// Cells along each axis in an element.
    pub per: [u32; 3],
    /// Planes in x are multiples of this many elements.
    pub align: u32,
}

/// The elements of a field that have the bits of one rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Valid {
    /// The part, grown by this number of cells along each axis. Axes are periodic.
    Depth(u32),
    /// The part and a box of elements, which does not wrap around.
    Box(ElementBox),
    /// The lines along this axis that a rank transforms: see [`Partition::turned`].
    Lines(usize),
    /// The whole field.
    All,
}

impl Valid {
    /// The least that is valid where both are needed.
    pub fn joined(self, other: Valid) -> Valid {
        match (self, other) {
            (Valid::Depth(a), Valid::Depth(b)) => Valid::Depth(a.max(b)),
            (Valid::Box(a), Valid::Box(b)) => Valid::Box(a.around(b)),
            (Valid::Lines(a), Valid::Lines(b)) if a == b => self,
            (Valid::Box(area), Valid::Depth(0)) | (Valid::Depth(0), Valid::Box(area)) => Valid::Box(area),
            _ => Valid::All,
        }
    }
}

/// From the first element to the end.
type Interval = (u64, u64);

impl Default for Scale {
    fn default() -> Scale {
        Scale {
            per: [1; 3],
            align: 1,
        }
    }
}

impl ElementBox {
    pub fn elements(&self) -> u64 {
        self.size.iter().product()
    }

    /// The elements of this box that are not in a box inside of it, as boxes, in a lattice with these sides.
    pub fn without(&self, inside: &ElementBox, sides: [u64; 3]) -> Vec<ElementBox> {
        let mut rest = *self;
        let mut boxes = Vec::new();
        for axis in [2, 1, 0] {
            let side = sides[axis];
            let before = (inside.low[axis] + side - self.low[axis]) % side;
            let after = self.size[axis] - before - inside.size[axis];
            let end = (inside.low[axis] + inside.size[axis]) % side;
            for (low, size) in [(self.low[axis], before), (end, after)] {
                let mut slab = rest;
                (slab.low[axis], slab.size[axis]) = (low, size);
                boxes.extend((size > 0).then_some(slab));
            }
            (rest.low[axis], rest.size[axis]) = (inside.low[axis], inside.size[axis]);
        }
        boxes
    }

    /// An interior with ends along x that are multiples of `across`, the elements of a row of a workgroup, if that leaves at
    /// least half of it. Around it, a border of single elements would leave most invocations of its workgroups idle, and
    /// load more of each row than it uses.
    pub fn in_whole_groups(self, across: u64) -> ElementBox {
        let first = self.low[0].next_multiple_of(across);
        let end = (self.low[0] + self.size[0]) / across * across;
        if end < first + self.size[0].div_ceil(2) {
            return self;
        }
        let mut aligned = self;
        (aligned.low[0], aligned.size[0]) = (first, end - first);
        aligned
    }

    /// The smallest box around two that do not wrap around.
    fn around(self, other: ElementBox) -> ElementBox {
        let low: [u64; 3] = std::array::from_fn(|axis| self.low[axis].min(other.low[axis]));
        let end = |of: &ElementBox, axis: usize| of.low[axis] + of.size[axis];
        let size = std::array::from_fn(|axis| end(&self, axis).max(end(&other, axis)) - low[axis]);
        ElementBox { low, size }
    }
}

impl Partition {
    /// Divides a lattice evenly. `cells` are those along each axis; `parts` must not exceed [`Partition::most`].
    pub fn new(cells: [u64; 3], parts: [usize; 3], align: u64) -> Partition {
        Partition::preferring(cells, parts, align, [[1; 3]; 3])
    }

    /// Divides a lattice at ends of tiles and of coarse cells where parts stay almost even.
    pub fn preferring(cells: [u64; 3], parts: [usize; 3], align: u64, wanted: [[u64; 3]; 3]) -> Partition {
        let planes = planes::preferred(cells, parts, align, wanted);
        Partition { parts, planes, align }
    }

    /// Divides a lattice near planes that are wished, rounded in the same way; `None` if a part would have no cells.
    pub fn near(cells: [u64; 3], wished: &Planes, align: u64, wanted: [[u64; 3]; 3]) -> Option<Partition> {
        let planes = planes::near(cells, wished, align, wanted)?;
        let parts = planes::counts(wished);
        Some(Partition { parts, planes, align })
    }

    /// The division of the elements of a coarser lattice over the same cells; `None` if a part would have none.
    pub fn scaled(&self, scale: Scale) -> Option<Cow<'_, Partition>> {
        if scale.per == [1; 3] {
            return Some(Cow::Borrowed(self));
        }
        let planes: [Vec<u64>; 3] = std::array::from_fn(|axis| {
            let per = u64::from(scale.per[axis]);
            let unit = if axis == 0 { u64::from(scale.align) } else { 1 };
            let (end, inner) = match self.planes[axis].split_last() {
                Some((end, inner)) => (*end, inner),
                None => (0, &[][..]),
            };
            let inner = inner
                .iter()
                .map(|plane| plane.div_ceil(per).next_multiple_of(unit));
            inner.chain([end.div_ceil(per)]).collect()
        });
        planes.iter().all(|planes| is_increasing(planes)).then(|| {
            Cow::Owned(Partition {
                parts: self.parts,
                planes,
                align: scale.align.into(),
            })
        })
    }

    /// The smallest number of elements of a part along an axis that is cut.
    pub fn thinnest(&self) -> u64 {
        let cut = (0..3).filter(|axis| self.parts[*axis] > 1);
        let widths = cut.flat_map(|axis| self.planes[axis].windows(2).map(|ends| ends[1] - ends[0]));
        widths.min().unwrap_or(u64::MAX)
    }

    /// The largest number of parts along each axis.
    pub fn most(cells: [u64; 3], align: u64) -> [u64; 3] {
        [cells[0] / align, cells[1], cells[2]]
    }

    /// The parts along each axis for a number of ranks with the least surface; `None` if the lattice is too small. Prefers
    /// at most `preferred` parts along each axis, and among equals cuts the last axis most: whole planes are contiguous
    /// in memory.
    pub fn chosen(cells: [u64; 3], ranks: usize, align: u64, preferred: [u64; 3]) -> Option<[usize; 3]> {
        let most = Partition::most(cells, align);
        let divisors = |n: usize| (1..=n).filter(move |d| n.is_multiple_of(*d));
        let all = divisors(ranks).flat_map(|z| divisors(ranks / z).map(move |y| [ranks / z / y, y, z]));
        let fitting = all.filter(|parts| (0..3).all(|axis| parts[axis] as u64 <= most[axis]));
        let surface = |parts: &[usize; 3]| -> u128 {
            let cut = (0..3).filter(|axis| parts[*axis] > 1);
            let area = |axis: usize| {
                let others = (0..3).filter(|other| *other != axis);
                others.map(|other| u128::from(cells[other])).product::<u128>()
            };
            cut.map(|axis| parts[axis] as u128 * area(axis)).sum()
        };
        let is_too_many = |parts: &[usize; 3]| (0..3).any(|axis| parts[axis] as u64 > preferred[axis].max(1));
        fitting.min_by_key(|parts| {
            (
                is_too_many(parts),
                surface(parts),
                std::cmp::Reverse((parts[2], parts[1])),
            )
        })
    }

    pub fn ranks(&self) -> usize {
        self.parts.iter().product()
    }

    /// The number of a rank's part along each axis.
    pub(super) fn position(&self, rank: usize) -> [usize; 3] {
        let [x, y, _] = self.parts;
        [rank % x, rank / x % y, rank / x / y]
    }

    /// Returns true if the parts of two ranks differ in their numbers along several axes.
    pub fn are_diagonal(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.position(a), self.position(b));
        (0..3).filter(|axis| a[*axis] != b[*axis]).count() > 1
    }

    /// The elements of a rank's part along an axis with `side` elements.
    fn interval(&self, rank: usize, axis: usize, side: u64) -> Interval {
        let (q, planes) = (self.position(rank)[axis], &self.planes[axis]);
        let last = q + 1 == self.parts[axis];
        let low = if q == 0 { 0 } else { planes[q] };
        (low, if last { side } else { planes[q + 1] })
    }

    /// The part of a rank in a lattice with these sides, grown by cells along each axis that is cut.
    pub fn grown(&self, rank: usize, sides: [u64; 3], grow: [u64; 3]) -> ElementBox {
        let mut of_rank = ElementBox {
            low: [0; 3],
            size: sides,
        };
        for axis in (0..3).filter(|axis| self.parts[*axis] > 1) {
            let (low, end) = self.interval(rank, axis, sides[axis]);
            let (side, grow) = (sides[axis], grow[axis]);
            if end - low + 2 * grow < side {
                of_rank.low[axis] = (low + side - grow) % side;
                of_rank.size[axis] = end - low + 2 * grow;
            }
        }
        of_rank
    }

    /// The part of a rank in a lattice with these sides without the elements that are near its surface along axes that are
    /// cut. `None` if nothing is left.
    pub fn shrunk(&self, rank: usize, sides: [u64; 3], by: u64) -> Option<ElementBox> {
        let mut inner = self.grown(rank, sides, [0; 3]);
        for axis in (0..3).filter(|axis| self.parts[*axis] > 1) {
            let by = if axis == 0 {
                by.next_multiple_of(self.align)
            } else {
                by
            };
            inner.low[axis] += by;
            inner.size[axis] = inner.size[axis].checked_sub(2 * by).filter(|size| *size > 0)?;
        }
        Some(inner)
    }

    /// The division of the same lattice into as many boxes with whole lines along an axis: the parts along this axis divide
    /// the slowest other axis that has enough elements. `None` if there is none.
    pub fn turned(&self, axis: usize) -> Option<Partition> {
        let elements = |axis: usize| self.planes[axis].last().copied().unwrap_or(0);
        let parts = |divided: usize| self.parts[divided] * self.parts[axis];
        let is_long = |divided: &usize| *divided != axis && elements(*divided) >= parts(*divided) as u64;
        let divided = (0..3).rev().find(is_long)?;
        let mut turned = Partition {
            align: 1,
            ..self.clone()
        };
        let even = |axis: usize, parts: usize| {
            let cells = [elements(axis), 1, 1];
            let [planes, ..] = planes::preferred(cells, [parts, 1, 1], 1, [[1; 3]; 3]);
            planes
        };
        (turned.parts[axis], turned.planes[axis]) = (1, even(axis, 1));
        (turned.parts[divided], turned.planes[divided]) = (parts(divided), even(divided, parts(divided)));
        Some(turned)
    }

    /// The boxes that a rank sends to another so that its field with these sides becomes valid. Both compute the same
    /// list. The values belong to the parts of `owned`, a division of the same lattice. `offsets` are those of the values from
    /// the elements to which they belong: on the sender, and where they are needed.
    pub fn pieces(
        &self,
        owned: &Partition,
        [from, to]: [usize; 2],
        sides: [u64; 3],
        valid: Valid,
        offsets: [[i64; 3]; 2],
    ) -> Vec<ElementBox> {
        if from == to {
            return Vec::new();
        }
        let turned = match valid {
            Valid::Lines(axis) => self.turned(axis),
            _ => None,
        };
        boxes(std::array::from_fn(|axis| {
            let own = owned.owned_along(axis, from, sides[axis], offsets[0][axis]);
            own.into_iter()
                .flat_map(|own| match valid {
                    Valid::Box(area) => {
                        let (low, end) = (area.low[axis], area.low[axis] + area.size[axis]);
                        common(own, (low, end))
                    }
                    Valid::Lines(_) => turned.as_ref().map_or(Vec::new(), |turned| {
                        common(own, turned.interval(to, axis, sides[axis]))
                    }),
                    _ if self.parts[axis] == 1 => vec![own],
                    Valid::All => vec![own],
                    Valid::Depth(depth) => {
                        let unit = if axis == 0 { self.align } else { 1 };
                        let depth = u64::from(depth).next_multiple_of(unit) as i64;
                        let ends = self.interval(to, axis, sides[axis]);
                        let [low, end] = [ends.0, ends.1].map(|plane| plane as i64 + offsets[1][axis]);
                        overlap(own, low - depth, end + depth, sides[axis])
                    }
                })
                .collect()
        }))
    }

    /// The values of a field that belong to the part of a rank, at an offset from it. They may wrap around.
    pub fn owned(&self, rank: usize, sides: [u64; 3], offset: [i64; 3]) -> Vec<ElementBox> {
        boxes(std::array::from_fn(|axis| {
            self.owned_along(axis, rank, sides[axis], offset[axis])
        }))
    }

    /// The part of a rank along an axis, moved by an offset on the circle.
    fn owned_along(&self, axis: usize, rank: usize, side: u64, offset: i64) -> Vec<Interval> {
        let own = self.interval(rank, axis, side);
        if self.parts[axis] == 1 || offset == 0 {
            return vec![own];
        }
        let low = (own.0 as i64 + offset).rem_euclid(side as i64) as u64;
        let end = low + own.1 - own.0;
        let pieces = [(low, end.min(side)), (0, end.saturating_sub(side))];
        pieces.into_iter().filter(|(low, end)| low < end).collect()
    }
}

/// The elements of two intervals.
fn common(a: Interval, b: Interval) -> Vec<Interval> {
    let both = (a.0.max(b.0), a.1.min(b.1));
    if both.0 < both.1 { vec![both] } else { Vec::new() }
}

/// The boxes with one of the intervals along each axis.
fn boxes(lists: [Vec<Interval>; 3]) -> Vec<ElementBox> {
    let mut boxes = Vec::new();
    for z in &lists[2] {
        for y in &lists[1] {
            for x in &lists[0] {
                boxes.push(ElementBox {
                    low: [x.0, y.0, z.0],
                    size: [x.1 - x.0, y.1 - y.0, z.1 - z.0],
                });
            }
        }
    }
    boxes
}

/// The elements of an interval in `low..high` on a circle of `side` elements. `low` may be negative.
fn overlap(own: Interval, low: i64, high: i64, side: u64) -> Vec<Interval> {
    let side = side as i64;
    if high - low >= side {
        return vec![own];
    }
    let shifted = [-side, 0, side].map(|shift| {
        let first = (own.0 as i64).max(low + shift);
        (first, (own.1 as i64).min(high + shift))
    });
    let parts = shifted.into_iter().filter(|(first, end)| first < end);
    parts.map(|(first, end)| (first as u64, end as u64)).collect()
}

#[cfg(test)]
mod tests;
