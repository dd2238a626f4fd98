//! Sparse grids on a device: the memory of their blocks, and the work of the host in their updates.
//!
//! An update reads the requests of stages, lets the page manager decide, binds pages, and passes the decision to later
//! stages. It runs while the device computes earlier steps; its duration does not affect results.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::gpu::{
    Bind, BindEntry, Buffer, BufferKind, Gpu, GpuError, PageMemory, Recorder, SparseBuffer, Timeline,
};
use crate::grid::{Addressing, BindRun, CHUNK_BYTES, Changes, PageManager, Policy, header};
use crate::ir::{DeviceClass, PageFields, Paging, Pipeline, ResourceId, SparseGrid};
use crate::plan::paging::{self, Choice};
use crate::shader::interface::{IN_TABLE, PER_GROUP};

use super::device::{abilities, device_class};
use super::error::RunError;
use super::host::Host;
use super::memory::Memory;
use super::probe::Probe;

mod blocks;

/// Bytes that are bound together: the cost of a bind is per range and not per byte.
const GRANULE_BYTES: u64 = 1 << 20;
/// Logarithm of the number of sub-blocks that a workgroup processes in turn on a GPU.
const GPU_SUB_BLOCKS: u32 = 3;

/// The sparse grids of a pipeline.
pub struct Pages {
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
    /// Decisions so far.
    updates: u64,
    /// Pending updates, with the value of the step lane at which the host can read their requests.
    collected: VecDeque<(u64, u64)>,
    collects: u64,
    /// The value of the step lane at which the last decision has taken effect.
    applied: u64,
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

/// Where blocks are.
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

impl Pages {
    pub fn new(gpu: &Gpu, pipeline: &Pipeline) -> Result<Pages, RunError> {
        let grids = (pipeline.sparse_grids()).map(|(id, grid)| GridPages::new(gpu, pipeline, id, grid));
        Ok(Pages {
            grids: grids.collect::<Result<_, _>>()?,
        })
    }

    fn of(&self, grid: ResourceId) -> Option<&GridPages> {
        self.grids.iter().find(|pages| pages.id == grid)
    }

    fn of_mut(&mut self, grid: ResourceId) -> Option<&mut GridPages> {
        self.grids.iter_mut().find(|pages| pages.id == grid)
    }

    /// Where the first block of a grid is.
    pub fn address(&self, grid: ResourceId) -> u64 {
        self.of(grid).map_or(0, |pages| pages.store.address())
    }

