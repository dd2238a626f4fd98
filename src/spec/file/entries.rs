//! Entries of lists: stages, blocks of entries, and operations of the engine.

use std::path::Path;

use serde_json::{Value, json};

use super::reorder::{RemoveFile, SortFile};
use super::stages::{ArgumentsFile, StageFile};
use super::values::{Number, Numbers, Reference};
use crate::lower::meaning::OnMax;
use crate::problem::{Place, Problem, SourceText};
use crate::spec::definitions::{Definitions, alternatives};
use crate::spec::node::{Content, Node};
use crate::spec::read::{Named, Read, Reader, Text, object, words};

/// An entry of a list.
#[derive(Debug, Clone)]
pub enum EntryFile {
    /// The name of a stage or a group in `stages`, or of one of an instance: `air.step`.
    Name(Reference),
    Stage(Box<StageFile>),
    Block(Box<BlockFile>),
    Operation(Box<OperationFile>),
}

impl EntryFile {
    /// The entry of a group that a client calls, by its name.
    pub fn called(name: &str) -> EntryFile {
        let source = SourceText::new(format!("call of `{name}`"), name, Path::new(""));
        EntryFile::Name(Reference::parsed(name, &Place::new(&source, 0..name.len())))
    }
}

/// Declares the operations of the engine: the key that distinguishes each, and its object.
macro_rules! operations {
    ($($key:literal => $name:ident($file:ident),)+) => {
        /// An operation of the engine.
        #[derive(Debug, Clone)]
        pub enum OperationFile { $($name($file),)+ }

        impl OperationFile {
            const KEYS: &[&str] = &[$($key),+];

            /// Reads the operation that a key distinguishes.
            fn read(key: &str, node: &Node, reader: &mut Reader) -> Option<Self> {
                match key {
                    $($key => Read::read(node, reader).map(Self::$name),)+
                    _ => None,
                }
            }

            fn schemas(definitions: &mut Definitions) -> Vec<Value> {
                vec![$($file::schema(definitions)),+]
            }
        }
    };
}

operations! {
    "set" => Set(SetFile),
    "swap" => Swap(SwapFile),
    "update_grid" => Update(UpdateFile),
    "remove" => Remove(RemoveFile),
    "sort" => Sort(SortFile),
}

impl OperationFile {
    /// The names of fields and resources, and the expressions that may contain some. The patterns list every key, so
    /// that a new one cannot be forgotten: the resource that it names would be left out of an instance.
    #[rustfmt::skip]
    pub fn uses(&self) -> (Vec<&Reference>, &[Number]) {
        match self {
            Self::Set(SetFile { set, to, place: _, pointer: _ }) => (vec![set], to.items()),
            Self::Swap(SwapFile { swap, place: _, pointer: _ }) => (swap.iter().collect(), &[]),
            Self::Update(UpdateFile { update_grid, place: _, pointer: _ }) => (vec![update_grid], &[]),
            Self::Remove(RemoveFile { remove, marked, place: _, pointer: _ }) => (vec![remove, marked], &[]),
            Self::Sort(SortFile {
                sort, by, bits: _, offsets, cells, blocks: _, slowest: _, drift: _, ghosts: _, place: _, pointer: _,
            }) => {
                ([sort, by].into_iter().chain(offsets).chain(cells.as_deref()).collect(), &[])
            }
        }
    }

    /// The set whose particles change their numbers.
    pub fn moved(&self) -> Option<&Reference> {
        match self {
            Self::Remove(file) => Some(&file.remove),
            Self::Sort(file) => Some(&file.sort),
            Self::Set(_) | Self::Swap(_) | Self::Update(_) => None,
        }
    }
}

