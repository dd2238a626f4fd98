//! Parts of a lattice, and the boxes of elements that ranks run over and send to each other. Pure numbers.

/// A division of a lattice into boxes, one for each rank. All fields of the lattice are divided alike, also those with one
/// value more than cells along an axis: the last part has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Parts along each axis; x varies fastest in the numbers of ranks.
    pub parts: [usize; 3],
    /// The first cell of each part, and the end of the last.
    pub planes: [Vec<u64>; 3],
    /// Planes in x are multiples of this, and so are distances in x.
    pub align: u64,
}

/// A box of elements, which may wrap around the ends of the lattice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementBox {
    pub low: [u64; 3],
    pub size: [u64; 3],
}

/// The elements of a field that have the bits of one rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Valid {
    /// The part, grown by this number of cells along each axis. Axes are periodic.
    Depth(u32),
    /// The whole field.
    All,
}

/// From the first element to the end.
type Interval = (u64, u64);

impl ElementBox {
    pub fn elements(&self) -> u64 {
        self.size.iter().product()
    }

    /// The elements of this box that are not in a box inside of it, as boxes, in a lattice with these sides.
    pub fn around(&self, inside: &ElementBox, sides: [u64; 3]) -> Vec<ElementBox> {
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
}

impl Partition {
    /// Divides a lattice evenly. `cells` are those along each axis; `parts` must not exceed [`Partition::most`].
    pub fn new(cells: [u64; 3], parts: [usize; 3], align: u64) -> Partition {
        let planes = std::array::from_fn(|axis| {
            let unit = if axis == 0 { align } else { 1 };
            let (units, count) = (cells[axis] / unit, parts[axis] as u64);
            let inner = (0..count).map(|q| (2 * q * units + count) / (2 * count) * unit);
            inner.chain([cells[axis]]).collect()
        });
        Partition { parts, planes, align }
    }

    /// The largest number of parts along each axis.
    pub fn most(cells: [u64; 3], align: u64) -> [u64; 3] {
        [cells[0] / align, cells[1], cells[2]]
    }

    /// The parts along each axis for a number of ranks with the least surface; `None` if the lattice is too small. Among
    /// equals, cuts the last axis most: whole planes are contiguous in memory.
    pub fn chosen(cells: [u64; 3], ranks: usize, align: u64) -> Option<[usize; 3]> {
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
        fitting.min_by_key(|parts| (surface(parts), std::cmp::Reverse((parts[2], parts[1]))))
    }

    pub fn ranks(&self) -> usize {
        self.parts.iter().product()
    }

    /// The number of a rank's part along each axis.
    fn position(&self, rank: usize) -> [usize; 3] {
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
            let by = if axis == 0 { by.next_multiple_of(self.align) } else { by };
            inner.low[axis] += by;
            inner.size[axis] = inner.size[axis].checked_sub(2 * by).filter(|size| *size > 0)?;
        }
        Some(inner)
    }

    /// The boxes that a rank sends to another so that its field with these sides becomes valid. Both compute the same
    /// list.
    pub fn pieces(&self, from: usize, to: usize, sides: [u64; 3], valid: Valid) -> Vec<ElementBox> {
        if from == to {
            return Vec::new();
        }
        let lists: [Vec<Interval>; 3] = std::array::from_fn(|axis| {
            let own = self.interval(from, axis, sides[axis]);
            match valid {
                _ if self.parts[axis] == 1 => vec![own],
                Valid::All => vec![own],
                Valid::Depth(depth) => {
                    let unit = if axis == 0 { self.align } else { 1 };
                    let depth = u64::from(depth).next_multiple_of(unit) as i64;
                    let (low, end) = self.interval(to, axis, sides[axis]);
                    overlap(own, low as i64 - depth, end as i64 + depth, sides[axis])
                }
            }
        });
        let mut pieces = Vec::new();
        for z in &lists[2] {
            for y in &lists[1] {
                for x in &lists[0] {
                    pieces.push(ElementBox {
                        low: [x.0, y.0, z.0],
                        size: [x.1 - x.0, y.1 - y.0, z.1 - z.0],
                    });
                }
            }
        }
        pieces
    }
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
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn elements(of: &ElementBox, sides: [u64; 3]) -> Vec<[u64; 3]> {
        let mut all = Vec::new();
        for z in 0..of.size[2] {
            for y in 0..of.size[1] {
                for x in 0..of.size[0] {
                    let at = [x, y, z];
                    all.push(std::array::from_fn(|axis| {
                        (of.low[axis] + at[axis]) % sides[axis]
                    }));
                }
            }
        }
        all
    }

