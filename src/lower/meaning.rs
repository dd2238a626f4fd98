//! The meaning of a pipeline file: lists of dispatches, repeats, and operations of the engine, with all names looked up.
//! Passes turn the operations into stages.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::SharedBuffers;
use super::fft::Wave;
use crate::element::shown;
use crate::ir::{
    ArgumentSource, Column, Draft, FieldId, List, Measured, Operation, Pipeline, ResourceId, SeriesFormat,
    SortedCells,
};
use crate::problem::Problems;

/// A pipeline on its way from the meaning of its file to stages.
pub struct Meaning {
    /// Resources and fields; a pass adds the stages and their lists.
    pub pipeline: Pipeline,
    pub lists: [(List, Vec<Action>); 3],
    /// Buffers of the engine that several operations share.
    pub shared: SharedBuffers,
    /// Counters of iterations that series measure.
    pub counters: HashMap<Counted, FieldId>,
    pub series: Vec<SeriesPlan>,
    pub watch: Option<WatchPlan>,
    pub problems: Problems,
    /// Number of passes that have run.
    pub(super) passed: usize,
    /// Stages of the engine that have been made, by the actions that they belong to.
    pub(super) made: HashMap<String, Vec<Rc<Draft>>>,
    /// Number of actions of each kind on each resource.
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

/// A watch without its stages.
pub struct WatchPlan {
    pub every: u32,
    /// The fields that the file names; `None` for the fields that steps write.
    pub fields: Option<Vec<FieldId>>,
}

/// Loops whose iterations are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Counted {
    /// Loops with this buffer as their condition.
    Buffer(FieldId),
    /// The loop with this name, which sub-cycles the step.
    Clock(String),
}

/// An entry of a list.
#[derive(Debug, Clone)]
pub struct Action {
    pub kind: ActionKind,
    /// It runs in every n-th pass through its list.
    pub every: u32,
    pub from: Rc<Origin>,
}

/// The place of an action in the document.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    pub pointer: String,
    /// The instance of a module that it belongs to.
    pub instance: usize,
}

#[derive(Debug, Clone)]
pub enum ActionKind {
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
    /// The entries after it belong to a call, by its number in the pipeline.
    Called(usize),
    Remove {
        set: ResourceId,
        marked: FieldId,
    },
    Sort {
        set: ResourceId,
        by: FieldId,
        bits: Bits,
        offsets: Option<FieldId>,
        cells: Option<SortedCells>,
    },
}

impl ActionKind {
    /// The fields that it writes, whose writers in different instances must have an order. The actions of a repeat have
    /// their own; updates, removals and sorts act on whole resources, but a sort also writes its offsets.
    pub fn written(&self) -> Vec<FieldId> {
        match self {
            ActionKind::Dispatch(dispatch) => dispatch.draft.writes().collect(),
            ActionKind::Fill { field, .. } => vec![*field],
            ActionKind::Swap(pair) => pair.to_vec(),
            ActionKind::Copy([_, into]) | ActionKind::Scan([_, into]) | ActionKind::Reduce { into, .. } => {
                vec![*into]
            }
            ActionKind::Transform(transform) => vec![transform.target],
            ActionKind::Sort { offsets, .. } => offsets.iter().copied().collect(),
            ActionKind::Loop(_)
            | ActionKind::Update(_)
            | ActionKind::Called(_)
            | ActionKind::Remove { .. } => Vec::new(),
        }
    }

