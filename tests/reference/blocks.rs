//! Which cells of the air are active, and the lists of blocks and sub-blocks that stages run over.

use sastrugi::grid::Layout;

use super::Air;

impl Air {
    /// Makes these blocks the active ones, in this order.
    pub fn activate(&mut self, layout: Layout, blocks: Vec<u32>) {
        let mut is_active = vec![false; layout.numbers() as usize];
        blocks.iter().for_each(|block| is_active[*block as usize] = true);
        let active = self
            .all()
            .map(|cell| is_active[layout.block_of(cell.map(|c| c as u32)) as usize]);
        self.active = active.collect();
        self.inside = self.all().map(|cell| self.is_inside(cell)).collect();
        self.blocks = blocks;
        self.layout = Some(layout);
    }
}
