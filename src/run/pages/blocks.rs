//! Contents of sparse grids, cell by cell, for tests, tools and checkpoints. Whole blocks are copied between their
//! memory and a staging buffer, and the host separates the channels.

use crate::gpu::{Buffer, BufferKind, ComputePipeline, Gpu, GpuError, Recorder};
use crate::grid::{Addressing, PageManager};
use crate::ir::{FieldId, Pipeline};
use crate::shared_constants::device::MAX_GROUPS;

use super::super::built_in::built_in;
use super::super::error::RunError;
use super::super::host::Host;
use super::super::simulation::staging::StagingMemory;
use super::super::state::{GridState, PartContents, SimulationState, StatePart};
use super::{GridPages, SparseGrids, Store};

/// Bytes copied at a time.
const BATCH_BYTES: u64 = 256 << 20;

impl SparseGrids {
    /// A channel, x fastest; cells of inactive blocks have the background.
    pub fn read(&self, host: &Host, pipeline: &Pipeline, field: FieldId) -> Result<Vec<u8>, RunError> {
        let Some(pages) = self.of(pipeline.fields[field].resource) else {
            return Ok(Vec::new());
        };
        let channel = &pipeline.fields[field];
        let component = channel.element.component_bytes(channel.background);
        let mut whole = component.repeat(pipeline.field_bytes(field) as usize / component.len());
        for blocks in pages.batches() {
            let mut bytes = pages.copy_out(host, &blocks)?;
            pages.each_cell(pipeline, field, &blocks, |in_block, in_field, size| {
                whole[in_field..in_field + size].copy_from_slice(&bytes[in_block..in_block + size]);
            });
            bytes.clear();
        }
        Ok(whole)
    }

    /// Replaces a channel in the active blocks.
    pub fn write(
        &self,
        host: &Host,
        pipeline: &Pipeline,
        field: FieldId,
        whole: &[u8],
    ) -> Result<(), RunError> {
        let Some(pages) = self.of(pipeline.fields[field].resource) else {
            return Ok(());
        };
        for blocks in pages.batches() {
            let mut bytes = pages.copy_out(host, &blocks)?;
            pages.each_cell(pipeline, field, &blocks, |in_block, in_field, size| {
                bytes[in_block..in_block + size].copy_from_slice(&whole[in_field..in_field + size]);
            });
            pages.copy_in(host, &blocks, &bytes)?;
        }
        Ok(())
    }
}

impl GridPages {
    /// Active blocks with their pages, in portions.
    pub(super) fn batches(&self) -> Vec<Vec<(u32, u32)>> {
        let most = (BATCH_BYTES / self.grid.layout.block_bytes).max(1) as usize;
        let paged = |block: &u32| Some((*block, self.manager.page(*block)?));
        let active: Vec<(u32, u32)> = self.manager.active().iter().filter_map(paged).collect();
        active.chunks(most).map(<[_]>::to_vec).collect()
    }

    /// Calls a function for each cell and array entry, with the offset in copied blocks, the offset in the field, and
    /// the number of bytes.
    fn each_cell(
        &self,
        pipeline: &Pipeline,
        field: FieldId,
        blocks: &[(u32, u32)],
        mut visit: impl FnMut(usize, usize, usize),
    ) {
        let layout = &self.grid.layout;
        let channel = self
            .grid
            .channels
            .iter()
            .position(|channel| *channel == field)
            .unwrap_or(0);
        let found = &pipeline.fields[field];
        let (size, entries) = (found.element.bytes(), found.entries());
        let first = layout.channel_offset(channel);
        let [nx, ny, nz] = layout.cells;
        let sides = layout.block_log2.map(|log2| 1u32 << log2);
        for (position, (block, _)) in blocks.iter().enumerate() {
            let corner = layout.corner(*block);
            for z in corner[2]..(corner[2] + sides[2]).min(nz as u32) {
                for y in corner[1]..(corner[1] + sides[1]).min(ny as u32) {
                    for x in corner[0]..(corner[0] + sides[0]).min(nx as u32) {
                        let in_block = u64::from(layout.cell_in_block([x, y, z]));
                        let in_field = (u64::from(z) * ny + u64::from(y)) * nx + u64::from(x);
                        for entry in 0..entries {
                            let in_block = position as u64 * layout.block_bytes
                                + first
                                + (entry * layout.cells_per_block() + in_block) * size;
                            let in_field = found.place_of_entry(layout.cells, entry, in_field) * size;
                            visit(in_block as usize, in_field as usize, size as usize);
                        }
                    }
                }
            }
        }
    }

