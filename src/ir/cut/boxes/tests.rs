use super::*;
use std::collections::HashSet;

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
                for offsets in OFFSETS {
                    for to in 0..partition.ranks() {
                        covers(&partition, to, sides, depth, offsets);
                        cases += 1;
                    }
                }
            }
        }
    }
    assert!(cases > 1000);
}

/// Offsets of values from their owners, on the sender and where they are needed.
const OFFSETS: [[[i64; 3]; 2]; 4] = [
    [[0; 3]; 2],
    [[0; 3], [1, -1, 1]],
    [[-1, 0, 1], [0; 3]],
    [[1, 0, -1], [-1, 2, 0]],
];

/// The part of a rank, grown, and moved along the axes that are cut.
fn moved(
    partition: &Partition,
    rank: usize,
    sides: [u64; 3],
    grow: [u64; 3],
    by: [i64; 3],
) -> HashSet<[u64; 3]> {
    let part = elements(&partition.grown(rank, sides, grow), sides);
    let along = |at: [u64; 3], axis: usize| match partition.parts[axis] {
        1 => at[axis],
        _ => (at[axis] as i64 + by[axis]).rem_euclid(sides[axis] as i64) as u64,
    };
    part.into_iter()
        .map(|at| [0, 1, 2].map(|axis| along(at, axis)))
        .collect()
}

fn covers(partition: &Partition, to: usize, sides: [u64; 3], depth: u32, offsets: [[i64; 3]; 2]) {
    let grow = [
        u64::from(depth).next_multiple_of(partition.align),
        depth.into(),
        depth.into(),
    ];
    let own = moved(partition, to, sides, [0; 3], offsets[0]);
    let mut seen: HashSet<[u64; 3]> = HashSet::new();
    for from in 0..partition.ranks() {
        let owned = moved(partition, from, sides, [0; 3], offsets[0]);
        let boxes = partition.owned(from, sides, offsets[0]);
        let listed: Vec<_> = boxes.iter().flat_map(|of| elements(of, sides)).collect();
        assert_eq!(listed.len(), owned.len());
        assert!(listed.iter().all(|at| owned.contains(at)));
        for piece in partition.pieces(partition, [from, to], sides, Valid::Depth(depth), offsets) {
            // The sender owns what it sends, without a wrap.
            assert!((0..3).all(|axis| piece.low[axis] + piece.size[axis] <= sides[axis]));
            for at in elements(&piece, sides) {
                assert!(owned.contains(&at) && !own.contains(&at) && seen.insert(at));
            }
        }
    }
    // Boxes that would wrap onto themselves are whole axes.
    let wanted = moved(partition, to, sides, grow, offsets[1]);
    assert_eq!(seen, wanted.difference(&own).copied().collect());
}

#[test]
fn parts_of_all_ranks_are_the_whole_field() {
    let partition = Partition::new([7, 5, 6], [2, 2, 2], 1);
    let sides = [8, 5, 7];
    for to in 0..8 {
        let sent =
            (0..8).flat_map(|from| partition.pieces(&partition, [from, to], sides, Valid::All, [[0; 3]; 2]));
        let sent: u64 = sent.map(|piece| piece.elements()).sum();
        assert_eq!(sent + partition.grown(to, sides, [0; 3]).elements(), 8 * 5 * 7);
    }
}

#[test]
fn boxes_come_from_their_owners() {
    let partition = Partition::new([7, 5, 6], [2, 1, 3], 1);
    let one = |low| ElementBox { low, size: [1; 3] };
    let both = Valid::Box(one([3, 4, 1])).joined(Valid::Box(one([4, 4, 5])));
    let area = ElementBox {
        low: [3, 4, 1],
        size: [2, 1, 5],
    };
    assert_eq!(both, Valid::Box(area));
    assert_eq!(both.joined(Valid::Depth(0)), both);
    assert_eq!(both.joined(Valid::Depth(1)), Valid::All);
    let (mut sent, own) = (0, partition.grown(2, [7, 5, 6], [0; 3]));
    for from in 0..6 {
        let pieces = partition.pieces(&partition, [from, 2], [7, 5, 6], both, [[0; 3]; 2]);
        sent += pieces.iter().map(|piece| piece.elements()).sum::<u64>();
    }
    // Its own elements of the box are x 3 (of 0..4) and z 2 and 3.
    assert_eq!((own.low, own.size), ([0, 0, 2], [4, 5, 2]));
    assert_eq!(sent, 10 - 2);
}

