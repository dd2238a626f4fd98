//! Stages and fields of a sparse grid: the buffers for its pages, and the stages of an update.

use std::iter::repeat_n;

use super::DraftContext;
use super::meaning::{Action, ActionKind, Meaning};
use crate::grid::{self, Layout, header};
use crate::ir::{
    Domain, Draft, FieldId, Home, Over, PageFields, Pipeline, Purpose, ResourceId, Role, Start, Update,
};

/// Adds the buffers of the pages of grid `name`.
pub fn page_fields(
    pipeline: &mut Pipeline,
    name: &str,
    layout: &Layout,
    latency: u32,
    max_blocks: u64,
) -> PageFields {
    let slots = u64::from(latency) + 1;
    let words = layout.numbers().div_ceil(32);
    let axes = axis_tables(layout);
    let mut field = |suffix: &str, length: u64| pipeline.add_words(&format!("{name}_{suffix}"), length);
    let fields = PageFields {
        axes: field("axes", axes.len() as u64),
        requests: field("requests", words),
        active: field("active", words),
        table: field("table", 2 * layout.numbers()),
        list: field("list", max_blocks),
        header: field("pages", header::WORDS),
        snapshot: field("snapshot", slots * words),
        changes: field("changes", slots * header::change_words(max_blocks)),
    };
    pipeline.fields[fields.axes].start = Start::words(&axes);
    pipeline.fields[fields.table].background = f64::from(grid::NO_PAGE);
    pipeline.fields[fields.snapshot].home = Home::HostReads;
    pipeline.fields[fields.changes].home = Home::HostWrites;
    fields
}

/// Bytes of the elements whose offsets are in the tables.
const WORD: u64 = 4;

/// For each coordinate, its contributions to the number of a block and to the index of a cell in the block: pairs for x,
/// then y, then z, each with one entry beyond both ends. Then, in the same order, its contribution to the offset of a word
/// in the memory of all blocks, in one word or, if offsets of all blocks do not fit in 32 bits, in two;
/// [`grid::MARGIN`] entries beyond both ends repeat that of the nearest coordinate inside.
fn axis_tables(layout: &Layout) -> Vec<u32> {
    let (mut tables, mut offsets) = (Vec::new(), Vec::new());
    let margin = grid::MARGIN as usize;
    let words = if layout.reserved_bytes() > u64::from(u32::MAX) {
        2
    } else {
        1
    };
    for axis in 0..3 {
        let parts: Vec<(u32, u32)> = (0..layout.cells[axis] as u32)
            .map(|at| {
                let mut cell = [0; 3];
                cell[axis] = at;
                (layout.block_of(cell), layout.cell_in_block(cell))
            })
            .collect();
        let offset = |(block, inside): (u32, u32)| {
            let offset = u64::from(block) * layout.block_bytes + u64::from(inside) * WORD;
            [offset as u32, (offset >> 32) as u32]
        };
        tables.extend([grid::OUTSIDE, 0]);
        tables.extend(parts.iter().flat_map(|(block, inside)| [*block, *inside]));
        tables.extend([grid::OUTSIDE, 0]);
        let ends = [parts.first(), parts.last()].map(|end| end.copied().unwrap_or_default());
        let entries = repeat_n(ends[0], margin)
            .chain(parts)
            .chain(repeat_n(ends[1], margin));
        offsets.extend(entries.flat_map(|entry| offset(entry).into_iter().take(words)));
    }
    tables.append(&mut offsets);
    tables
}

/// Replaces updates by stages.
pub(super) fn lower(meaning: &mut Meaning) {
    meaning.replace(|meaning, list, action, into| {
        let ActionKind::Update(grid) = action.kind else {
            return into.push(action);
        };
        let at = (list, action.every, &action.from);
        let drafts = meaning.engine(at, ("update", grid, ""), |pipeline, _, entry| {
            update(pipeline, grid, entry)
        });
        into.extend(
            drafts
                .into_iter()
                .map(|draft| Action::dispatch(draft, Vec::new(), action.every, &action.from)),
        );
    });
}