impl Read for EntryFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let members = match &node.content {
            Content::Scalar(Value::String(_)) => return Reference::read(node, reader).map(EntryFile::Name),
            Content::Object(members) => members,
            _ => return reader.expected(node, "an entry", "write the name of a stage or a group, or { }"),
        };
        let keys = || ["stage", "stages"].iter().chain(OperationFile::KEYS).copied();
        match keys().find(|key| node.get(key).is_some()) {
            Some("stage") => Read::read(node, reader).map(EntryFile::Stage),
            Some("stages") => Read::read(node, reader).map(EntryFile::Block),
            Some(key) => OperationFile::read(key, node, reader)
                .map(Box::new)
                .map(EntryFile::Operation),
            None => {
                let list: Vec<String> = keys().map(|key| format!("`{key}`")).collect();
                let near = |name: &str| {
                    let probe = Problem::without_place("").suggest(name, keys());
                    probe.meant().map(|meant| format!("did you mean `{meant}`?"))
                };
                let help = members.iter().find_map(|(name, ..)| near(name));
                let help = help.unwrap_or("for example {\"stage\": \"advect\", \"over\": \"air\"} or {\"repeat\": \"k\", \"over\": 2, \"stages\": []}".into());
                let message = format!("an entry has one of the keys {}", list.join(", "));
                reader.refuse(&node.place, message, help)
            }
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "An entry of a list: the name of a stage or a group, a stage, a block of entries, or an operation of the \
                     engine.";
        alternatives(definitions, "Entry of a list", about, |definitions| {
            let mut forms = vec![
                Reference::schema(definitions),
                StageFile::schema(definitions),
                BlockFile::schema(definitions),
            ];
            forms.extend(OperationFile::schemas(definitions));
            forms
        })
    }
}

object! {
    /// Entries that run together: repeatedly, under a condition, or with their own arguments. The keys are nested in
    /// this order, from the outside to the inside: `for`, `repeat`, `let`, `if`.
    "Block" BlockFile {
        /// The entries, or the name of a group or stage.
        ///
        /// - Example: `["obstacles", {"stage": "advect", "over": "air"}]`
        must stages: StagesFile,
        /// Runs the entries once for each letter (`"c in uvw"`) or each word (`"q in density heat"`). `{c}` in names
        /// and in paths of shaders is the letter or word, `c.index` in expressions its number from 0.
        ///
        /// - Default: none
        /// - Example: `"c in uvw"`
        may letters as "for": Text,
        /// The name of the value in expressions: the entries run once for each value of `over`. `<name>.index` is the
        /// number of the iteration, from 0.
        ///
        /// - Default: none
        /// - Range: at most 8 nested repeats
        /// - Example: `"omega"`
        may repeat: Text,
        /// The values of the repeat, or a count n for 0, 1, ..., n - 1. With `while`, the maximum number of iterations.
        ///
        /// - Default: none; required with `repeat`
        /// - Range: a count is 0 to 20 000
        /// - Example: `[1.7, 1.5, 1.2]`
        may over: Numbers,
        /// A `uint` buffer: the repeat continues while its first element is not 0. Any stage may write it, including
        /// stages of the repeat. The device checks it before each dispatch. Long repeats are submitted a few iterations
        /// at a time; once the host finds 0 in the buffer, it submits no more. Or `"clock.left"`: the repeat sub-cycles
        /// the step. Each iteration has the length that one of its stages sets, until no time of the step is left. See
        /// Loops.
        ///
        /// - Default: none: all iterations run
        /// - Range: without updates of grids inside; `"clock.left"` only in `step`
        /// - Example: `"active"`
        may condition as "while": Reference,
        /// What happens if a repeat with `while` reaches its maximum number of iterations while the buffer is not 0, or
        /// time is left.
        ///
        /// - Default: `"warn"`
        /// - Range: only with `while`
        /// - Example: `"stop"`
        may on_max_iterations: OnMax,
        /// Values by name, for expressions in the block.
        ///
        /// - Default: none
        /// - Example: `{"coarsest": "max(grid.levels - 4, 0)"}`
        all values as "let": Named<Numbers>,
        /// The entries run only if this is not 0. The condition is evaluated when the file is read.
        ///
        /// - Default: none
        /// - Example: `"viscosity > 0"`
        may only as "if": Number,
        /// The entries that run if the condition is 0.
        ///
        /// - Default: `[]`
        /// - Range: requires `if`
        /// - Example: `["plain_step"]`
        may otherwise as "else": StagesFile,
        /// In a definition of `stages`: default arguments of every stage in the block. In a list: arguments that
        /// override arguments of the same name in the stages and groups of the block. An argument that none of them has
        /// is a mistake.
        ///
        /// - Unit: yours
        /// - Default: none
        /// - Example: `{"warm_start": 0}`
        all arguments: ArgumentsFile,
        /// The entries run only in every n-th step (for frame stages, every n-th frame), starting with the first. In a
        /// definition of `stages` it is the default for entries without `every`; in a list it overrides the `every` of
        /// all entries.
        ///
        /// - Unit: steps or frames
        /// - Default: the `every` of each entry
        /// - Range: 1 to 2³⁰
        /// - Example: `8`
        may every: Number,
    }
}