#[test]
fn cubes_and_slabs_are_cut_with_the_least_surface() {
    let chosen = |cells, ranks| Partition::chosen(cells, ranks, 1, [u64::MAX; 3]);
    assert_eq!(chosen([64, 64, 64], 1), Some([1, 1, 1]));
    assert_eq!(chosen([64, 64, 64], 2), Some([1, 1, 2]));
    assert_eq!(chosen([64, 64, 64], 8), Some([1, 2, 4]));
    assert_eq!(chosen([64, 64, 32], 8), Some([2, 4, 1]));
    assert_eq!(chosen([400, 20, 20], 4), Some([4, 1, 1]));
    assert_eq!(chosen([64, 64, 1], 4), Some([1, 4, 1]));
    assert_eq!(chosen([3, 3, 1], 7), None);
    // Pairs of cells in x stay together.
    assert_eq!(Partition::chosen([5, 1, 1], 3, 2, [9; 3]), None);
    // Two tiles along x, and one along y and z.
    assert_eq!(Partition::chosen([64; 3], 2, 1, [2, 1, 1]), Some([2, 1, 1]));
    assert_eq!(Partition::chosen([64; 3], 4, 1, [2, 2, 1]), Some([2, 2, 1]));
    assert_eq!(Partition::new([10, 1, 1], [2, 1, 1], 2).planes[0], [0, 6, 10]);
    assert_eq!(Partition::new([10, 7, 1], [1, 3, 1], 1).planes[1], [0, 2, 5, 7]);
}

#[test]
fn planes_are_at_multiples_where_parts_stay_even() {
    let with_tiles = |cells, parts, align, wanted| {
        let wanted = [wanted, [1; 3], [1; 3]];
        Partition::preferring([cells, 1, 1], [parts, 1, 1], align, wanted).planes[0].clone()
    };
    let planes = |cells, parts, align, level| with_tiles(cells, parts, align, [1, 1, level]);
    assert_eq!(planes(128, 2, 1, 32), [0, 64, 128]);
    assert_eq!(planes(100, 2, 1, 32), [0, 48, 100]);
    assert_eq!(planes(100, 3, 1, 32), [0, 32, 64, 100]);
    assert_eq!(planes(10, 2, 1, 32), [0, 5, 10]);
    assert_eq!(planes(10, 2, 2, 32), [0, 4, 10]);
    assert_eq!(planes(3, 3, 1, 32), [0, 1, 2, 3]);
    // At ends of tiles rather than of coarse cells, if they have none in common.
    assert_eq!(with_tiles(180, 2, 1, [5, 5, 16]), [0, 80, 180]);
    assert_eq!(with_tiles(60, 2, 1, [6, 6, 16]), [0, 30, 60]);
    assert_eq!(with_tiles(60, 2, 1, [50, 50, 4]), [0, 32, 60]);
    // At ends of boxes that are reduced, or of tiles.
    assert_eq!(with_tiles(170, 2, 1, [16, 8, 1]), [0, 80, 170]);
    assert_eq!(with_tiles(180, 2, 1, [60, 12, 1]), [0, 96, 180]);
}

#[test]
fn coarser_lattices_are_divided_near_the_same_planes() {
    let fine = Partition::new([20, 7, 9], [2, 1, 3], 1);
    assert_eq!(fine.planes, [vec![0, 10, 20], vec![0, 7], vec![0, 3, 6, 9]]);
    let scaled = |per, align| fine.scaled(Scale { per: [per; 3], align });
    let coarse = scaled(2, 1).unwrap();
    assert_eq!(coarse.planes, [vec![0, 5, 10], vec![0, 4], vec![0, 2, 3, 5]]);
    assert_eq!(coarse.thinnest(), 1);
    assert_eq!(scaled(2, 4).unwrap().planes[0], [0, 8, 10]);
    assert!(scaled(8, 1).is_none());
    assert_eq!(*scaled(1, 1).unwrap(), fine);
}

