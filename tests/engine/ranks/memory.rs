//! Ranks hold what their stages access, and no more.

use std::collections::BTreeSet;

use sastrugi::ir::Layout;

use super::stencils::stencils;
use super::*;

fn cut(cells: &[u64], parts: [usize; 3], rank: usize) -> Pipeline {
    let mut pipeline = stencils(cells, "repeat");
    let request = CutRequest {
        parts: Some(parts),
        whole: Whole::None,
    };
    pipeline
        .cut(&request, rank, parts.iter().product())
        .unwrap_or_else(|uncut| panic!("{uncut:?}"));
    pipeline
}

/// The bytes of all entries of the elements near the part of a rank.
fn near(pipeline: &Pipeline, layout: &Layout, depth: u64) -> BTreeSet<u64> {
    let cut = pipeline.cut.as_ref().unwrap();
    let sides = layout.sides;
    let part = cut.partition.grown(cut.rank, sides, [depth; 3]);
    let mut bytes = BTreeSet::new();
    for z in 0..part.size[2] {
        for y in 0..part.size[1] {
            for x in 0..part.size[0] {
                let at = [x, y, z];
                let [x, y, z] = std::array::from_fn(|axis| (part.low[axis] + at[axis]) % sides[axis]);
                for entry in 0..u64::from(layout.entries) {
                    let element = ((z * u64::from(layout.entries) + entry) * sides[1] + y) * sides[0] + x;
                    let first = element * u64::from(layout.bytes);
                    bytes.extend(first..first + u64::from(layout.bytes));
                }
            }
        }
    }
    bytes
}

#[test]
fn held_bytes_are_those_near_the_part() {
    let mut partial = 0;
    for (parts, rank) in [([1, 1, 3], 0), ([1, 1, 3], 1), ([1, 2, 2], 3), ([2, 1, 2], 0)] {
        let pipeline = cut(&[9, 16, 21], parts, rank);
        // Stages read `a` up to two cells away from cells, `l` and `h` one, `n` three; `s` is written one cell beyond a part
        // that is one cell larger.
        for (name, depth) in [
            ("box.a", 2),
            ("box.b", 2),
            ("box.l", 1),
            ("box.h", 1),
            ("box.n", 3),
            ("box.s", 2),
        ] {
            let field = pipeline.field(name).unwrap();
            let layout = pipeline.layout_of(field);
            let ranges = pipeline
                .held_bytes(field)
                .unwrap_or_else(|| panic!("{name} is held whole"));
            assert!(
                ranges.windows(2).all(|pair| pair[0].end < pair[1].start),
                "{name}: {ranges:?}"
            );
            let held: BTreeSet<u64> = ranges.into_iter().flatten().collect();
            let wanted = near(&pipeline, &layout, depth);
            assert!(
                wanted.is_subset(&held),
                "{name} of rank {rank} of {parts:?} lacks bytes"
            );
            if parts[0] == 1 {
                assert_eq!(held, wanted, "{name} of rank {rank} of {parts:?}");
            }
            let all: u64 = layout.sides.iter().product::<u64>() * u64::from(layout.entries * layout.bytes);
            partial += usize::from((held.len() as u64) < all);
        }
    }
    assert!(partial > 12, "{partial}");
}

#[test]
fn ranks_with_parts_in_memory_have_the_bits_of_one() {
    let Some(gpu) = common::gpu() else { return };
    let page = gpu.sparse_granularity().unwrap();
    let pipeline = cut(&[64, 48, 64], [1, 1, 2], 0);
    let field = pipeline.field("box.l").unwrap();
    let held: u64 = (pipeline.held_bytes(field).unwrap().iter())
        .map(|range| range.end - range.start)
        .sum();
    assert!(
        held + 2 * page < pipeline.field_bytes(field),
        "no page of `box.l` is saved"
    );
    let pipeline = stencils(&[64, 48, 64], "repeat");
    let mut cuts = common::sweep(1, 3);
    for parts in [[1, 1, 2], [1, 2, 2], [2, 1, 2]] {
        if !cuts.skips() {
            assert_equal(&gpu, &pipeline, &[parts], &Setting::steps(2));
        }
    }
}

#[test]
fn buffers_take_memory_for_their_pages_alone() {
    let Some(gpu) = common::gpu() else { return };
    let page = gpu.sparse_granularity().unwrap();
    let bytes_of = |name: &str| -> u64 {
        let live = gpu.live_allocations();
        let named = live.iter().filter(|item| item.name == name);
        named.map(|item| item.bytes).sum()
    };
    let held = [page / 2..page / 2 + 1, 10 * page..12 * page];
    let buffer = gpu.partial_buffer("partial", 40 * page, &held).unwrap();
    assert_eq!((buffer.size(), bytes_of("partial")), (40 * page, 3 * page));
    // An ordinary buffer, because all of it is held.
    let all = [0..39 * page, 39 * page..40 * page];
    let whole = gpu.partial_buffer("whole", 40 * page, &all).unwrap();
    assert_eq!(bytes_of("whole"), 40 * page);
    drop((buffer, whole));
    assert_eq!(bytes_of("partial") + bytes_of("whole"), 0);
}
