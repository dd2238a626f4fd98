//! Sparse grids on a device: the memory of their blocks, and the work of the host in their updates.
//!
//! An update reads the requests of stages, lets the page manager decide, binds pages, and passes the decision to later
//! stages. It runs while the device computes earlier steps; its duration does not affect results.

mod array;
mod blocks;
mod grid;
mod update;

use std::collections::VecDeque;

use crate::gpu::{Buffer, Gpu, GpuError, PageMemory, Recorder, SparseBuffer, Timeline};
use crate::grid::{PageManager, Policy};
use crate::ir::{Pipeline, ResourceId, SparseGrid};
use crate::shader::interface::{IN_TABLE, PER_GROUP};

use super::error::RunError;
use super::host::Host;
use super::memory::DeviceMemory;
use super::probe::Probe;

/// Unites the requests for blocks of a grid, by its name, with those of other ranks.
pub type Unite<'a> = dyn Fn(&str, &[u8]) -> Result<Vec<u8>, RunError> + 'a;

/// The sparse grids of a pipeline.
pub struct SparseGrids {
    grids: Vec<GridPages>,
}

struct GridPages {
    id: ResourceId,
    name: String,
    grid: SparseGrid,
    manager: PageManager,
    policy: Policy,
    store: Store,
    in_table: bool,
    /// Logarithm of the number of sub-blocks per workgroup.
    per_group: u32,
    /// Number of updates so far.
    updates: u64,
    /// Pending updates, with the value of the step lane at which the host can read their requests.
    collected: VecDeque<(u64, u64)>,
    collects: u64,
    /// The value of the step lane at which the last decision has taken effect.
    applied: u64,
    /// Requests beyond the budget were dropped before.
    has_dropped: bool,
    /// Requests that the last update dropped for the first time.
    dropped: Option<u64>,
    cost: UpdateCost,
}

/// The blocks of a sparse grid, and what its last update cost.
#[derive(Debug, Clone)]
pub struct PagesUsage {
    pub grid: String,
    pub active_blocks: u64,
    /// Memory that holds blocks.
    pub resident_bytes: u64,
    #[cfg(feature = "internals")]
    pub last: UpdateCost,
}

/// One update of a sparse grid.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(
    not(feature = "internals"),
    expect(dead_code, reason = "measurements of the engine read all of it")
)]
pub struct UpdateCost {
    pub activated: u64,
    pub deactivated: u64,
    /// Ranges in the bind, and bytes of all of them.
    pub entries: u64,
    pub bound_bytes: u64,
    /// The host's time to decide and hand over.
    pub decide_ms: f64,
    /// Time until the bind is done, if a probe requests it.
    pub bind_ms: f64,
}

/// The memory of blocks.
enum Store {
    /// Addresses for every block, memory for some.
    Sparse {
        buffer: SparseBuffer,
        chunks: Vec<Option<PageMemory>>,
        bound: Timeline,
        binds: u64,
        /// Memory to free, until it is unbound.
        leaving: Vec<PageMemory>,
    },
    /// Memory for every block; or for the blocks of the budget, with a table.
    Whole(Buffer),
}

impl SparseGrids {
    pub fn new(gpu: &Gpu, pipeline: &Pipeline) -> Result<SparseGrids, RunError> {
        let grids = (pipeline.sparse_grids()).map(|(id, grid)| GridPages::new(gpu, pipeline, id, grid));
        Ok(SparseGrids {
            grids: grids.collect::<Result<_, _>>()?,
        })
    }

    fn of(&self, grid: ResourceId) -> Option<&GridPages> {
        self.grids.iter().find(|pages| pages.id == grid)
    }

    fn of_mut(&mut self, grid: ResourceId) -> Option<&mut GridPages> {
        self.grids.iter_mut().find(|pages| pages.id == grid)
    }

    /// The address of the first block of a grid.
    pub fn address(&self, grid: ResourceId) -> u64 {
        self.of(grid).map_or(0, |pages| pages.store.address())
    }

    /// Largest number of active blocks of a grid.
    pub fn max_blocks(&self, grid: ResourceId) -> u64 {
        self.of(grid).map_or(0, |pages| pages.policy.budget_blocks)
    }

    /// The specialization constants of a grid that depend on the device, by their offsets.
    pub fn constants(&self, grid: ResourceId) -> [(u32, u32); 2] {
        let device = |pages: &GridPages| (u32::from(pages.in_table), pages.per_group);
        let (in_table, per_group) = self.of(grid).map(device).unwrap_or_default();
        [(IN_TABLE, in_table), (PER_GROUP, per_group)]
    }

    /// Keeps the blocks alive as long as a recording.
    pub fn hold(&self, recorder: &mut Recorder) -> Result<(), GpuError> {
        self.grids.iter().try_for_each(|pages| pages.hold(recorder))
    }

    /// Records the value that a submission with requests signals.
    pub fn collected(&mut self, grid: ResourceId, ticket: u64) {
        if let Some(pages) = self.of_mut(grid) {
            pages.collected.push_back((pages.collects, ticket));
            pages.collects += 1;
        }
    }

    /// Records the value that a submission which applies a decision signals.
    pub fn applied(&mut self, grid: ResourceId, ticket: u64) {
        if let Some(pages) = self.of_mut(grid) {
            pages.applied = ticket;
        }
    }

    /// The values of the step lane that the next update of a grid requires: one reached, one submitted.
    pub fn awaited(&self, grid: ResourceId, at_once: bool) -> (Option<u64>, u64) {
        let Some(pages) = self.of(grid) else {
            return (None, 0);
        };
        (pages.due(at_once).map(|(_, ticket)| ticket), pages.applied)
    }

    /// Decides the next update of a grid. Returns the bind of its pages, for which the submission that applies the
    /// decision must wait.
    pub fn update(
        &mut self,
        host: &Host,
        probe: &dyn Probe,
        grid: ResourceId,
        memory: &DeviceMemory,
        at_once: bool,
        steps: (&Timeline, &Unite),
    ) -> Result<Option<(Timeline, u64)>, RunError> {
        match self.of_mut(grid) {
            Some(pages) => pages.update(host, probe, memory, at_once, steps),
            None => Ok(None),
        }
    }

    /// The grid and the number of its requests, if an update has dropped some of them for the first time.
    pub fn take_first_drop(&mut self, grid: ResourceId) -> Option<(&str, u64)> {
        let pages = self.of_mut(grid)?;
        let blocks = pages.dropped.take()?;
        Some((&pages.name, blocks))
    }

    pub fn usage(&self) -> Vec<PagesUsage> {
        let usage = |pages: &GridPages| PagesUsage {
            grid: pages.name.clone(),
            active_blocks: pages.manager.active().len() as u64,
            resident_bytes: pages.resident_bytes(),
            #[cfg(feature = "internals")]
            last: pages.cost,
        };
        self.grids.iter().map(usage).collect()
    }
}

impl Store {
    fn address(&self) -> u64 {
        match self {
            Store::Sparse { buffer, .. } => buffer.address(),
            Store::Whole(buffer) => buffer.address(),
        }
    }
}
