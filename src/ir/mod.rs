//! The intermediate form of a pipeline: every name looked up, every expression evaluated, every repeat unrolled.
//!
//! A *resource* is a lattice or a particle set with its *fields*. A *kernel* is a shader with its signature: it is
//! compiled once, with its own names, for all stages that use it. A *stage* is a use of a kernel: the fields for the
//! kernel's names, the domain, and how often it runs. The lists of a pipeline contain *invocations* of stages. The form
//! refers to the document by JSON pointers. Line numbers are in other modules, and so is everything that depends on a device.

mod argument;
mod block;
mod builder;
mod compare;
mod cut;
mod domain;
mod field;
mod ids;
mod instrument;
mod kernel;
mod list;
mod location;
mod measures;
mod output;
mod owners;
mod parameters;
mod pipeline;
mod reach;
mod reductions;
mod resource;
mod set_arguments;
mod sorted;
mod sources;
mod sparse;
mod stage;
mod swaps;
mod traffic;
mod unsorted;
mod worlds;

pub use argument::{ArgumentSource, constant, reference};
pub use block::{BLOCK_ALIGNMENT, BlockMember, CLOCK_BYTES, FAULT_BYTES, FAULT_STRIDE};
pub use builder::{Draft, Role};
pub use cut::{
    Cut, CutGrid, CutRequest, CutSet, Division, ElementBox, Held, Layout, Load, Neighbours, Partition,
    Planes, Runs, Share, Slots, Uncut, Valid, Whole, alternation_of, is_of_tiles, lacking, more, more_of,
    reason, rebalanced, width,
};
pub use domain::{Domain, GROUP_COUNTS, Over};
pub use field::{Field, HeightImage, Home, Start};
pub use ids::{FieldId, ResourceId, StageId};
pub use kernel::{
    Kernel, LocalChannel, LocalField, LocalMeasured, LocalPages, LocalPlace, LocalResource, LocalShape,
    LocalTile, MAX_GRIDS, MAX_RESOURCES, Marks, ShaderSource, Signature,
};
pub use list::List;
pub use location::{Border, Borders, Location};
pub use measures::*;
pub use output::{CheckpointPlan, Output};
pub use owners::{Alternation, MAX_PAIRS, Owners, Pairs};
pub use parameters::{Effect, Input, Parameter};
pub use pipeline::{Pipeline, World, gcd};
pub use reach::{Reach, Reaches};
pub use reductions::{LocalReduction, Operation, is_reducible, max_elements};
#[cfg(feature = "internals")]
pub use resource::GRID;
pub use resource::{
    Form, HEIGHTS, IMAGE, Lattice, Level, ParticleIdentity, ParticleSet, Placement, Resource, ResourceKind,
    TABLE,
};
pub use sorted::{Sorted, SortedCells};
pub use sources::*;
pub use sparse::*;
pub use stage::{
    BlockRuns, Completed, Invocation, Iteration, LineEnd, Lines, LoopLimit, Purpose, Stage, StatedShape,
    Tiles,
};
pub use swaps::Swaps;
pub use unsorted::Unsorted;