    #[test]
    fn interior_and_the_boxes_around_it_cover_the_grown_part_once() {
        let mut divided = 0;
        for (cells, parts) in [([9, 8, 7], [1, 1, 2]), ([9, 8, 12], [2, 1, 2]), ([16, 8, 6], [2, 2, 1])] {
            for (more, grow, by, align) in [(0, 0, 1, 1), (0, 1, 2, 1), (1, 1, 1, 1), (0, 2, 2, 2)] {
                let partition = Partition::new(cells, parts, align);
                let sides = cells.map(|side| side + more);
                for rank in 0..partition.ranks() {
                    let grow = [u64::next_multiple_of(grow, align), grow, grow];
                    let whole = partition.grown(rank, sides, grow);
                    let Some(inner) = partition.shrunk(rank, sides, by) else {
                        continue;
                    };
                    divided += 1;
                    let boxes = whole.around(&inner, sides);
                    let mut all: Vec<_> = (boxes.iter().chain([&inner]))
                        .flat_map(|of| elements(of, sides))
                        .collect();
                    let mut wanted = elements(&whole, sides);
                    all.sort_unstable();
                    wanted.sort_unstable();
                    assert_eq!(all, wanted, "{cells:?} {parts:?} {more} {grow:?} {by} rank {rank}");
                    // Grown again, the interior is in the part.
                    let own = elements(&partition.grown(rank, sides, [0; 3]), sides);
                    for [x, y, z] in elements(&inner, sides) {
                        let cut = |axis: usize| if parts[axis] > 1 { by } else { 0 };
                        let [dx, dy, dz] = [0, 1, 2].map(cut);
                        assert!(own.contains(&[x - dx, y - dy, z - dz]) && own.contains(&[x + dx, y + dy, z + dz]));
                    }
                }
            }
        }
        assert!(divided > 20, "{divided}");
    }

    #[test]
    fn thin_parts_have_no_interior() {
        let partition = Partition::new([4, 4, 8], [1, 1, 2], 1);
        assert!(partition.shrunk(0, [4, 4, 8], 1).is_some());
        assert_eq!(partition.shrunk(0, [4, 4, 8], 2), None);
    }

    #[test]
    fn pieces_and_own_part_cover_the_grown_part_once() {
        let mut cases = 0;
        for (cells, parts) in [
            ([7, 5, 6], [1, 1, 2]),
            ([7, 5, 6], [2, 2, 1]),
            ([8, 3, 9], [2, 1, 3]),
            ([6, 6, 1], [3, 2, 1]),
            ([4, 4, 4], [2, 2, 2]),
            ([3, 3, 5], [1, 1, 5]),
        ] {
            for (more, align) in [([0, 0, 0], 1), ([1, 0, 0], 1), ([0, 1, 1], 1), ([0, 0, 0], 2)] {
                let partition = Partition::new(cells, parts, align);
                if parts[0] as u64 > Partition::most(cells, align)[0] {
                    continue;
                }
                let sides: [u64; 3] =
                    std::array::from_fn(|axis| cells[axis] + if cells[axis] > 1 { more[axis] } else { 0 });
                for depth in 0..4 {
                    for to in 0..partition.ranks() {
                        covers(&partition, to, sides, depth);
                        cases += 1;
                    }
                }
            }
        }
        assert!(cases > 200);
    }

    fn covers(partition: &Partition, to: usize, sides: [u64; 3], depth: u32) {
        let mut seen: HashMap<[u64; 3], usize> = HashMap::new();
        let own = partition.grown(to, sides, [0; 3]);
        for at in elements(&own, sides) {
            *seen.entry(at).or_default() += 1;
        }
        for from in 0..partition.ranks() {
            for piece in partition.pieces(from, to, sides, Valid::Depth(depth)) {
                // The sender owns what it sends, without a wrap.
                let part = partition.grown(from, sides, [0; 3]);
                for axis in 0..3 {
                    assert!(piece.low[axis] >= part.low[axis]);
                    assert!(piece.low[axis] + piece.size[axis] <= part.low[axis] + part.size[axis]);
                }
                for at in elements(&piece, sides) {
                    *seen.entry(at).or_default() += 1;
                }
            }
        }
        assert!(seen.values().all(|count| *count == 1), "{seen:?}");
        let grow = [
            u64::from(depth).next_multiple_of(partition.align),
            depth.into(),
            depth.into(),
        ];
        let mut wanted = elements(&partition.grown(to, sides, grow), sides);
        wanted.sort_unstable();
        wanted.dedup();
        // Boxes that would wrap onto themselves are whole axes.
        assert!(wanted.iter().all(|at| seen.contains_key(at)));
        assert_eq!(wanted.len(), seen.len());
    }

    #[test]
    fn parts_of_all_ranks_are_the_whole_field() {
        let partition = Partition::new([7, 5, 6], [2, 2, 2], 1);
        let sides = [8, 5, 7];
        for to in 0..8 {
            let sent = (0..8).flat_map(|from| partition.pieces(from, to, sides, Valid::All));
            let sent: u64 = sent.map(|piece| piece.elements()).sum();
            assert_eq!(sent + partition.grown(to, sides, [0; 3]).elements(), 8 * 5 * 7);
        }
    }

    #[test]
    fn cubes_and_slabs_are_cut_with_the_least_surface() {
        let chosen = |cells, ranks| Partition::chosen(cells, ranks, 1);
        assert_eq!(chosen([64, 64, 64], 1), Some([1, 1, 1]));
        assert_eq!(chosen([64, 64, 64], 2), Some([1, 1, 2]));
        assert_eq!(chosen([64, 64, 64], 8), Some([1, 2, 4]));
        assert_eq!(chosen([64, 64, 32], 8), Some([2, 4, 1]));
        assert_eq!(chosen([400, 20, 20], 4), Some([4, 1, 1]));
        assert_eq!(chosen([64, 64, 1], 4), Some([1, 4, 1]));
        assert_eq!(chosen([3, 3, 1], 7), None);
        // Pairs of cells in x stay together.
        assert_eq!(Partition::chosen([5, 1, 1], 3, 2), None);
        assert_eq!(Partition::new([10, 1, 1], [2, 1, 1], 2).planes[0], [0, 6, 10]);
        assert_eq!(Partition::new([10, 7, 1], [1, 3, 1], 1).planes[1], [0, 2, 5, 7]);
    }
}
