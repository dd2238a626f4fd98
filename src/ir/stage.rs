//! Stages: uses of kernels.

use std::sync::Arc;

use super::argument::ArgumentSource;
use super::domain::{Domain, Over};
use super::ids::{FieldId, KernelId, ResourceId, StageId};
use super::list::List;
use super::sparse::Update;

/// A kernel over a domain, with the fields for its names.
#[derive(Debug, Clone)]
pub struct Stage {
    pub name: String,
    pub kernel: KernelId,
    /// The resource for each local resource of the kernel's signature.
    pub resources: Vec<ResourceId>,
    /// The field behind each local field.
    pub bindings: Vec<FieldId>,
    /// Fields that it reads and writes, each listed once, even if the kernel has several names for them.
    pub(super) reads: Vec<FieldId>,
    pub(super) writes: Vec<FieldId>,
    pub domain: Domain,
    /// The tiles of a dense grid that its workgroups process: of a kernel that states a tile, or of the first level of a
    /// reduction.
    pub tiles: Option<Tiles>,
    /// The cells of a sparse grid that it reduces, as the first level of a reduction.
    pub runs: Option<BlockRuns>,
    /// The lines of a grid that its workgroups transform.
    pub lines: Option<Box<Lines>>,
    /// If it cannot be cut, every rank may run it whole on gathered fields, as its kernel states.
    pub may_run_whole: bool,
    /// Over particles that are sorted by cell: it reads those of cells so many away.
    pub neighbours: Option<u32>,
    /// The set whose particles its workgroups divide among them.
    pub shares: Option<ResourceId>,
    /// It writes the copies of rings that it finds, though it writes all values in every step.
    pub in_place: bool,
    /// The change of a set that ends with it.
    pub completes: Option<Completed>,
    pub stated: StatedShape,
    /// Values of specialization constants.
    pub constants: Vec<(String, f64)>,
    /// Runs in every n-th step or frame.
    pub every: u32,
    /// The first step or frame in which it runs, counted from 0.
    pub first: u32,
    /// The stage runs only while the first elements of these `uint` buffers are not 0, which the device tests. They are
    /// the conditions of the enclosing repeats with `while`, outermost first.
    pub conditions: Vec<FieldId>,
    /// The field with its clock: the clock of the innermost enclosing repeat that sub-cycles the step. `None` for the clock
    /// of its list. The field is among `reads`.
    pub clock: Option<FieldId>,
    pub purpose: Purpose,
    /// Its kernel numbers its invocations by itself, or its text is unknown: it cannot run over a part of its domain.
    pub own_numbers: bool,
    /// Checked runs do not search for data races in it.
    pub unsearched: bool,
    /// Fields that elements read while others write them, on purpose.
    pub unordered: Vec<FieldId>,
    /// Its list.
    pub list: List,
    /// JSON pointer of the stage, for messages.
    pub pointer: String,
}

/// Boxes of a dense grid, which are the elements of a domain. Workgroups process several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiles {
    pub grid: ResourceId,
    /// Elements of a tile along each axis.
    pub per: [u32; 3],
    /// Tiles of a workgroup along each axis.
    pub per_group: [u32; 3],
    /// Number of elements minus number of cells of the grid along each axis.
    pub more: [u64; 3],
}

/// Lines of a lattice along an axis, each of which a workgroup transforms: a pass of a Fourier transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    pub axis: usize,
    /// Source and target of the transform, of which this may be one pass.
    pub fields: [FieldId; 2],
    /// The source has real numbers and the target half of their spectrum, or the other way round, along this axis.
    pub halved: Option<usize>,
    /// Lines that have values in an element: it may have several numbers, and a pass may transform parts of lines.
    pub per_element: u64,
    /// Lines of a workgroup.
    pub per_group: u64,
    /// The values that it loads and those that it stores.
    pub ends: [LineEnd; 2],
}

/// The arrangement of the values of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineEnd {
    pub field: FieldId,
    /// Elements along each axis.
    pub sides: [u64; 3],
    pub entries: u32,
    /// Bytes of an entry of an element.
    pub bytes: u32,
    /// They are in a buffer that only the passes of transforms use.
    pub is_scratch: bool,
}

