//! Channels of sparse grids as arrays on the device.

use crate::gpu::{Buffer, BufferKind, Gpu};
use crate::ir::{FieldId, Pipeline};
use crate::shared_constants::device::MAX_GROUPS;

use super::super::built_in::built_in;
use super::super::error::RunError;
use super::super::host::Host;
use super::super::memory::fill_background;
use super::{GridPages, SparseGrids};

impl SparseGrids {
    /// Copies a channel into a buffer, x fastest, an array entry by entry in each plane; cells of inactive blocks get the
    /// background. Elements must be whole words. Waits for the copy.
    pub fn copy_channel(
        &self,
        host: &Host,
        pipeline: &Pipeline,
        field: FieldId,
        into: &Buffer,
    ) -> Result<(), RunError> {
        let channel = &pipeline.fields[field];
        let Some(pages) = self
            .of(channel.resource)
            .filter(|_| channel.element.bytes().is_multiple_of(4))
        else {
            let message = format!("`{}` cannot be copied on the device: read it", channel.name);
            return Err(RunError::Misuse(message));
        };
        let program = built_in(&host.gpu, "copy_channel", include_bytes!("../copy_channel.comp"))?;
        let batches = pages.batches();
        let places = pages.places(&host.gpu)?;
        let arguments: Result<Vec<Buffer>, RunError> = (batches.iter())
            .map(|blocks| pages.channel_copy(&host.gpu, pipeline, field, (&places, into), blocks))
            .collect();
        let arguments = arguments?;
        host.run_once("copy of a channel", |recorder| {
            fill_background(host, recorder, channel, into)?;
            recorder.full_barrier();
            pages.hold(recorder)?;
            recorder.hold(&places)?;
            for (block, blocks) in arguments.iter().zip(&batches) {
                recorder.hold(block)?;
                let count = blocks.len() as u32;
                let across = count.clamp(1, MAX_GROUPS);
                recorder.dispatch(&program, block.address(), [across, count.div_ceil(across), 1])?;
            }
            Ok(())
        })
    }
}

impl GridPages {
    /// The place in a block of each of its cells, x fastest.
    fn places(&self, gpu: &Gpu) -> Result<Buffer, RunError> {
        let layout = &self.grid.layout;
        let [nx, ny, nz] = layout.block_log2.map(|log2| 1u32 << log2);
        let cells = (0..nx * ny * nz).map(|i| [i % nx, i / nx % ny, i / (nx * ny)]);
        let bytes: Vec<u8> = cells
            .flat_map(|cell| layout.cell_in_block(cell).to_le_bytes())
            .collect();
        let buffer = gpu.buffer("places in a block", bytes.len() as u64, BufferKind::Upload)?;
        buffer.write(0, &bytes)?;
        Ok(buffer)
    }

    /// The argument block of `copy_channel.comp`.
    fn channel_copy(
        &self,
        gpu: &Gpu,
        pipeline: &Pipeline,
        field: FieldId,
        (places, into): (&Buffer, &Buffer),
        blocks: &[(u32, u32)],
    ) -> Result<Buffer, RunError> {
        let (layout, channel) = (&self.grid.layout, &pipeline.fields[field]);
        let number = self.grid.channels.iter().position(|known| *known == field);
        let addresses = [
            self.store.address(),
            into.address(),
            places.address(),
            layout.block_bytes,
        ];
        let mut bytes: Vec<u8> = addresses.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut words = vec![
            (layout.channel_offset(number.unwrap_or(0)) / 4) as u32,
            (channel.element.bytes() / 4) as u32,
            channel.entries() as u32,
            blocks.len() as u32,
        ];
        words.extend(layout.cells.map(|cells| cells as u32));
        words.extend(layout.block_log2.map(|log2| 1u32 << log2));
        for (block, page) in blocks {
            words.extend(layout.corner(*block));
            words.push(*page);
        }
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        let buffer = gpu.buffer("blocks of a channel", bytes.len() as u64, BufferKind::Upload)?;
        buffer.write(0, &bytes)?;
        Ok(buffer)
    }
}
