//! Contents of sparse grids, cell by cell, for tests, tools and checkpoints: whole blocks are copied between where
//! they are and a staging buffer, and taken apart on the host.

use crate::gpu::{BufferKind, Gpu};
use crate::spec::{FieldId, Pipeline};

use super::super::RunError;
use super::super::memory::run_once;
use super::super::programs::built_in;
use super::{GridPages, Pages};

/// Bytes copied at a time: fewer blocks than a dispatch has groups along one axis.
const BATCH_BYTES: u64 = 256 << 20;

impl Pages {
    /// A channel, x fastest; cells of inactive blocks hold the background.
    pub fn read(&self, gpu: &Gpu, pipeline: &Pipeline, field: FieldId) -> Result<Vec<u8>, RunError> {
        let Some(pages) = self.of(pipeline.fields[field].resource) else {
            return Ok(Vec::new());
        };
        let bits = pipeline.fields[field]
            .element
            .component_bits(pipeline.fields[field].background);
        let words = pipeline.field_bytes(field) / 4;
        let mut whole: Vec<u8> = bits.unwrap_or(0).to_le_bytes().repeat(words as usize);
        for blocks in pages.batches() {
            let mut bytes = pages.copy_out(gpu, &blocks)?;
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
        gpu: &Gpu,
        pipeline: &Pipeline,
        field: FieldId,
        whole: &[u8],
    ) -> Result<(), RunError> {
        let Some(pages) = self.of(pipeline.fields[field].resource) else {
            return Ok(());
        };
        for blocks in pages.batches() {
            let mut bytes = pages.copy_out(gpu, &blocks)?;
            pages.each_cell(pipeline, field, &blocks, |in_block, in_field, size| {
                bytes[in_block..in_block + size].copy_from_slice(&whole[in_field..in_field + size]);
            });
            pages.copy_in(gpu, &blocks, &bytes)?;
        }
        Ok(())
    }
}

impl GridPages {
    /// Active blocks with their pages, a batch at a time.
    fn batches(&self) -> Vec<Vec<(u32, u32)>> {
        let most = (BATCH_BYTES / self.grid.layout.block_bytes).max(1) as usize;
        let paged = |block: &u32| Some((*block, self.manager.page(*block)?));
        let active: Vec<(u32, u32)> = self.manager.active().iter().filter_map(paged).collect();
        active.chunks(most).map(<[_]>::to_vec).collect()
    }

    /// Calls with the offset in copied blocks, the offset in the field, and the bytes of each cell.
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
        let size = pipeline.fields[field].element.bytes();
        let [nx, ny, nz] = layout.cells;
        let sides = layout.block_log2.map(|log2| 1u32 << log2);
        for (position, (block, _)) in blocks.iter().enumerate() {
            let corner = layout.corner(*block);
            for z in corner[2]..(corner[2] + sides[2]).min(nz as u32) {
                for y in corner[1]..(corner[1] + sides[1]).min(ny as u32) {
                    for x in corner[0]..(corner[0] + sides[0]).min(nx as u32) {
                        let in_block = layout.address(position as u64, channel, [x, y, z]);
                        let in_field = ((u64::from(z) * ny + u64::from(y)) * nx + u64::from(x)) * size;
                        visit(in_block as usize, in_field as usize, size as usize);
                    }
                }
            }
        }
    }

    fn copy_out(&self, gpu: &Gpu, blocks: &[(u32, u32)]) -> Result<Vec<u8>, RunError> {
        let bytes = blocks.len() as u64 * self.grid.layout.block_bytes;
        let staging = gpu.buffer("blocks read back", bytes, BufferKind::Download)?;
        self.copy(gpu, blocks, staging.address(), true, |recorder| {
            recorder.hold(&staging)
        })?;
        Ok(staging.bytes()?.to_vec())
    }

    fn copy_in(&self, gpu: &Gpu, blocks: &[(u32, u32)], bytes: &[u8]) -> Result<(), RunError> {
        let staging = gpu.buffer("blocks to write", bytes.len() as u64, BufferKind::Upload)?;
        staging.write(0, bytes)?;
        self.copy(gpu, blocks, staging.address(), false, |recorder| {
            recorder.hold(&staging)
        })
    }

    fn copy(
        &self,
        gpu: &Gpu,
        blocks: &[(u32, u32)],
        staging: u64,
        out: bool,
        hold: impl FnOnce(&mut crate::gpu::Recorder) -> Result<(), crate::gpu::GpuError>,
    ) -> Result<(), RunError> {
        let kernel = built_in(gpu, "copy_blocks", include_bytes!("copy_blocks.comp"))?;
        let mut arguments: Vec<u8> = Vec::new();
        let words = (self.grid.layout.block_bytes / 4) as u32;
        arguments.extend(self.store.address().to_le_bytes());
        arguments.extend(staging.to_le_bytes());
        arguments.extend(words.to_le_bytes());
        arguments.extend(u32::from(out).to_le_bytes());
        arguments.extend(blocks.iter().flat_map(|(_, page)| page.to_le_bytes()));
        let buffer = gpu.buffer("copied blocks", arguments.len() as u64, BufferKind::Upload)?;
        buffer.write(0, &arguments)?;
        let groups = blocks.len() as u32;
        run_once(gpu, "copy blocks", |recorder| {
            self.hold(recorder)?;
            hold(recorder)?;
            recorder.hold(&buffer)?;
            recorder.dispatch(&kernel, buffer.address(), [groups, 1, 1])
        })
    }
}