    /// Largest number of active blocks of a grid.
    pub fn most_blocks(&self, grid: ResourceId) -> u64 {
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
        memory: &Memory,
        at_once: bool,
        steps: &Timeline,
    ) -> Result<Option<(Timeline, u64)>, RunError> {
        match self.of_mut(grid) {
            Some(pages) => pages.update(host, probe, memory, at_once, steps),
            None => Ok(None),
        }
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

impl GridPages {
    fn new(gpu: &Gpu, pipeline: &Pipeline, id: ResourceId, grid: &SparseGrid) -> Result<GridPages, RunError> {
        let name = pipeline.resources[id].name.clone();
        let layout = &grid.layout;
        let Choice {
            paging, most_blocks, ..
        } = paging::choose(grid, &abilities(gpu.report())).map_err(|cause| {
            let help =
                "help: \"paging\": \"auto\" uses what the device supports, and `budget` limits the blocks";
            RunError::Failed(format!("grid `{name}`: {cause}\n  {help}"))
        })?;
        let whole =
            |name: String, blocks: u64| gpu.buffer(&name, blocks * layout.block_bytes, BufferKind::Device);
        let store = match paging {
            Paging::Sparse => {
                let buffer = gpu.sparse_buffer(&format!("{name} blocks"), layout.reserved_bytes())?;
                Store::Sparse {
                    buffer,
                    chunks: Vec::new(),
                    bound: gpu.timeline(&format!("pages of {name}"))?,
                    binds: 0,
                    leaving: Vec::new(),
                }
            }
            Paging::Table => Store::Whole(whole(format!("{name} pool"), most_blocks)?),
            _ => Store::Whole(whole(format!("{name} blocks"), layout.numbers())?),
        };
        let granule = match paging {
            Paging::Sparse => {
                let blocks = (GRANULE_BYTES / layout.block_bytes).max(1);
                (1 << blocks.ilog2()).min(layout.numbers())
            }
            _ => 1,
        };
        let sub_bits = layout.sub_blocks().ilog2();
        let per_group = match device_class(gpu) {
            DeviceClass::Gpu => GPU_SUB_BLOCKS.min(sub_bits),
            DeviceClass::Processor => sub_bits,
        };
        let policy = Policy {
            keep: grid.keep,
            persistent: grid.persistent,
            budget_blocks: most_blocks,
            when_full: grid.when_full,
            granule: granule as u32,
            chunk_bytes: CHUNK_BYTES,
        };
        let addressing = match paging {
            Paging::Table => Addressing::Table,
            _ => Addressing::Direct,
        };
        Ok(GridPages {
            id,
            name,
            manager: PageManager::new(layout, policy.clone(), addressing),
            policy,
            grid: grid.clone(),
            store,
            in_table: addressing == Addressing::Table,
            per_group,
            updates: 0,
            collected: VecDeque::new(),
            collects: 0,
            applied: 0,
            cost: UpdateCost::default(),
        })
    }

    fn hold(&self, recorder: &mut Recorder) -> Result<(), GpuError> {
        match &self.store {
            Store::Sparse { buffer, .. } => recorder.hold_sparse(buffer),
            Store::Whole(buffer) => recorder.hold(buffer),
        }
    }

    /// The requests for the next update, if any are due.
    fn due(&self, at_once: bool) -> Option<(u64, u64)> {
        let latency = if at_once { 0 } else { u64::from(self.grid.latency) };
        let oldest = self.collected.front().copied();
        oldest.filter(|(number, _)| number + latency <= self.updates)
    }

    fn update(
        &mut self,
        host: &Host,
        probe: &dyn Probe,
        memory: &Memory,
        at_once: bool,
        steps: &Timeline,
    ) -> Result<Option<(Timeline, u64)>, RunError> {
        probe.before_update(self.updates);
        let started = Instant::now();
        let PageFields {
            snapshot, changes, ..
        } = self.grid.fields;
        let slots = u64::from(self.grid.latency) + 1;
        let decided = match self.due(at_once) {
            Some((number, _)) => {
                self.collected.pop_front();
                let words = self.grid.layout.numbers().div_ceil(32) as usize;
                let from = (number % slots) as usize * words * 4;
                let bytes = &memory.field(snapshot, 0).bytes()?[from..from + words * 4];
                let requests: Vec<u32> = (bytes.chunks_exact(4))
                    .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                    .collect();
                self.manager.update(&requests).map_err(|full| RunError::Full {
                    grid: self.name.clone(),
                    wanted: full.wanted,
                    wanted_bytes: full.wanted * self.grid.layout.block_bytes,
                    holds: full.budget,
                    holds_bytes: full.budget * self.grid.layout.block_bytes,
                    active: full.active,
                })?
            }
            None => Changes::default(),
        };
        let slot = self.updates % slots;
        self.updates += 1;
        self.hand_over(memory.field(changes, 0), slot, &decided)?;
        self.cost = UpdateCost {
            activated: decided.activated.len() as u64,
            deactivated: decided.deactivated.len() as u64,
            decide_ms: 1e3 * started.elapsed().as_secs_f64(),
            ..UpdateCost::default()
        };
        let started = Instant::now();
        let bound = self.bind(&host.gpu, decided, Some(steps))?;
        if let Some((timeline, value)) = bound.as_ref().filter(|_| probe.times_binds()) {
            host.wait(timeline, *value, "a bind of pages")?;
            self.cost.bind_ms = 1e3 * started.elapsed().as_secs_f64();
        }
        Ok(bound)
    }

    /// Writes a decision where the device finds it.
    fn hand_over(&self, buffer: &Buffer, slot: u64, changes: &Changes) -> Result<(), GpuError> {
        let active = self.manager.active();
        let counts = [active.len(), changes.activated.len(), changes.deactivated.len()].map(|n| n as u64);
        let sub_blocks = u64::from(self.grid.layout.sub_blocks());
        let groups = sub_blocks >> self.per_group;
        let header = header::words(self.updates, counts, sub_blocks, groups);
        let first = slot * header::change_words(self.grid.most_blocks);
        let write = |word: u64, words: &[u32]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            buffer.write(4 * (first + word), &bytes)
        };
        write(0, &header)?;
        let pairs: Vec<u32> = changes
            .activated
            .iter()
            .flat_map(|(block, page)| [*block, *page])
            .collect();
        write(header::WORDS, &pairs)?;
        write(header::WORDS + 2 * self.grid.most_blocks, &changes.deactivated)?;
        if changes.activated.is_empty() && changes.deactivated.is_empty() {
            return Ok(());
        }
        write(header::WORDS + 3 * self.grid.most_blocks, active)
    }

    fn bind(
        &mut self,
        gpu: &Gpu,
        changes: Changes,
        steps: Option<&Timeline>,
    ) -> Result<Option<(Timeline, u64)>, RunError> {
        let Store::Sparse {
            buffer,
            chunks,
            bound,
            binds,
            leaving,
        } = &mut self.store
        else {
            return Ok(None);
        };
        for chunk in &changes.new_chunks {
            let chunk = *chunk as usize;
            chunks.resize_with(chunks.len().max(chunk + 1), || None);
            let bytes = self.manager.chunk_bytes(chunk as u32);
            chunks[chunk] = Some(gpu.page_memory(&format!("{} pages {chunk}", self.name), bytes, buffer)?);
        }
        let granule = self.manager.granule_bytes();
        let entry = |run: &BindRun| BindEntry {
            offset: u64::from(run.first_granule) * granule,
            bytes: u64::from(run.count) * granule,
            memory: run.memory.and_then(|(chunk, slot)| {
                let memory = chunks[chunk as usize].clone()?;
                Some((memory, u64::from(slot) * granule))
            }),
        };
        let entries: Vec<BindEntry> = changes.binds.iter().map(entry).collect();
        if *binds > 0 && bound.wait(*binds, Duration::ZERO)? {
            leaving.clear();
        }
        leaving.extend(
            changes
                .freed_chunks
                .iter()
                .filter_map(|chunk| chunks[*chunk as usize].take()),
        );
        if entries.is_empty() {
            return Ok(None);
        }
        *binds += 1;
        let waits: Vec<(Timeline, u64)> = match steps {
            Some(steps) if self.applied > 0 => vec![(steps.clone(), self.applied)],
            _ => Vec::new(),
        };
        let bind = Bind {
            buffer,
            entries: &entries,
        };
        gpu.bind(&waits, &[bind], &[(bound.clone(), *binds)])?;
        self.cost.entries = entries.len() as u64;
        self.cost.bound_bytes = entries.iter().map(|entry| entry.bytes).sum();
        Ok(Some((bound.clone(), *binds)))
    }

    fn resident_bytes(&self) -> u64 {
        match &self.store {
            Store::Sparse { .. } => self.manager.resident_bytes(),
            Store::Whole(buffer) => buffer.size(),
        }
    }
}
