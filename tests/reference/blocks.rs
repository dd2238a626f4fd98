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

    /// Active sub-blocks of one block.
    pub fn sub_blocks_of_block(&self) -> usize {
        self.layout
            .as_ref()
            .map_or(0, |layout| layout.sub_blocks() as usize)
    }

    /// The cells of each active sub-block, x fastest, without those beyond the domain.
    pub fn sub_blocks(&self) -> Vec<Vec<[usize; 3]>> {
        let Some(layout) = &self.layout else {
            return Vec::new();
        };
        let cells = layout.cells_per_sub_block();
        let sub_block = |block: u32, part: u32| {
            let all = (part * cells..(part + 1) * cells).map(|place| layout.cell_at(block, place));
            all.map(|cell| cell.map(|c| c as usize))
                .filter(|cell| (0..3).all(|axis| cell[axis] < self.cells[axis]))
                .collect()
        };
        let blocks = self.blocks.iter();
        blocks
            .flat_map(|block| (0..layout.sub_blocks()).map(|part| sub_block(*block, part)))
            .collect()
    }
}
