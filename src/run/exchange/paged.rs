//! Channels of sparse grids in messages: kernels find their cells as those of stages do.

use crate::ir::Home;
use crate::plan::Want;
use crate::run::prepared::Prepared;

/// Bytes of a [`channel`].
pub const CHANNEL_BYTES: u64 = 40;

/// Returns true for a channel of a sparse grid.
pub fn is_paged(prepared: &Prepared, want: &Want) -> bool {
    prepared.pipeline.fields[want.at.0].home == Home::Pages
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
