//! Sparse grids: the layout of their blocks, and the settings of their updates.

use super::evaluate::all;
use super::file::{GridFile, GridKind, SparseFile};
use super::program::*;
use super::scope::Scope;
use crate::grid::{self, Layout, WhenFull};
use crate::ir::{Paging, Pipeline, SparseGrid};
use crate::lower::paging;

/// Maximum latency of requests in updates.
const MAX_LATENCY: u64 = 8;
/// Maximum sum of the cells along the three axes.
const MAX_COORDINATES: u64 = 1 << 22;
const DEFAULT_LATENCY: u64 = 1;
const DEFAULT_KEEP: u64 = 4;
const MAX_KEEP: u64 = 1_000_000;
/// The value of `keep` for blocks that are never deactivated.
const ALWAYS: &str = "always";

impl<'f> Program<'f> {
    /// The blocks of a sparse grid, laid out for the used channels.
    pub fn sparse(&self, decl: DeclId) -> Option<&Blocks> {
        let found = &self.decls[decl];
        let DeclKind::Grid(grid) = found.kind else {
            return None;
        };
        let file = grid.sparse.as_ref()?;
        found
            .blocks
            .get(|| self.with(Effect::Restart, || self.blocks(decl, grid, file)))
    }

    fn blocks(&self, decl: DeclId, grid: &GridFile, file: &SparseFile) -> Option<Blocks> {
        let found = &self.decls[decl];
        let size = self.size(decl)?;
        let name = &found.name;
        if grid.kind() != GridKind::Cells || size.axes != 3 {
            let message = format!("`{name}` is not a 3-D grid of cells, so it cannot be sparse");
            let help = "remove `sparse`, or add a third number to `cells`: 1 makes a layer";
            return self.refuse(&file.place, message, help);
        }
        let channels = found.channels.borrow();
        let used = channels.iter().map(|id| &self.channels[*id]);
        let used = used.filter(|channel| channel.is_used.get());
        let bytes = |channel: &Channel<'f>| {
            let entries = self.entries(channel)?.unwrap_or(1);
            Some(channel.element.bytes() * u64::from(entries))
        };
        let elements: Vec<u64> = used.map(bytes).collect::<Option<_>>()?;
        let cells = grid.cells.as_ref().map_or(&grid.place, |cells| cells.place());
        let scope = Scope::of(found.instance);
        let block = match &file.block {
            None => None,
            Some(numbers) => {
                let sides = self.numbers(&scope, numbers)?;
                self.check_length(sides.len(), 3, "a block", numbers.place())?;
                let side = |side: &f64| self.whole(*side, numbers.place(), 1, MAX_COORDINATES);
                let sides = all(sides.iter().map(side))?;
                Some([sides[0], sides[1], sides[2]])
            }
        };
        let layout = Layout::choose(size.elements, &elements, grid::PAGE_BYTES, block);
        let layout = layout.map_err(|cause| {
            let place = file.block.as_ref().map_or(cells, |block| block.place());
            let message = format!("grid `{name}`: {cause}");
            self.wrong(place, message, "choose other `cells` or another `block`");
        });
        let layout = layout.ok()?;
        if size.elements.iter().sum::<u64>() > MAX_COORDINATES {
            let message = format!("the sum of the cells along the three axes is more than {MAX_COORDINATES}");
            let help = "sparse grids have a table with one entry per coordinate";
            return self.refuse(cells, message, help);
        }
        let all = layout.block_count();
        let max_blocks = match &file.budget {
            None => all,
            Some(budget) => {
                let bytes = self.positive(&scope, budget)?;
                let blocks = (bytes / layout.block_bytes as f64) as u64;
                if blocks == 0 {
                    let needed = layout.block_bytes;
                    let message =
                        format!("{bytes} bytes are not enough for one block, which requires {needed}");
                    let help = "raise the budget, or choose a smaller `block`";
                    self.wrong(&budget.place, message, help);
                }
                blocks.clamp(1, all)
            }
        };
        Some(Blocks { layout, max_blocks })
    }

    /// A sparse grid of the pipeline, with the buffers of its pages; its channels are added later.
    pub fn sparse_grid(
        &self,
        pipeline: &mut Pipeline,
        decl: DeclId,
        file: &SparseFile,
    ) -> Option<Box<SparseGrid>> {
        let Blocks { layout, max_blocks } = self.sparse(decl)?.clone();
        let scope = Scope::of(self.decls[decl].instance);
        let persistent = file.keep.as_ref().and_then(|keep| keep.is_word(ALWAYS)) == Some(true);
        let keep = file.keep.as_ref().filter(|_| !persistent);
        let (latency, keep) = self.with(Effect::Restart, || {
            let latency = self.count_or(&scope, file.latency.as_ref(), DEFAULT_LATENCY, [0, MAX_LATENCY]);
            (latency, self.count_or(&scope, keep, DEFAULT_KEEP, [0, MAX_KEEP]))
        });
        let (latency, keep) = (latency? as u32, keep? as u32);
        let name = &self.decls[decl].name;
        let fields = paging::page_fields(pipeline, name, &layout, latency, max_blocks);
        Some(Box::new(SparseGrid {
            layout,
            paging: file.paging.unwrap_or(Paging::Auto),
            latency,
            keep,
            persistent,
            max_blocks,
            when_full: file.when_full.unwrap_or(WhenFull::Stop),
            budgeted: file.budget.is_some(),
            fields,
            channels: Vec::new(),
        }))
    }
}
