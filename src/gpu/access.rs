//! Types of memory accesses of commands, and the one table from them to the stage and access masks of Vulkan.

use ash::vk;

use super::Queue;

pub use crate::access::Access;

impl Access {
    /// The table.
    fn masks(self) -> (vk::PipelineStageFlags2, vk::AccessFlags2) {
        use vk::{AccessFlags2 as A, PipelineStageFlags2 as S};
        match self {
            Access::ShaderRead => (S::COMPUTE_SHADER, A::SHADER_STORAGE_READ),
            Access::ShaderWrite => (S::COMPUTE_SHADER, A::SHADER_STORAGE_WRITE),
            Access::TransferRead => (S::ALL_TRANSFER, A::TRANSFER_READ),
            Access::TransferWrite => (S::ALL_TRANSFER, A::TRANSFER_WRITE),
            Access::IndirectRead => (S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ),
            Access::ConditionRead => (S::CONDITIONAL_RENDERING_EXT, A::CONDITIONAL_RENDERING_READ_EXT),
            Access::HostRead => (S::HOST, A::HOST_READ),
            Access::HostWrite => (S::HOST, A::HOST_WRITE),
        }
    }

    /// True if commands on this queue can have this access. The answer does not depend on the device: a device without
    /// a transfer queue would allow more and hide mistakes.
    pub fn fits(self, queue: Queue) -> bool {
        match self {
            Access::ShaderRead | Access::ShaderWrite | Access::IndirectRead | Access::ConditionRead => {
                matches!(queue, Queue::Compute | Queue::Output)
            }
            _ => queue != Queue::Sparse,
        }
    }
}

/// The four masks of one memory barrier, as raw Vulkan bits so that they can be compared and printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarrierMasks {
    pub src_stages: u64,
    pub src_access: u64,
    pub dst_stages: u64,
    pub dst_access: u64,
}

/// The barrier that orders every access of `dst` after every access of `src` and makes its writes visible.
///
/// Reads in `src` do not make memory available: they contribute their stage, because a write must wait for them, but no
/// access.
pub fn barrier_masks(src: &[Access], dst: &[Access]) -> BarrierMasks {
    let mut masks = BarrierMasks {
        src_stages: 0,
        src_access: 0,
        dst_stages: 0,
        dst_access: 0,
    };
    for access in src {
        let (stages, bits) = access.masks();
        masks.src_stages |= stages.as_raw();
        if access.writes() {
            masks.src_access |= bits.as_raw();
        }
    }
    for access in dst {
        let (stages, bits) = access.masks();
        masks.dst_stages |= stages.as_raw();
        masks.dst_access |= bits.as_raw();
    }
    masks
}

impl BarrierMasks {
    /// Orders everything before, including reads of the host, before everything after.
    pub(super) fn full() -> BarrierMasks {
        use vk::{AccessFlags2 as A, PipelineStageFlags2 as S};
        BarrierMasks {
            src_stages: S::ALL_COMMANDS.as_raw(),
            src_access: A::MEMORY_WRITE.as_raw(),
            // ALL_COMMANDS does not include the host; without HOST a download is not visible to the program.
            dst_stages: (S::ALL_COMMANDS | S::HOST).as_raw(),
            dst_access: (A::MEMORY_READ | A::MEMORY_WRITE).as_raw(),
        }
    }

    pub(super) fn to_vulkan(self) -> vk::MemoryBarrier2<'static> {
        vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::from_raw(self.src_stages))
            .src_access_mask(vk::AccessFlags2::from_raw(self.src_access))
            .dst_stage_mask(vk::PipelineStageFlags2::from_raw(self.dst_stages))
            .dst_access_mask(vk::AccessFlags2::from_raw(self.dst_access))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of the Vulkan specification, written out, to detect mistakes in the table.
    #[test]
    fn access_table_has_the_bits_of_the_specification() {
        const HOST: u64 = 0x4000;
        const TRANSFER: u64 = 0x1000;
        const COMPUTE: u64 = 0x800;
        const INDIRECT: u64 = 0x2;
        const CONDITION: u64 = 0x40000;
        let expected = [
            (Access::ShaderRead, COMPUTE, 1 << 33),
            (Access::ShaderWrite, COMPUTE, 1 << 34),
            (Access::TransferRead, TRANSFER, 0x800),
            (Access::TransferWrite, TRANSFER, 0x1000),
            (Access::IndirectRead, INDIRECT, 0x1),
            (Access::ConditionRead, CONDITION, 0x100000),
            (Access::HostRead, HOST, 0x2000),
            (Access::HostWrite, HOST, 0x4000),
        ];
        assert_eq!(expected.map(|(access, ..)| access), Access::ALL);
        for (access, stage, bits) in expected {
            let (stages, mask) = access.masks();
            assert_eq!((stages.as_raw(), mask.as_raw()), (stage, bits), "{access:?}");
            let after = barrier_masks(&[], &[access]);
            assert_eq!((after.dst_stages, after.dst_access), (stage, bits), "{access:?}");
        }
    }

    #[test]
    fn reads_before_a_barrier_set_stages_without_access_bits() {
        for access in Access::ALL {
            let before = barrier_masks(&[access], &[]);
            assert_ne!(before.src_stages, 0, "{access:?}");
            assert_eq!(before.src_access != 0, access.writes(), "{access:?}");
        }
    }

    #[test]
    fn accesses_are_merged_by_union() {
        let masks = barrier_masks(
            &[Access::ShaderRead, Access::ShaderWrite, Access::TransferWrite],
            &[Access::IndirectRead, Access::ShaderRead],
        );
        assert_eq!(
            masks,
            BarrierMasks {
                src_stages: 0x800 | 0x1000,
                src_access: (1 << 34) | 0x1000,
                dst_stages: 0x2 | 0x800,
                dst_access: 0x1 | (1 << 33),
            }
        );
    }

    #[test]
    fn transfer_queue_refuses_shader_access() {
        let refused: Vec<_> = Access::ALL
            .into_iter()
            .filter(|access| !access.fits(Queue::Transfer))
            .collect();
        assert_eq!(
            refused,
            [
                Access::ShaderRead,
                Access::ShaderWrite,
                Access::IndirectRead,
                Access::ConditionRead
            ]
        );
        assert!(
            Access::ALL
                .into_iter()
                .all(|access| access.fits(Queue::Compute) && access.fits(Queue::Output))
        );
    }
}
