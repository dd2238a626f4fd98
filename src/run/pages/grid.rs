//! The blocks of a sparse grid on a device.

use std::collections::VecDeque;

use crate::gpu::{BufferKind, Gpu, GpuError, Recorder};
use crate::grid::{Addressing, CHUNK_BYTES, PageManager, Policy};
use crate::ir::{Paging, Pipeline, ResourceId, SparseGrid};
use crate::plan::paging::{self, Choice};
use crate::run::device::{abilities, device_class};
use crate::run::error::RunError;
use crate::workgroups::DeviceClass;

use super::{GridPages, Store, UpdateCost};

/// Bytes that are bound together: a bind costs time per range, not per byte.
const GRANULE_BYTES: u64 = 1 << 20;
/// Logarithm of the number of sub-blocks that a workgroup processes one after the other on a GPU.
const GPU_SUB_BLOCKS: u32 = 3;

impl GridPages {
    pub(super) fn new(
        gpu: &Gpu,
        pipeline: &Pipeline,
        id: ResourceId,
        grid: &SparseGrid,
    ) -> Result<GridPages, RunError> {
        let name = pipeline.resources[id].name.clone();
        let layout = &grid.layout;
        let Choice {
            paging, max_blocks, ..
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
            Paging::Table => Store::Whole(whole(format!("{name} pool"), max_blocks)?),
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
            budget_blocks: max_blocks,
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
            has_dropped: false,
            dropped: None,
            cost: UpdateCost::default(),
        })
    }

    pub(super) fn hold(&self, recorder: &mut Recorder) -> Result<(), GpuError> {
        match &self.store {
            Store::Sparse { buffer, .. } => recorder.hold_sparse(buffer),
            Store::Whole(buffer) => recorder.hold(buffer),
        }
    }

    pub(super) fn resident_bytes(&self) -> u64 {
        match &self.store {
            Store::Sparse { .. } => self.manager.resident_bytes(),
            Store::Whole(buffer) => buffer.size(),
        }
    }
}