#[test]
fn interior_and_the_boxes_around_it_cover_the_grown_part_once() {
    let mut divided = 0;
    for (cells, parts) in [
        ([9, 8, 7], [1, 1, 2]),
        ([9, 8, 12], [2, 1, 2]),
        ([16, 8, 6], [2, 2, 1]),
    ] {
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
                let boxes = whole.without(&inner, sides);
                let mut all: Vec<_> = (boxes.iter().chain([&inner]))
                    .flat_map(|of| elements(of, sides))
                    .collect();
                let mut wanted = elements(&whole, sides);
                all.sort_unstable();
                wanted.sort_unstable();
                assert_eq!(
                    all, wanted,
                    "{cells:?} {parts:?} {more} {grow:?} {by} rank {rank}"
                );
                // Grown again, the interior is in the part.
                let own = elements(&partition.grown(rank, sides, [0; 3]), sides);
                for [x, y, z] in elements(&inner, sides) {
                    let cut = |axis: usize| if parts[axis] > 1 { by } else { 0 };
                    let [dx, dy, dz] = [0, 1, 2].map(cut);
                    assert!(
                        own.contains(&[x - dx, y - dy, z - dz]) && own.contains(&[x + dx, y + dy, z + dz])
                    );
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
fn interiors_end_between_workgroups_where_half_is_left() {
    let along_x = |low, size| ElementBox {
        low: [low, 1, 1],
        size: [size, 6, 6],
    };
    for (interior, across, expected) in [
        (along_x(1, 510), 32, along_x(32, 448)),
        (along_x(513, 510), 32, along_x(544, 448)),
        (along_x(0, 512), 32, along_x(0, 512)),
        (along_x(1, 254), 64, along_x(64, 128)),
        // Less than half would be left, or nothing.
        (along_x(1, 190), 64, along_x(1, 190)),
        (along_x(3, 20), 32, along_x(3, 20)),
    ] {
        assert_eq!(interior.in_whole_groups(across), expected);
    }
}

#[test]
fn lines_are_divided_along_the_slowest_axis_that_is_long_enough() {
    let turned = |cells, parts, axis| {
        let turned = Partition::new(cells, parts, 1).turned(axis)?;
        Some((turned.parts, turned.planes))
    };
    let whole = |n| vec![0, n];
    let planes = [whole(8), vec![0, 2, 4, 6, 8, 10, 12], whole(10)];
    assert_eq!(turned([8, 12, 10], [1, 2, 3], 2), Some(([1, 6, 1], planes)));
    let planes = [whole(8), whole(12), vec![0, 2, 3, 5, 7, 8, 10]];
    assert_eq!(turned([8, 12, 10], [1, 2, 3], 1), Some(([1, 1, 6], planes)));
    // Too few rows along y, so columns along x; too few of both.
    let planes = [vec![0, 2, 3, 5, 6, 8], whole(4), whole(10)];
    assert_eq!(turned([8, 4, 10], [1, 1, 5], 2), Some(([5, 1, 1], planes)));
    assert_eq!(turned([3, 2, 10], [1, 1, 4], 2), None);
}

/// Each element comes once, from the rank that has it: from parts to lines, back with a halo, and from lines to other lines.
#[test]
fn pieces_between_parts_and_lines_cover_what_is_wanted_once() {
    for (cells, parts) in [
        ([7, 5, 6], [1, 1, 3]),
        ([4, 6, 9], [1, 2, 2]),
        ([5, 6, 7], [2, 1, 2]),
    ] {
        let partition = Partition::new(cells, parts, 1);
        // Half a spectrum has other sides along an axis that is not cut.
        let sides = [cells[0] + u64::from(parts[0] == 1), cells[1], cells[2]];
        let lines = |axis| partition.turned(axis).unwrap();
        let near = |rank| partition.grown(rank, sides, [1; 3]);
        for to in 0..partition.ranks() {
            let axes = (0..3).filter(|axis| parts[*axis] > 1);
            for axis in axes {
                let of_lines = lines(axis).grown(to, sides, [0; 3]);
                covers_once(&partition, &partition, to, sides, Valid::Lines(axis), of_lines);
                covers_once(&partition, &lines(axis), to, sides, Valid::Depth(1), near(to));
                for other in (0..3).filter(|other| parts[*other] > 1 && *other != axis) {
                    let of_lines = lines(other).grown(to, sides, [0; 3]);
                    covers_once(&partition, &lines(axis), to, sides, Valid::Lines(other), of_lines);
                }
            }
        }
    }
}

fn covers_once(
    partition: &Partition,
    owned: &Partition,
    to: usize,
    sides: [u64; 3],
    valid: Valid,
    wanted: ElementBox,
) {
    let own: HashSet<_> = elements(&owned.grown(to, sides, [0; 3]), sides)
        .into_iter()
        .collect();
    let mut seen = HashSet::new();
    for from in 0..partition.ranks() {
        let of_sender: HashSet<_> = elements(&owned.grown(from, sides, [0; 3]), sides)
            .into_iter()
            .collect();
        for piece in partition.pieces(owned, [from, to], sides, valid, [[0; 3]; 2]) {
            for at in elements(&piece, sides) {
                assert!(of_sender.contains(&at) && seen.insert(at), "{valid:?} {at:?}");
            }
        }
    }
    let wanted: HashSet<_> = elements(&wanted, sides).into_iter().collect();
    assert_eq!(seen, wanted.difference(&own).copied().collect(), "{valid:?}");
}
