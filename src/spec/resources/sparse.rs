//! Sparse grids: their layout, and how their blocks come and go.

use crate::grid::{self, Layout, WhenFull};
use crate::ir::*;
use crate::lower::paging;
use crate::problem::Problem;
use crate::problem::pointer_part;
use crate::spec::file::{
    ChannelFile, GridFile, PagesFile, PagingFile, StorageFile, UpdateFile, WhenFullFile,
};
use crate::spec::resolver::Resolver;

use super::MOST_ENTRIES;

/// Most updates that requests may take to come into effect.
const LONGEST_LATENCY: u32 = 8;
/// Most cells along the three axes together.
const MOST_COORDINATES: u64 = 1 << 22;
const DEFAULT_LATENCY: u32 = 1;
const DEFAULT_KEEP: u32 = 4;
const LONGEST_KEEP: u32 = 1_000_000;

impl Resolver<'_> {
    /// The buffers of a sparse grid's pages, which come before its channels; `None` for a dense grid.
    pub(in crate::spec) fn sparse_grid(
        &mut self,
        name: &str,
        file: &GridFile,
        size: [u64; 3],
    ) -> Option<Box<SparseGrid>> {
        let pointer = format!("/grids/{}/pages", pointer_part(name));
        if file.storage == StorageFile::Dense {
            if file.pages.is_some() {
                let problem = Problem::on_key(&pointer, format!("`{name}` is a dense grid and has no pages"));
                self.problems
                    .push(problem.help("add \"storage\": \"sparse\", or remove `pages`"));
            }
            return None;
        }
        let defaults = PagesFile::default();
        let pages = file.pages.as_ref().unwrap_or(&defaults);
        let elements: Vec<u64> = (file.channels.values())
            .map(|channel| match channel {
                ChannelFile::Element(element) => element.bytes(),
                // What is wrong with a count is told with its channel.
                ChannelFile::Full(full) => {
                    let count = full.count.as_ref().map(|count| self.scope.number(count, ""));
                    let count = count.and_then(Result::ok).unwrap_or(1.0);
                    full.element.bytes() * (count as u64).clamp(1, MOST_ENTRIES)
                }
            })
            .collect();
        let block = pages.block.map(|sides| sides.map(u64::from));
        let layout = match Layout::choose(size, &elements, grid::PAGE_BYTES, block) {
            Ok(layout) => layout,
            Err(cause) => {
                let at = match block {
                    Some(_) => format!("{pointer}/block"),
                    None => format!("/grids/{}/cells", pointer_part(name)),
                };
                let problem = Problem::new(at, format!("grid `{name}`: {cause}"));
                self.problems
                    .push(problem.help("choose other `cells` or another `block`"));
                return None;
            }
        };
        if size.iter().sum::<u64>() > MOST_COORDINATES {
            let message =
                format!("the sum of the cells along the three axes is more than {MOST_COORDINATES}");
            let problem = Problem::new(format!("/grids/{}/cells", pointer_part(name)), message);
            self.problems
                .push(problem.help("sparse grids have a table with one entry per coordinate"));
            return None;
        }
        let (latency, keep) = (
            pages.latency.unwrap_or(DEFAULT_LATENCY),
            pages.keep.unwrap_or(DEFAULT_KEEP),
        );
        for (key, value, most) in [
            ("latency", latency, LONGEST_LATENCY),
            ("keep", keep, LONGEST_KEEP),
        ] {
            if value > most {
                let problem = Problem::new(
                    format!("{pointer}/{key}"),
                    format!("{value} is not between 0 and {most}"),
                );
                self.problems.push(problem.help("it counts updates of the grid"));
            }
        }
        let all = layout.block_count();
        let most_blocks = match &pages.budget {
            None => all,
            Some(budget) => {
                let bytes = self.positive(budget, &format!("{pointer}/budget"))?;
                let blocks = (bytes / layout.block_bytes as f64) as u64;
                if blocks == 0 {
                    let message = format!(
                        "{bytes} bytes are not enough for one block, which requires {}",
                        layout.block_bytes
                    );
                    let problem = Problem::new(format!("{pointer}/budget"), message);
                    self.problems
                        .push(problem.help("raise the budget, or choose a smaller `block`"));
                }
                blocks.clamp(1, all)
            }
        };
        self.define(format!("{name}.most_blocks"), Some(most_blocks as f64));
        let sub_blocks = most_blocks as f64 * f64::from(layout.sub_blocks());
        self.define(format!("{name}.most_sub_blocks"), Some(sub_blocks));
        let latency = latency.min(LONGEST_LATENCY);
        let fields = paging::page_fields(&mut self.pipeline, name, &layout, latency, most_blocks);
        self.take_in("grids");
        Some(Box::new(SparseGrid {
            layout,
            paging: match pages.paging {
                PagingFile::Auto => Paging::Auto,
                PagingFile::Sparse => Paging::Sparse,
                PagingFile::Table => Paging::Table,
                PagingFile::Dense => Paging::Dense,
            },
            latency,
            keep,
            persistent: pages.persistent,
            most_blocks,
            when_full: match pages.when_full {
                WhenFullFile::Stop => WhenFull::Stop,
                WhenFullFile::Drop => WhenFull::Drop,
            },
            budgeted: pages.budget.is_some(),
            fields,
            channels: Vec::new(),
        }))
    }

    /// The grid that an update names.
    pub(in crate::spec) fn updated_grid(&mut self, file: &UpdateFile, pointer: &str) -> Option<ResourceId> {
        self.sparse_id(&file.update_grid, &format!("{pointer}/update_grid"))
    }

    /// Whether the file says that a grid is sparse, even if its pages cannot be as it says.
    pub(in crate::spec) fn is_meant_sparse(&self, name: &str) -> bool {
        let grid = self.file.grids.get(name);
        grid.is_some_and(|grid| grid.storage == StorageFile::Sparse)
    }

    /// Looks a sparse grid up by its name.
    pub(in crate::spec) fn sparse_id(&mut self, name: &str, pointer: &str) -> Option<ResourceId> {
        let found = self
            .pipeline
            .resources
            .iter()
            .position(|resource| resource.name == name);
        if let Some(id) = found.filter(|id| self.pipeline.resources[*id].sparse().is_some()) {
            return Some(id);
        }
        if self.is_meant_sparse(name) {
            // What is wrong with its pages has been reported.
            return None;
        }
        let problem = Problem::new(pointer, format!("`{name}` is not a sparse grid"));
        let sparse = (self
            .pipeline
            .resources
            .iter()
            .filter(|resource| resource.sparse().is_some()))
        .map(|grid| &*grid.name);
        self.problems.push(match found {
            Some(id) if self.pipeline.resources[id].is_grid() => {
                problem.help("add \"storage\": \"sparse\" to the grid")
            }
            _ => problem.help("name a sparse grid").suggest(name, sparse),
        });
        None
    }
}