/// Entries, or the name of a group or stage.
#[derive(Debug, Clone)]
pub enum StagesFile {
    Name(Reference),
    Entries(Vec<EntryFile>),
}

impl Read for StagesFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Scalar(Value::String(_)) => Reference::read(node, reader).map(StagesFile::Name),
            _ => Vec::read(node, reader).map(StagesFile::Entries),
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        json!({"anyOf": [{"type": "string"}, Vec::<EntryFile>::schema(definitions)]})
    }
}

words! {
    /// What happens if a repeat reaches its maximum number of iterations: `warn` prints a warning and continues,
    /// `continue` prints nothing, `stop` ends the run before it writes the next frame.
    "On max iterations" OnMax { "warn" => Self::Warn, "continue" => Self::Continue, "stop" => Self::Stop, }
}

object! {
    /// Sets a field to one value for all its elements, to the values of another field, or to the result of a function
    /// of a field.
    "Assignment to a field" SetFile {
        /// The field: a channel of a dense grid, an attribute, or a buffer. In a dynamic set, elements beyond the live
        /// particles are set too.
        ///
        /// - Example: `"nodes.mass"`
        must set: Reference,
        /// A number, a vector, or one number per component (for `rgba8` one number with the bits of all four); a field
        /// of the same type and size; `sum(f)`, `min(f)`, `max(f)` or `count(f)` of a field, whose result goes to a
        /// buffer of one element (see Reductions); `scan(b)`, the exclusive prefix sums of a `uint` buffer, modulo 2³²,
        /// with the total in an additional last element if the field has one; or a transform such as `fft(f)`,
        /// `inverse_fft(f, x, y)` or `cosine(f)` (see docs/fft.md).
        ///
        /// - Unit: yours
        /// - Example: `[0, 0, -9.81]`
        must to: Numbers,
    }
}

object! {
    /// Exchanges two fields without copying them: from here on, in later entries, steps, frames, outputs, series and
    /// checkpoints, each name refers to the memory of the other. It costs nothing.
    "Swap of two fields" SwapFile {
        /// The two fields: channels of dense grids, attributes of a set with `"ring": 1`, or buffers, of the same type
        /// and size. Attributes belong to one set. In a repeat with `while`, each iteration must swap a pair an even
        /// number of times, so that every name refers to the same memory as before.
        ///
        /// - Range: two fields; in `init` and `step`
        /// - Example: `["air.u", "air.u_next"]`
        must swap: Vec<Reference>,
    }
}

object! {
    /// Processes the requests for blocks of a sparse grid. After `latency` updates, the requested blocks are active,
    /// and blocks that are no longer requested are deactivated. New blocks contain the backgrounds of the channels. In
    /// `init` it waits and takes effect immediately.
    "Update of a sparse grid" UpdateFile {
        /// Name of the grid.
        ///
        /// - Example: `"air"`
        must update_grid: Reference,
    }
}

/// A stage or a group of entries, as `stages` defines it.
#[derive(Debug, Clone)]
pub enum DefinitionFile {
    Stage(Box<StageFile>),
    Group(Vec<EntryFile>),
    Block(Box<BlockFile>),
}

impl Read for DefinitionFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        const FORM: &str = "write { } for a stage, [ ] for a group";
        match &node.content {
            Content::Array(_) => Read::read(node, reader).map(DefinitionFile::Group),
            Content::Object(_) if node.get("stages").is_some() => {
                Read::read(node, reader).map(DefinitionFile::Block)
            }
            Content::Object(_) => Read::read(node, reader).map(DefinitionFile::Stage),
            _ => reader.expected(node, "a stage or a list of entries", FORM),
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "A stage, or a group: a list of entries, or a block.";
        alternatives(definitions, "Definition", about, |definitions| {
            let list = Vec::<EntryFile>::schema(definitions);
            vec![
                StageFile::schema(definitions),
                list,
                BlockFile::schema(definitions),
            ]
        })
    }
}
