use proptest::prelude::*;

use super::*;

fn choose(cells: [u64; 3], element_bytes: &[u64], page: u64) -> Layout {
    Layout::choose(cells, element_bytes, page, None).unwrap()
}

fn block(cells: [u64; 3], element_bytes: &[u64], page: u64) -> [u64; 3] {
    choose(cells, element_bytes, page)
        .block_log2
        .map(|log2| 1 << log2)
}

const LARGE: [u64; 3] = [1 << 10; 3];

#[test]
fn blocks_fill_pages_and_are_nearly_cubic() {
    assert_eq!(block(LARGE, &[4, 4], 65_536), [32, 16, 16]);
    assert_eq!(block(LARGE, &[4, 4, 4, 4], 65_536), [16, 16, 16]);
    assert_eq!(block(LARGE, &[4], 4096), [16, 8, 8]);
    assert_eq!(block(LARGE, &[4], 2 << 20), [128, 64, 64]);
    // Three quarters of one page are enough.
    assert_eq!(choose(LARGE, &[12], 65_536).block_bytes, 65_536);
    assert_eq!(block(LARGE, &[12], 65_536), [16, 16, 16]);
    // 20 bytes: 2048 cells use 5/8 of a page, as 4096 do of two; 8192 use 5/6 of three.
    assert_eq!(choose(LARGE, &[8, 12], 65_536).block_bytes, 3 * 65_536);
    assert_eq!(block(LARGE, &[8, 12], 65_536), [32, 16, 16]);
    // No block has fewer than 8 cells.
    assert_eq!(choose(LARGE, &[3600], 4096).block_bytes, 8 * 4096);
    assert_eq!(choose(LARGE, &[3200], 4096).block_bytes, 7 * 4096);
}

#[test]
fn blocks_do_not_exceed_the_domain() {
    assert_eq!(block([1000, 1000, 1], &[4, 4], 65_536), [128, 64, 1]);
    assert_eq!(block([1000, 7, 1000], &[4, 4], 65_536), [32, 8, 32]);
    assert_eq!(block([3, 5, 1 << 20], &[4, 4], 65_536), [4, 8, 256]);
    assert_eq!(block([1, 1, 1 << 20], &[4, 4], 65_536), [1, 1, 1024]);
    // A domain of fewer cells than a block; and of fewer than 8.
    let layout = choose([9, 3, 2], &[4, 4], 4096);
    assert_eq!(
        (layout.block_log2, layout.blocks, layout.block_bytes),
        ([4, 2, 1], [1; 3], 4096)
    );
    assert_eq!(block([1; 3], &[4, 8], 4096), [8, 1, 1]);
}

#[test]
fn sub_blocks_have_the_size_of_a_workgroup() {
    let layout = choose(LARGE, &[4, 4], 65_536);
    assert_eq!(
        (layout.sub_log2, layout.cells_per_sub_block(), layout.sub_blocks()),
        ([3, 3, 2], 256, 32)
    );
    let flat = Layout::choose(LARGE, &[4], 4096, Some([4, 4, 2])).unwrap();
    assert_eq!(
        (flat.sub_log2, flat.sub_blocks(), flat.block_bytes),
        ([2, 2, 1], 1, 4096)
    );
}

#[test]
fn invalid_layouts_are_refused_with_a_reason() {
    let error = |cells, bytes: &[u64], block| Layout::choose(cells, bytes, 65_536, block).unwrap_err();
    assert!(error(LARGE, &[4], Some([8, 8, 6])).contains("8 x 8 x 6 cells: its sides must be powers of two"));
    assert!(error(LARGE, &[4], Some([8, 8, 0])).contains("powers of two"));
    assert!(error(LARGE, &[4], Some([2048, 1, 1])).contains("at most 1024"));
    assert!(error(LARGE, &[4], Some([2, 2, 1])).contains("has 4 cells; the limits are 8 to 65536"));
    assert!(error(LARGE, &[4], Some([64, 64, 32])).contains("131072 cells; the limits are 8 to 65536"));
    assert!(error([0, 1, 1], &[4], None).contains("0 x 1 x 1"));
    assert!(error([1 << 32, 1, 1], &[4], None).contains("each side must have 1 to 2147483648"));
    assert!(error(LARGE, &[], None).contains("no bytes"));
    assert!(error(LARGE, &[4, 0], None).contains("no bytes"));
    assert!(error(LARGE, &[u64::MAX, 1], None).contains("too many"));
    assert!(error(LARGE, &[65_537], None).contains("a cell of 65537 bytes is too large"));
    assert!(
        error([1 << 20; 3], &[4], Some([8; 3])).contains("2^51"),
        "{}",
        error([1 << 20; 3], &[4], Some([8; 3]))
    );
    assert!(Layout::choose([1 << 14, 1 << 14, 1 << 12], &[8], 65_536, Some([8; 3])).is_ok());
    assert!(Layout::choose(LARGE, &[4], 3000, None).is_err());
}