    fn copy_out(&self, host: &Host, blocks: &[(u32, u32)]) -> Result<Vec<u8>, RunError> {
        let staging = self.staging(&host.gpu, blocks, BufferKind::Download)?;
        self.copy(host, blocks, &staging, true)?;
        Ok(staging.bytes()?.to_vec())
    }

    fn copy_in(&self, host: &Host, blocks: &[(u32, u32)], bytes: &[u8]) -> Result<(), RunError> {
        let staging = self.staging(&host.gpu, blocks, BufferKind::Upload)?;
        staging.write(0, bytes)?;
        self.copy(host, blocks, &staging, false)
    }

    fn staging(&self, gpu: &Gpu, blocks: &[(u32, u32)], kind: BufferKind) -> Result<Buffer, RunError> {
        let bytes = blocks.len() as u64 * self.grid.layout.block_bytes;
        Ok(gpu.buffer(&format!("{} copied blocks", self.name), bytes, kind)?)
    }

    /// Copies blocks and waits for the copy.
    fn copy(&self, host: &Host, blocks: &[(u32, u32)], staging: &Buffer, out: bool) -> Result<(), RunError> {
        let kernel = kernel(&host.gpu)?;
        let copy = self.block_copy(&host.gpu, blocks, staging.clone(), out)?;
        host.run_once("copy blocks", |recorder| {
            self.hold(recorder)?;
            copy.record(recorder, &kernel)
        })
    }

    fn block_copy(
        &self,
        gpu: &Gpu,
        blocks: &[(u32, u32)],
        staging: Buffer,
        out: bool,
    ) -> Result<BlockCopy, RunError> {
        let mut arguments: Vec<u8> = Vec::new();
        arguments.extend(self.store.address().to_le_bytes());
        arguments.extend(staging.address().to_le_bytes());
        let words = (self.grid.layout.block_bytes / 4) as u32;
        for word in [words, u32::from(out), blocks.len() as u32] {
            arguments.extend(word.to_le_bytes());
        }
        arguments.extend(blocks.iter().flat_map(|(_, page)| page.to_le_bytes()));
        let buffer = gpu.buffer(
            "numbers of copied blocks",
            arguments.len() as u64,
            BufferKind::Upload,
        )?;
        buffer.write(0, &arguments)?;
        Ok(BlockCopy {
            arguments: buffer,
            staging,
            blocks: blocks.len() as u32,
        })
    }

