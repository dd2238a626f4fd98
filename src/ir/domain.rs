//! Domains of stages, and the number of workgroups for them.

use super::ids::{FieldId, ResourceId};
use super::shape::Shape;
use crate::grid::header;
use crate::shared_constants::device;

/// Largest number of workgroups in one dimension: every device supports it.
const MAX_GROUPS: u64 = device::MAX_GROUPS as u64;

/// The name in kernels of the field of [`Over::CountedGroups`]. Names in pipeline files never start with sg_.
pub const GROUP_COUNTS: &str = "sg_groups";

/// The elements for each of which a stage runs once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    /// Elements per axis; unused axes are 1.
    pub size: [u64; 3],
    /// Axes that the stage function sees: 1, 2 or 3.
    pub axes: u32,
    pub resource: Option<ResourceId>,
    pub over: Over,
    /// Elements of a list that one invocation processes.
    pub per_invocation: u32,
}

/// The kinds of elements of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Over {
    /// The elements of a lattice, or a number of elements.
    #[default]
    Elements,
    /// The cells of a sparse grid's active blocks, a workgroup per sub-block.
    ActiveCells,
    /// The list of a sparse grid's active blocks.
    ActiveBlocks,
    /// The sub-blocks of active blocks.
    SubBlocks,
    /// Workgroups, whose counts are these words of a sparse grid's header.
    Header(u32),
    /// The live particles of a dynamic set.
    Live,
    /// The newborn particles of a dynamic set.
    Newborn,
    /// Workgroups, for kernels whose invocations cooperate; the size of the domain is their number.
    Groups,
    /// Workgroups, whose counts the device computes in a field.
    CountedGroups(FieldId),
}

/// Workgroups of a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    Direct([u32; 3]),
    /// Three words at a byte offset of a field.
    Indirect {
        field: FieldId,
        offset: u64,
    },
}

impl Over {
    /// Index of the first workgroup count in the header of a sparse grid.
    pub fn words(self) -> Option<u32> {
        match self {
            Over::Elements | Over::Live | Over::Newborn | Over::Groups | Over::CountedGroups(_) => None,
            Over::ActiveCells => Some(header::CELL_GROUPS),
            Over::ActiveBlocks => Some(header::BLOCK_GROUPS),
            Over::SubBlocks => Some(header::SUB_BLOCK_GROUPS),
            Over::Header(word) => Some(word),
        }
    }
}

impl Domain {
    /// The elements of a lattice of this size.
    pub fn elements(size: [u64; 3], axes: u32, resource: Option<ResourceId>) -> Domain {
        Domain {
            size,
            axes,
            resource,
            over: Over::Elements,
            per_invocation: 1,
        }
    }

    /// A list of `length` elements.
    pub fn list(length: u64, resource: Option<ResourceId>) -> Domain {
        Domain {
            size: [length, 1, 1],
            axes: 1,
            resource,
            over: Over::Elements,
            per_invocation: 1,
        }
    }

    /// Workgroups per axis that cover the domain. The workgroups of a list are spread over x and y.
    pub fn groups(&self, shape: Shape) -> Result<[u32; 3], String> {
        if !matches!(self.over, Over::Elements | Over::Groups) {
            return Ok([1, 1, 1]);
        }
        let [x, y, z] = self.size;
        // In a domain of workgroups, each workgroup is one element, whatever its shape.
        let ([wx, wy, wz], cells_per_thread_z, vector_width) = match self.over {
            Over::Groups => ([1; 3], 1, 1),
            _ => (
                shape.workgroup.map(u64::from),
                u64::from(shape.cells_per_thread_z),
                u64::from(shape.vector_width),
            ),
        };
        let groups = match self.axes {
            1 => {
                let total = x.div_ceil(wx * u64::from(self.per_invocation));
                let across = total.min(MAX_GROUPS);
                [across, total.div_ceil(across), 1]
            }
            2 => [x.div_ceil(wx * vector_width), y.div_ceil(wy), 1],
            _ => [
                x.div_ceil(wx * vector_width),
                y.div_ceil(wy),
                z.div_ceil(wz * cells_per_thread_z),
            ],
        };
        if groups.iter().all(|n| *n <= MAX_GROUPS) {
            Ok(groups.map(|n| n as u32))
        } else {
            Err(format!(
                "its domain of {x} x {y} x {z} requires {} x {} x {} workgroups, but the limit is \
                 {MAX_GROUPS} per axis",
                groups[0], groups[1], groups[2]
            ))
        }
    }
}