#[test]
fn largest_address_space_does_not_overflow() {
    let cells = [1 << 20, 1 << 14, 1];
    let layout = Layout::choose(cells, &[1 << 28], 65_536, Some([8, 1, 1])).unwrap();
    assert_eq!(layout.reserved_bytes(), 1 << 62);
}

/// A domain of few cells, odd sides, channels and pages; with a block of its own or not.
fn small() -> impl Strategy<Value = Layout> {
    let side = || 1u64..40;
    let bytes = prop_oneof![Just(1u64), Just(2), Just(4), Just(8), Just(12), Just(16)];
    let channels = proptest::collection::vec(bytes, 1..5);
    let page = prop_oneof![Just(4096u64), Just(65_536), Just(2 << 20)];
    let block = proptest::option::of((0u32..5, 0u32..5, 0u32..5));
    ([side(), side(), side()], channels, page, block).prop_map(|(cells, channels, page, block)| {
        let block = block.map(|(x, y, z)| [8 << x >> 1, 1 << y, 2 << z]);
        Layout::choose(cells, &channels, page, block).unwrap()
    })
}

fn all_cells(layout: &Layout) -> impl Iterator<Item = [u32; 3]> + use<> {
    let [x, y, z] = layout.cells.map(|cells| cells as u32);
    (0..x * y * z).map(move |n| [n % x, n / x % y, n / (x * y)])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn elements_occupy_disjoint_bytes(layout in small()) {
        let mut taken = std::collections::HashMap::new();
        for cell in all_cells(&layout) {
            let number = layout.block_of(cell);
            prop_assert!(layout.contains(number));
            prop_assert_eq!(layout.cell_at(number, layout.cell_in_block(cell)), cell);
            let corner = layout.corner(number);
            for axis in 0..3 {
                prop_assert_eq!(corner[axis], cell[axis] >> layout.block_log2[axis] << layout.block_log2[axis]);
            }
            let page = taken.entry(number).or_insert_with(|| vec![false; layout.block_bytes as usize]);
            for (channel, bytes) in layout.element_bytes.iter().enumerate() {
                let address = layout.address(u64::from(number), channel, cell);
                let at = address.checked_sub(u64::from(number) * layout.block_bytes).unwrap();
                prop_assert!(at + bytes <= layout.block_bytes);
                prop_assert!(address.is_multiple_of(8.min(1 << bytes.trailing_zeros())));
                prop_assert!(at >= layout.channel_offset(channel));
                prop_assert!(at < layout.channel_offset(channel) + layout.cells_per_block() * bytes);
                for byte in at..at + bytes {
                    prop_assert!(!std::mem::replace(&mut page[byte as usize], true), "{:?} {}", cell, channel);
                }
            }
        }
        prop_assert_eq!(taken.len() as u64, layout.block_count());
        let contained = (0..layout.numbers() as u32).filter(|number| layout.contains(*number));
        prop_assert_eq!(contained.count() as u64, layout.block_count());
        prop_assert!(!layout.contains(layout.numbers() as u32) && !layout.contains(u32::MAX));
    }

    #[test]
    fn sub_blocks_are_boxes_of_equal_cell_count(layout in small()) {
        let count = layout.cells_per_sub_block();
        prop_assert_eq!(u64::from(layout.sub_blocks()) * u64::from(count), layout.cells_per_block());
        let number = layout.block_of(layout.cells.map(|cells| cells as u32 - 1));
        let mut seen = std::collections::HashSet::new();
        for place in 0..layout.cells_per_block() as u32 {
            let cell = layout.cell_at(number, place);
            prop_assert_eq!(layout.cell_in_block(cell), place);
            prop_assert!(seen.insert(cell));
            // x is fastest, and all are in the box that starts at the sub-block's first cell.
            let first = layout.cell_at(number, place / count * count);
            let [x, y, z] = std::array::from_fn(|axis| cell[axis] - first[axis]);
            let [ux, uy, _] = layout.sub_log2;
            prop_assert_eq!(x + (y << ux) + (z << (ux + uy)), place % count);
        }
    }

    #[test]
    fn page_count_follows_the_utilization_rule(bytes in 1u64..=4096, page in prop_oneof![Just(4096u64), Just(65_536)]) {
        let layout = choose(LARGE, &[bytes], page);
        let pages = layout.block_bytes / page;
        let used = |pages: u64| {
            let cells = (pages * page / bytes).checked_ilog2().map_or(0, |log2| 1 << log2);
            if cells < 8 { 0.0 } else { (cells * bytes) as f64 / (pages * page) as f64 }
        };
        prop_assert!(pages <= 8);
        prop_assert_eq!(used(pages), (layout.cells_per_block() * bytes) as f64 / layout.block_bytes as f64);
        if used(pages) < 0.75 {
            prop_assert!((1..=8).all(|other| used(other) <= used(pages)));
        }
        prop_assert!((1..pages).all(|fewer| used(fewer) < 0.75));
    }
}