/// The stages of an update, in order.
fn update(pipeline: &Pipeline, grid: ResourceId, entry: DraftContext) -> Vec<Draft> {
    let resource = &pipeline.resources[grid];
    let Some(sparse) = resource.sparse() else {
        return Vec::new();
    };
    let pages = sparse.fields;
    let name = &resource.name;
    let words = sparse.layout.numbers().div_ceil(32);
    let over = |over: Over, size: u64| Domain {
        over,
        ..Domain::list(size, Some(grid))
    };
    let stage = |verb: &str, shader: &'static str, domain: Domain, purpose: Update| {
        let mut stage = entry.draft(format!("{verb}_{name}{}", entry.suffix), shader, domain);
        stage.name_resource("grid", grid);
        stage.purpose = Purpose::Update(purpose);
        stage.constants = vec![
            ("SLOTS".into(), f64::from(sparse.latency + 1)),
            ("BITMAP_WORDS".into(), words as f64),
            ("MAX_BLOCKS".into(), sparse.max_blocks as f64),
        ];
        stage
    };
    let reads = |stage: &mut Draft, fields: &[(Role, FieldId)]| {
        (fields.iter()).for_each(|(role, field)| stage.read_role(grid, *role, *field));
    };
    let writes = |stage: &mut Draft, fields: &[(Role, FieldId)]| {
        (fields.iter()).for_each(|(role, field)| stage.write_role(grid, *role, *field));
    };
    let counts = (Role::Header, pages.header);
    let changes = (Role::Changes, pages.changes);
    let requests = (Role::Requests, pages.requests);

    let elements = over(Over::Elements, words);
    let mut collect = stage("collect", "grid/collect.comp", elements, Update::Collects(grid));
    reads(&mut collect, &[requests, counts]);
    writes(&mut collect, &[requests, (Role::Snapshot, pages.snapshot)]);

    let of_header = over(Over::Elements, header::WORDS);
    let mut begin = stage("begin", "grid/begin.comp", of_header, Update::Applies(grid));
    reads(&mut begin, &[counts, changes]);
    writes(&mut begin, &[counts]);

    let changed = over(Over::Header(header::APPLY_GROUPS), 0);
    let mut apply = stage("apply", "grid/apply.comp", changed, Update::Continues(grid));
    reads(&mut apply, &[counts, changes]);
    writes(
        &mut apply,
        &[
            (Role::Active, pages.active),
            (Role::Table, pages.table),
            (Role::List, pages.list),
        ],
    );

    let fresh = over(Over::Header(header::FILL_GROUPS), 0);
    let mut fill = stage("fill", "grid/fill.comp", fresh, Update::Continues(grid));
    reads(&mut fill, &[counts, changes]);
    // The stage processes blocks as words, so that grids with the same layout share the kernel.
    for (number, channel) in sparse.channels.iter().enumerate() {
        fill.write(format!("channel_{number}"), *channel);
    }
    fill.whole_blocks = Some(grid);
    vec![collect, begin, apply, fill]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offset of a cell's word by the tables of offsets, of `words` words for each entry.
    fn offset(tables: &[u32], layout: &Layout, cell: [u32; 3], words: usize) -> u64 {
        let margin = grid::MARGIN as usize;
        let sides = layout.cells.map(|side| side as usize);
        let mut first = 2 * sides.iter().map(|side| side + 2).sum::<usize>();
        let mut sum = 0;
        for axis in 0..3 {
            let at = first + words * (margin + cell[axis] as usize);
            let high = if words == 2 { tables[at + 1] } else { 0 };
            sum += u64::from(tables[at]) | u64::from(high) << 32;
            first += words * (sides[axis] + 2 * margin);
        }
        assert_eq!(first, tables.len());
        sum
    }

    #[test]
    fn tables_of_offsets_lead_to_the_address_of_a_word() {
        // Blocks of 16 x 16 x 4 cells in a page each; with 17 layers of them, 2^16 pages, which are 4 GiB.
        for (cells, words) in [([64, 40, 24], 1), ([1024, 512, 64], 1), ([1024, 512, 65], 2)] {
            let layout = Layout::choose(cells, &[4; 16], 65536, Some([16, 16, 4])).unwrap();
            let tables = axis_tables(&layout);
            for part in 0..9 {
                let cell = std::array::from_fn(|axis| {
                    ((cells[axis] - 1) * (part * (axis as u64 + 1) % 9) / 8) as u32
                });
                let wanted = layout.address(u64::from(layout.block_of(cell)), 0, cell);
                assert_eq!(
                    offset(&tables, &layout, cell, words),
                    wanted,
                    "{cells:?}: {cell:?}"
                );
            }
        }
    }
}
