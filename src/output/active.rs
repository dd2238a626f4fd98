//! The cells of the active blocks of a sparse grid.

use super::select::View;

impl View<'_> {
    /// True if a cell, counted from the first one of the view, is active.
    pub(super) fn is_active(&self, cell: [usize; 3]) -> bool {
        let (Some(bits), Some((_, layout))) = (&self.active, &self.content.active) else {
            return true;
        };
        let selection = &self.content.selection;
        let at = |axis: usize| selection.first[axis] + cell[axis] as u64 * selection.stride;
        let block = layout.block_of(std::array::from_fn(|axis| at(axis) as u32)) as usize;
        let word = bits.get(block / 32 * 4..block / 32 * 4 + 4);
        word.is_some_and(|word| {
            u32::from_ne_bytes([word[0], word[1], word[2], word[3]]) >> (block % 32) & 1 == 1
        })
    }

    /// Number of consecutive cells along x, up to `most`, that are all active or all inactive, from a multiple of it on.
    pub(super) fn active_run(&self, most: usize) -> usize {
        match (&self.content.active, self.content.selection.stride) {
            (None, _) => most,
            (Some((_, layout)), 1) if self.content.selection.first[0] == 0 => {
                most.min(1 << layout.block_log2[0])
            }
            _ => 1,
        }
    }
}
