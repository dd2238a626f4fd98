//! The intermediate form of a pipeline: every name looked up, every expression evaluated, every repeat unrolled.
//!
//! A *resource* is a lattice or a particle set with its *fields*. A *kernel* is a shader with its signature: it is
//! compiled once, with its own names, for all stages that use it. A *stage* is a use of a kernel: the fields for the
//! kernel's names, the domain, and how often it runs. The lists of a pipeline contain *invocations* of stages. The form
//! contains no places in texts and no sizes of devices.

mod block;
mod builder;
mod compare;
mod domain;
mod field;
mod ids;
mod instrument;
mod kernel;
mod list;
mod location;
mod measures;
mod output;
mod parameters;
mod pipeline;
mod reach;
mod reductions;
mod resource;
mod shape;
mod sources;
mod sparse;
mod stage;
mod swaps;

pub(crate) use block::{BLOCK_ALIGNMENT, CLOCK_BYTES, FAULT_BYTES, FAULT_STRIDE, Slot};
pub(crate) use builder::Draft;
pub(crate) use domain::{Domain, GROUP_COUNTS, Groups, Over};
pub(crate) use field::{Field, HeightImage, Home, Start};
pub(crate) use ids::{FieldId, ResourceId, StageId};
pub(crate) use kernel::{
    Kernel, LocalChannel, LocalField, LocalMeasured, LocalPages, LocalPlace, LocalResource, LocalShape,
    MOST_GRIDS, MOST_RESOURCES, Marks, ShaderSource, Signature,
};
pub(crate) use list::List;
pub(crate) use location::{Border, Borders, Location};
pub(crate) use measures::*;
pub(crate) use output::{CheckpointPlan, Output};
pub(crate) use parameters::{Effect, Input, Parameter, report_parameters};
pub(crate) use pipeline::{Pipeline, gcd};
pub(crate) use reach::Reach;
pub(crate) use reductions::{LocalReduction, Operation, is_reducible, most_elements};
pub(crate) use resource::{
    Form, GRID, HEIGHTS, IMAGE, Identity, Kind, Lattice, Level, Placement, Resource, Set, TABLE,
};
pub(crate) use shape::{DeviceClass, Shape, StatedShape};
pub(crate) use sources::*;
pub(crate) use sparse::*;
pub(crate) use stage::{Invocation, Iteration, LoopLimit, Purpose, Stage};
pub(crate) use swaps::Swaps;
