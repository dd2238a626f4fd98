//! Domains of stages.

use super::ids::{FieldId, ResourceId};
use crate::grid::header;

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

impl Over {
    /// Returns true if the device counts the workgroups.
    pub fn is_counted(self) -> bool {
        !matches!(self, Over::Elements | Over::Groups)
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

    /// Returns true for a list of elements or particles, whose invocations do not cooperate. The device counts the
    /// workgroups of blocks.
    pub fn is_list(&self) -> bool {
        self.axes == 1 && matches!(self.over, Over::Elements | Over::Live | Over::Newborn)
    }
}
