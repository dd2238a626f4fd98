//! The kinds of faults.

use crate::ir::Reach;
use crate::run::race::Race;

/// The kinds of faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    ReadOutside,
    WroteOutside,
    /// A write to a cell in an inactive block of a sparse grid, with the coordinates of the block.
    WroteInactive {
        block: [i64; 3],
    },
    /// An access to an entry beyond the `count` entries of an array.
    Entry {
        writes: bool,
        entry: i64,
        count: u32,
    },
    /// An access to several cells at once that does not begin at a multiple of their number.
    Unaligned {
        writes: bool,
    },
    /// An access farther from the own element than the kernel states.
    Beyond {
        writes: bool,
        reach: Reach,
    },
    /// An access to an entry that belongs to an element farther away than the kernel states.
    Foreign {
        writes: bool,
        entry: i64,
    },
    /// The bits of a length of an iteration that is not a number above 0.
    NoLength(u32),
    /// A number of workgroups in a buffer that exceeds the limits of devices.
    TooManyGroups(u32),
    Race(Race),
}
