//! The cells at whose multiples parts should end.

use super::super::ids::ResourceId;
use super::super::pipeline::Pipeline;
use super::super::stage::Stage;
use super::planes::{MIN_CELLS, lcm};
use super::shares;

impl Pipeline {
    /// The cells along each axis at whose multiples parts should end: those of boxes that reductions combine, of tiles and of
    /// sub-blocks, and of the coarsest level that is cut. Otherwise ranks exchange wider halos, or process parts of sub-blocks.
    pub(super) fn wanted_planes(
        &self,
        grids: &[ResourceId],
        cells: [u64; 3],
        parts: [usize; 3],
    ) -> [[u64; 3]; 3] {
        let levels = (self.resources.iter()).filter_map(|resource| resource.level());
        let of_grids = levels.filter(|level| grids.contains(&level.of));
        let coarsest = of_grids.map(|level| level.number).max().unwrap_or(0);
        let stages = || self.step.iter().map(|entry| &self.stages[entry.stage]);
        std::array::from_fn(|axis| {
            let tiles = stages().filter_map(|stage| stage.tiles.filter(|tiles| grids.contains(&tiles.grid)));
            let sides = tiles.map(|tiles| u64::from(tiles.per[axis]).min(cells[axis]));
            let sub_block = |id: &ResourceId| Some(1 << self.resources[*id].sparse()?.layout.sub_log2[axis]);
            let sides = sides.chain(grids.iter().filter_map(sub_block));
            // Rows of sorted particles belong to one part.
            let sorted = self.sorts_by(grids).filter(|cells| cells.slowest == axis);
            let sides = sides.chain(sorted.map(|cells| u64::from(cells.blocks[axis])));
            let thin = cells[axis] / parts[axis] as u64 / MIN_CELLS;
            let level = 1 << thin.max(1).ilog2().min(coarsest);
            let tile = sides.fold(1, lcm);
            let runs = stages().filter_map(|stage| stage.runs.filter(|runs| grids.contains(&runs.grid)));
            let reduced = runs.map(|runs| u64::from(runs.per[axis]).min(cells[axis]));
            [reduced.fold(tile, lcm), tile, level]
        })
    }

    /// The largest number of cells in x that an invocation of a stage over the grids processes.
    pub(super) fn largest_width(&self, grids: &[ResourceId]) -> u64 {
        let finest = |id: ResourceId| self.resources[id].level().map_or(id, |level| level.of);
        let is_over = |stage: &&Stage| {
            stage
                .domain
                .resource
                .is_some_and(|id| grids.contains(&finest(id)))
        };
        let over = self.stages.iter().filter(is_over);
        over.map(shares::width).max().unwrap_or(1)
    }
}