impl Lines {
    /// Workgroups for the lines through the elements of a box.
    pub fn groups_of(&self, size: [u64; 3]) -> u64 {
        let across = (0..3).filter(|axis| *axis != self.axis);
        let elements: u64 = across.map(|axis| size[axis]).product();
        (elements * self.per_element).div_ceil(self.per_group)
    }
}

/// Consecutive cells of the active blocks of a sparse grid, in boxes with a partial result each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockRuns {
    pub grid: ResourceId,
    /// Sides of a box in cells.
    pub per: [u32; 3],
    /// Words of all partial results.
    pub words: u64,
}

/// A change of the particles of a set, by the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completed {
    Sort(ResourceId),
    Removal(ResourceId),
    /// New particles became live.
    Emission(ResourceId),
}

/// The parts of the shape of workgroups that the file or the kernel specifies. The device determines the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatedShape {
    pub workgroup: Option<[u32; 3]>,
    /// The workgroup on GPUs of a kernel that does not depend on it, with one cell in z per invocation.
    pub gpu_workgroup: Option<[u32; 3]>,
    /// The kernel depends on elements only, not on the number or the neighbours of its invocation.
    pub by_element: bool,
    /// Consecutive cells in z per invocation.
    pub cells_per_thread_z: Option<u32>,
    /// Consecutive cells in x per invocation.
    pub vector_width: Option<u32>,
}

/// The purpose of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Computes values of the pipeline.
    Compute,
    /// Takes part in an update of a sparse grid.
    Update(Update),
    /// Unpacks a channel of a sparse grid into a dense field for an output.
    Unpack,
    /// Measures or watches fields, without changing them.
    Measure,
}

/// One dispatch of a stage, with the argument values of this iteration of its repeats.
#[derive(Debug, Clone)]
pub struct Invocation {
    pub stage: StageId,
    /// The bits of each argument's components, in the order of the kernel's arguments.
    pub values: Vec<Vec<u32>>,
    /// The arguments that depend on parameters, in the same order; may be shorter.
    pub sources: Arc<[Option<ArgumentSource>]>,
    /// Its iteration of a repeat with `while`.
    pub iteration: Option<Iteration>,
    /// Number of swaps before it in its list.
    pub swaps: usize,
    /// The call that it belongs to: it runs between steps, when a client calls it.
    pub call: Option<usize>,
}

/// An iteration of an outermost repeat with `while`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Iteration {
    /// Number of the repeat among those of its list.
    pub repeat: usize,
    /// Number of the iteration, from 0.
    pub number: usize,
}

/// A repeat with `while` that should end before its last iteration.
#[derive(Debug, Clone)]
pub struct LoopLimit {
    /// Its name.
    pub repeat: String,
    pub list: List,
    /// The condition, as in the file.
    pub condition: String,
    /// If the condition still holds after the last iteration, the run stops; otherwise it warns.
    pub stops: bool,
    /// The record of the device: see `shared_constants::unfinished`.
    pub record: FieldId,
}

impl Completed {
    pub fn set(self) -> ResourceId {
        match self {
            Completed::Sort(set) | Completed::Removal(set) | Completed::Emission(set) => set,
        }
    }
}

impl Invocation {
    pub fn new(stage: StageId, values: Vec<Vec<u32>>) -> Invocation {
        Invocation {
            stage,
            values,
            sources: Arc::default(),
            iteration: None,
            swaps: 0,
            call: None,
        }
    }

    pub fn without_arguments(stage: StageId) -> Invocation {
        Invocation::new(stage, Vec::new())
    }
}

impl Stage {
    pub fn reads(&self) -> &[FieldId] {
        &self.reads
    }

    pub fn writes(&self) -> &[FieldId] {
        &self.writes
    }

    /// Returns true if its results belong to the state: it neither measures nor unpacks fields for outputs.
    pub fn computes_state(&self) -> bool {
        matches!(self.purpose, Purpose::Compute | Purpose::Update(_))
    }

    /// Returns true if it computes the values that it writes; updates of sparse grids only write backgrounds.
    pub fn computes_values(&self) -> bool {
        !matches!(self.purpose, Purpose::Update(_))
    }

    /// Returns true if it writes in every step all values of a field that later stages may read. Then it may write to another
    /// copy than the one it reads.
    pub fn advances_ring(&self, field: FieldId) -> bool {
        self.every == 1
            && !self.in_place
            && self.conditions.is_empty()
            && self.domain.over != Over::Newborn
            && self.writes.contains(&field)
    }
}