    /// Its text in a list of actions; that of a repeat is its head.
    pub fn text(&self, pipeline: &Pipeline) -> String {
        let name = |field: &FieldId| &pipeline.fields[*field].name;
        let resource = |id: &ResourceId| &pipeline.resources[*id].name;
        match self {
            ActionKind::Loop(inner) => inner.text(),
            ActionKind::Dispatch(dispatch) => dispatch.text(pipeline),
            ActionKind::Fill { field, value } => {
                let element = pipeline.fields[*field].element;
                let numbers: Vec<String> = element.scalar().numbers(value).map(shown).collect();
                format!("set {} to {}", name(field), numbers.join(", "))
            }
            ActionKind::Copy([from, into]) => format!("set {} to {}", name(into), name(from)),
            ActionKind::Swap([a, b]) => format!("swap {} and {}", name(a), name(b)),
            ActionKind::Reduce {
                field,
                operation,
                into,
            } => {
                format!("set {} to {}({})", name(into), operation.name(), name(field))
            }
            ActionKind::Scan([from, into]) => format!("set {} to scan({})", name(into), name(from)),
            ActionKind::Transform(transform) => {
                let axes: String = transform.axes.iter().map(|axis| ["x", "y", "z"][*axis]).collect();
                let inverse = if transform.inverse { "inverse " } else { "" };
                let (source, target) = (name(&transform.source), name(&transform.target));
                format!("set {target} to the {inverse}transform of {source} along {axes}")
            }
            ActionKind::Update(grid) => format!("update {}", resource(grid)),
            ActionKind::Called(number) => format!("between steps, `{}`:", pipeline.calls[*number]),
            ActionKind::Remove { set, marked } => {
                format!("remove from {} where {}", resource(set), name(marked))
            }
            ActionKind::Sort {
                set,
                by,
                bits,
                offsets,
                cells: _,
            } => {
                let offsets = offsets.as_ref();
                let offsets = offsets.map_or(String::new(), |field| format!(", offsets {}", name(field)));
                let (set, first, last) = (resource(set), bits.first, bits.first + bits.count);
                format!("sort {set} by {}, bits {first} to {last}{offsets}", name(by))
            }
        }
    }
}

/// A dispatch of a stage.
#[derive(Debug, Clone)]
pub struct Dispatch {
    pub draft: Rc<Draft>,
    /// The bits of each argument's components.
    pub values: Vec<Vec<u32>>,
    /// The arguments that depend on parameters.
    pub sources: Arc<[Option<ArgumentSource>]>,
    /// The number of particles that it adds to a set.
    pub births: Option<Births>,
    /// The buffer that contains its number of workgroups.
    pub group_count: Option<FieldId>,
    /// Reductions over its elements: names, operations, and the buffers of the results.
    pub reduces: Vec<(String, Operation, FieldId)>,
    /// Its clock is that of the repeat around its own repeat.
    pub has_outer_clock: bool,
}

/// The number of particles that a stage adds.
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
    /// Its condition, as the file states it.
    pub condition: String,
    /// The buffer of the condition, or the clock of a repeat that sub-cycles the step.
    pub field: FieldId,
    pub is_clock: bool,
    /// An enclosing repeat has the same condition.
    pub is_inner: bool,
    pub on_max_iterations: OnMax,
    pub counted: Counted,
    pub iterations: Vec<Vec<Action>>,
}

/// The reaction to a repeat that has used all its iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnMax {
    Warn,
    Continue,
    Stop,
}

impl Action {
    /// A dispatch of a stage of the engine.
    pub fn dispatch(draft: Rc<Draft>, values: Vec<Vec<u32>>, every: u32, from: &Rc<Origin>) -> Action {
        let dispatch = Dispatch {
            draft,
            values,
            sources: Arc::default(),
            births: None,
            group_count: None,
            reduces: Vec::new(),
            has_outer_clock: false,
        };
        Action {
            kind: ActionKind::Dispatch(dispatch),
            every,
            from: from.clone(),
        }
    }
}

/// A series without its stages.
#[derive(Debug)]
pub struct SeriesPlan {
    pub name: String,
    pub format: SeriesFormat,
    pub every: u32,
    pub columns: Vec<Column>,
    pub items: Vec<Measured>,
    pub pointer: String,
}

/// The bits of a key by which a set is sorted.
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
    pub numbers: TransformNumbers,
}

/// The numbers on both sides of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransformNumbers {
    Complex,
    /// Real numbers to half of a spectrum.
    ToHalf,
    /// Half of a spectrum to real numbers.
    FromHalf,
    /// Real numbers on both sides, with the functions in which they are expanded along x, y and z.
    Real([Wave; 3]),
}
