//! The form of a pipeline that still says what its author meant: lists of dispatches, of repeats, and of operations of the
//! engine, on resources and fields that are there. Passes turn the operations into stages.

use std::collections::HashMap;
use std::rc::Rc;

use super::SharedBuffers;
use super::fft::Wave;
use crate::ir::{Column, Draft, FieldId, List, Measured, Operation, Pipeline, ResourceId, SeriesFormat};
use crate::problem::Problems;

/// A pipeline on its way from what its author meant to stages.
pub struct Meaning {
    /// Resources and fields; the last pass adds stages and lists of them.
    pub pipeline: Pipeline,
    pub lists: [(List, Vec<Action>); 3],
    /// Buffers of the engine's own that several operations share.
    pub shared: SharedBuffers,
    /// Counters of iterations that series ask for.
    pub counters: HashMap<Counted, FieldId>,
    pub series: Vec<SeriesPlan>,
    pub watch: Option<Watching>,
    pub problems: Problems,
    /// How many passes have run.
    pub(super) passed: usize,
    /// Stages of the engine that have been made, by the actions that they belong to.
    pub(super) made: HashMap<String, Vec<Rc<Draft>>>,
    /// How many actions of one kind there are on a resource.
    pub(super) families: HashMap<(&'static str, ResourceId), usize>,
}

impl Meaning {
    pub fn new(pipeline: Pipeline, lists: [(List, Vec<Action>); 3]) -> Meaning {
        Meaning {
            pipeline,
            lists,
            shared: SharedBuffers::default(),
            counters: HashMap::new(),
            series: Vec::new(),
            watch: None,
            problems: Problems::default(),
            passed: 0,
            made: HashMap::new(),
            families: HashMap::new(),
        }
    }
}

/// A watch before it has its stages.
pub struct Watching {
    pub every: u32,
    /// The fields that the file names; without names, those that steps write.
    pub fields: Option<Vec<FieldId>>,
}

/// Loops whose iterations are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Counted {
    /// Those that look at a buffer.
    Buffer(FieldId),
    /// The one through the time of the step that has this name.
    Clock(String),
}

/// An entry of a list.
#[derive(Debug, Clone)]
pub struct Action {
    pub what: What,
    /// It runs in every n-th pass through its list.
    pub every: u32,
    pub from: Rc<Origin>,
}

/// Where an action is written.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    pub pointer: String,
    /// The instance of a module that it belongs to.
    pub instance: usize,
}

#[derive(Debug, Clone)]
pub enum What {
    Dispatch(Dispatch),
    Loop(Loop),
    Fill {
        field: FieldId,
        value: Vec<u8>,
    },
    Copy([FieldId; 2]),
    Swap([FieldId; 2]),
    Reduce {
        field: FieldId,
        operation: Operation,
        into: FieldId,
    },
    Scan([FieldId; 2]),
    Transform(Rc<Transform>),
    Update(ResourceId),
    Remove {
        set: ResourceId,
        marked: FieldId,
    },
    Sort {
        set: ResourceId,
        by: FieldId,
        bits: Bits,
        offsets: Option<FieldId>,
    },
}

/// A dispatch of a stage.
#[derive(Debug, Clone)]
pub struct Dispatch {
    pub draft: Rc<Draft>,
    /// The bits of each argument's components.
    pub values: Vec<Vec<u32>>,
    /// The number of particles that it adds to a set.
    pub births: Option<Births>,
    /// The buffer that contains its number of workgroups.
    pub group_count: Option<FieldId>,
    /// Reductions over its elements: names, operations, and the buffers of the results.
    pub reduces: Vec<(String, Operation, FieldId)>,
    /// Its clock is that of the repeat round the one in which it stands.
    pub has_outer_clock: bool,
}

/// How many particles a stage adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Births {
    Number(u32),
    /// The first element of a buffer.
    Buffer(FieldId),
}

/// A repeat that the device ends.
#[derive(Debug, Clone)]
pub struct Loop {
    pub name: String,
    /// What it looks at, as the file says.
    pub condition: String,
    /// The buffer, or the clock of a repeat that goes through the time of the step.
    pub field: FieldId,
    pub is_clock: bool,
    /// A repeat round it looks at the same buffer.
    pub is_inner: bool,
    pub on_max_iterations: OnMax,
    pub counted: Counted,
    pub iterations: Vec<Vec<Action>>,
}

/// What a run does about a repeat that has used all its iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnMax {
    Warn,
    Continue,
    Stop,
}

impl Action {
    /// A dispatch of a stage of the engine's own.
    pub fn dispatch(draft: Rc<Draft>, values: Vec<Vec<u32>>, every: u32, from: &Rc<Origin>) -> Action {
        let dispatch = Dispatch {
            draft,
            values,
            births: None,
            group_count: None,
            reduces: Vec::new(),
            has_outer_clock: false,
        };
        Action {
            what: What::Dispatch(dispatch),
            every,
            from: from.clone(),
        }
    }
}

/// A series before it has its stages.
#[derive(Debug)]
pub struct SeriesPlan {
    pub name: String,
    pub format: SeriesFormat,
    pub every: u32,
    pub columns: Vec<Column>,
    pub items: Vec<Measured>,
    pub pointer: String,
}

/// The bits of a key that count.
#[derive(Debug, Clone, Copy)]
pub struct Bits {
    pub first: u32,
    pub count: u32,
}

/// A discrete transform of a field.
#[derive(Debug)]
pub struct Transform {
    pub source: FieldId,
    pub target: FieldId,
    /// Numbers of the axes, ascending.
    pub axes: Vec<usize>,
    pub inverse: bool,
    pub numbers: Numbers,
}

/// The numbers on both sides of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    Complex,
    /// Real ones to half of a spectrum.
    ToHalf,
    /// Half of a spectrum to real ones.
    FromHalf,
    /// Real ones on both sides, and what they are expanded in along x, y and z.
    Real([Wave; 3]),
}