    fn paging(&self) -> &'static str {
        match (&self.store, self.in_table) {
            (Store::Sparse { .. }, _) => "sparse",
            (Store::Whole(_), true) => "table",
            (Store::Whole(_), false) => "dense",
        }
    }

    fn state(&self) -> GridState {
        GridState {
            grid: self.name.clone(),
            paging: self.paging().to_string(),
            updates: self.updates,
            collects: self.collects,
            pending: self.collected.iter().map(|(number, _)| *number).collect(),
            manager: self.manager.state(),
        }
    }

    fn restore(&mut self, host: &Host, state: &SimulationState) -> Result<(), RunError> {
        let name = self.name.clone();
        let wrong = |cause: String| RunError::Failed(format!("the state of grid `{name}`: {cause}"));
        let found = state.grids.iter().find(|grid| grid.grid == name);
        let found = found.ok_or_else(|| wrong("there is none".into()))?;
        if found.paging != self.paging() {
            return Err(wrong(format!(
                "it was made with {} paging, but this device and pipeline use {}",
                found.paging,
                self.paging()
            )));
        }
        let mode = if self.in_table {
            Addressing::Table
        } else {
            Addressing::Direct
        };
        let layout = &self.grid.layout;
        let (manager, changes) =
            PageManager::restore(layout, self.policy.clone(), mode, &found.manager).map_err(&wrong)?;
        self.manager = manager;
        (self.updates, self.collects) = (found.updates, found.collects);
        // Requests in the state have already been collected.
        self.collected = found.pending.iter().map(|number| (*number, 0)).collect();
        if let Some((bound, value)) = self.bind(&host.gpu, changes, None)? {
            host.wait(&bound, value, "a bind of pages")?;
        }
        for (number, blocks) in self.batches().into_iter().enumerate() {
            let bytes = blocks.len() as u64 * self.grid.layout.block_bytes;
            self.copy_in(host, &blocks, state.part(&part_name(&self.name, number), bytes)?)?;
        }
        Ok(())
    }
}

/// A copy of whole blocks between pages and a staging buffer.
struct BlockCopy {
    arguments: Buffer,
    staging: Buffer,
    blocks: u32,
}

impl BlockCopy {
    fn record(&self, recorder: &mut Recorder, kernel: &ComputePipeline) -> Result<(), GpuError> {
        recorder.hold(&self.arguments)?;
        recorder.hold(&self.staging)?;
        let across = self.blocks.min(MAX_GROUPS);
        let groups = [across, self.blocks.div_ceil(across.max(1)), 1];
        recorder.dispatch(kernel, self.arguments.address(), groups)
    }
}

/// Copies of the active blocks of all grids to staging memory.
pub struct BlockCopies {
    kernel: ComputePipeline,
    copies: Vec<(String, BlockCopy)>,
}

impl BlockCopies {
    pub fn record(&self, recorder: &mut Recorder) -> Result<(), GpuError> {
        self.copies
            .iter()
            .try_for_each(|(_, copy)| copy.record(recorder, &self.kernel))
    }

    pub fn into_parts(self) -> impl Iterator<Item = StatePart> {
        self.copies.into_iter().map(|(name, copy)| StatePart {
            name,
            contents: PartContents::Staged(copy.staging),
            live: None,
        })
    }
}

fn part_name(grid: &str, batch: usize) -> String {
    format!("{grid} blocks {batch}")
}

fn kernel(gpu: &Gpu) -> Result<ComputePipeline, RunError> {
    built_in(gpu, "copy_blocks", include_bytes!("copy_blocks.comp"))
}

impl SparseGrids {
    /// The state of every grid that the host holds.
    pub fn states(&self) -> Vec<GridState> {
        self.grids.iter().map(GridPages::state).collect()
    }

    /// The copies of all active blocks to staging memory; `None` without sparse grids.
    pub fn copies_out(&self, gpu: &Gpu, memory: &mut StagingMemory) -> Result<Option<BlockCopies>, RunError> {
        if self.grids.is_empty() {
            return Ok(None);
        }
        let mut copies = Vec::new();
        for pages in &self.grids {
            for (number, blocks) in pages.batches().into_iter().enumerate() {
                let name = part_name(&pages.name, number);
                let bytes = blocks.len() as u64 * pages.grid.layout.block_bytes;
                let staging = memory.buffer(gpu, &name, bytes)?;
                let copy = pages.block_copy(gpu, &blocks, staging, true)?;
                copies.push((name, copy));
            }
        }
        Ok(Some(BlockCopies {
            kernel: kernel(gpu)?,
            copies,
        }))
    }

    /// Restores the state of empty grids.
    pub fn restore(&mut self, host: &Host, state: &SimulationState) -> Result<(), RunError> {
        self.grids
            .iter_mut()
            .try_for_each(|pages| pages.restore(host, state))
    }
}
