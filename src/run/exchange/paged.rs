//! Channels of sparse grids in messages: kernels find their cells as those of stages do.

use crate::ir::{ElementBox, Home};
use crate::plan::Want;
use crate::run::prepared::Prepared;

/// Bytes of a [`channel`].
pub const CHANNEL_BYTES: u64 = 40;

/// Returns true for a channel of a sparse grid.
pub fn is_paged(prepared: &Prepared, want: &Want) -> bool {
    prepared.pipeline.fields[want.at.0].home == Home::Pages
}

/// Bytes of the units in which cells of a box of a channel are moved: several neighbours along x, if they are neighbours in memory
/// and in the message, or a part of an entry.
pub fn unit(prepared: &Prepared, want: &Want, area: &ElementBox) -> u32 {
    let grid = prepared.pipeline.sparse_of(want.at.0);
    let bytes = u64::from(want.layout.bytes);
    let in_row = grid.map_or(1, |grid| 1 << grid.layout.sub_log2[0]);
    // Neighbours are consecutive within sub-blocks.
    let lengths = [area.low[0], area.size[0], want.layout.sides[0], in_row].map(|cells| cells * bytes);
    unit_of(bytes, lengths) as u32
}

/// The unit of cells with so many bytes, where all lengths along x, in bytes, are multiples of several neighbours.
fn unit_of(bytes: u64, lengths: [u64; 4]) -> u64 {
    if 16u64.is_multiple_of(bytes) && lengths.iter().all(|length| length.is_multiple_of(16)) {
        return 16;
    }
    let is_part = |unit: &u64| bytes.is_multiple_of(*unit);
    [4, 2].into_iter().find(is_part).unwrap_or(1)
}

/// The place of a channel in the blocks of its sparse grid, as `Channel` in move_halos.comp. `None` for other fields.
pub fn channel(prepared: &Prepared, want: &Want) -> Option<Vec<u8>> {
    let (pipeline, field) = (&prepared.pipeline, want.at.0);
    let grid = pipeline.sparse_of(field).filter(|_| is_paged(prepared, want))?;
    let number = grid.channels.iter().position(|channel| *channel == field)?;
    let address = |of| prepared.memory.field(of, 0).address();
    let addresses = [
        prepared.pages.address(pipeline.fields[field].resource),
        address(grid.fields.axes),
        address(grid.fields.table),
    ];
    let layout = &grid.layout;
    let words = [
        layout.block_bytes,
        layout.channel_offset(number),
        layout.cells_per_block(),
        want.layout.bytes.into(),
    ];
    let mut bytes: Vec<u8> = (addresses.iter())
        .flat_map(|address| address.to_le_bytes())
        .collect();
    bytes.extend(words.iter().flat_map(|word| (*word as u32).to_le_bytes()));
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_moved_at_once_where_rows_allow_it() {
        assert_eq!(unit_of(4, [0, 1024, 1024, 32]), 16);
        assert_eq!(unit_of(1, [16, 32, 64, 16]), 16);
        // A part that begins or ends within a unit, and sub-blocks that are narrower.
        assert_eq!(unit_of(4, [8, 1024, 1024, 32]), 4);
        assert_eq!(unit_of(4, [0, 1000, 1024, 32]), 4);
        assert_eq!(unit_of(2, [0, 1024, 1024, 8]), 2);
        // Entries of three words.
        assert_eq!(unit_of(12, [0, 48, 96, 96]), 4);
    }
}
