//! Entries of lists: stages, blocks of entries, and operations of the engine.

use serde_json::{Value, json};

use super::stages::{ArgumentsFile, StageFile};
use super::values::{Number, Numbers, Reference};
use crate::lower::meaning::OnMax;
use crate::problem::Problem;
use crate::spec::node::{Content, Node};
use crate::spec::read::{Definitions, Named, Read, Reader, Text, alternatives, object, words};

/// An entry of a list.
#[derive(Debug, Clone)]
pub enum EntryFile {
    /// A stage or a group that `stages` defines, or one of an instance: `air.step`.
    Name(Reference),
    Stage(Box<StageFile>),
    Block(Box<BlockFile>),
    Set(SetFile),
    Swap(SwapFile),
    Update(UpdateFile),
    Remove(RemoveFile),
    Sort(SortFile),
}

/// The keys that tell the entries from each other.
const KEYS: [&str; 7] = ["stage", "stages", "set", "swap", "update_grid", "remove", "sort"];

impl Read for EntryFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let members = match &node.content {
            Content::Scalar(Value::String(_)) => return Reference::read(node, reader).map(EntryFile::Name),
            Content::Object(members) => members,
            _ => return reader.expected(node, "an entry", "write the name of a stage or a group, or { }"),
        };
        let Some(kind) = KEYS.into_iter().find(|key| node.get(key).is_some()) else {
            let list = KEYS.map(|key| format!("`{key}`")).join(", ");
            let near = |name: &str| {
                let probe = Problem::without_place("").suggest(name, KEYS);
                probe.meant().map(|meant| format!("did you mean `{meant}`?"))
            };
            let help = members.iter().find_map(|(name, ..)| near(name));
            let help = help.unwrap_or("for example {\"stage\": \"advect\", \"over\": \"air\"} or {\"repeat\": \"k\", \"over\": 2, \"stages\": []}".into());
            return reader.refuse(&node.place, format!("an entry has one of the keys {list}"), help);
        };
        Some(match kind {
            "stage" => EntryFile::Stage(Read::read(node, reader)?),
            "stages" => EntryFile::Block(Read::read(node, reader)?),
            "set" => EntryFile::Set(Read::read(node, reader)?),
            "swap" => EntryFile::Swap(Read::read(node, reader)?),
            "update_grid" => EntryFile::Update(Read::read(node, reader)?),
            "remove" => EntryFile::Remove(Read::read(node, reader)?),
            _ => EntryFile::Sort(Read::read(node, reader)?),
        })
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "An entry of a list: the name of a stage or a group, a stage, a block of entries, or an operation of the \
                     engine.";
        alternatives(definitions, "Entry of a list", about, |definitions| {
            vec![
                Reference::schema(definitions),
                StageFile::schema(definitions),
                BlockFile::schema(definitions),
                SetFile::schema(definitions),
                SwapFile::schema(definitions),
                UpdateFile::schema(definitions),
                RemoveFile::schema(definitions),
                SortFile::schema(definitions),
            ]
        })
    }
}

object! {
    /// Entries that run together: as often as a repeat says, under a condition, or with arguments of their own. The keys apply
    /// from the outside to the inside in this order: `for`, `repeat`, `let`, `if`.
    "Block" BlockFile {
        /// The entries, or the name of a group or stage.
        ///
        /// - Example: `["obstacles", {"stage": "advect", "over": "air"}]`
        must stages: StagesFile,
        /// `"c in uvw"`: runs them once for each letter; `"q in density heat"` for each word. `{c}` in names and in paths of
        /// shaders is the letter or word, `c.index` in expressions its number from 0.
        ///
        /// - Default: none
        /// - Example: `"c in uvw"`
        may letters as "for": Text,
        /// Runs them once for each value of `over`. This is the name of the value in expressions; `<name>.index` is the number
        /// of the iteration, from 0.
        ///
        /// - Default: none
        /// - Range: at most 8 repeats inside each other
        /// - Example: `"omega"`
        may repeat: Text,
        /// The values of the repeat, or a count n for 0, 1, ..., n - 1. With `while`, the largest number of iterations.
        ///
        /// - Default: none; required with `repeat`
        /// - Range: a count is 0 to 20 000
        /// - Example: `[1.7, 1.5, 1.2]`
        may over: Numbers,
        /// A `uint` buffer: the repeat goes on while its first element is not 0. Any stage may write it, also stages of the
        /// repeat. The device checks it before each dispatch. Long repeats are submitted a few iterations at a time; once the
        /// buffer is found to be 0, no more are submitted. Or `"clock.left"`: the iterations go through the time of the step,
        /// each for the length that a stage sets, until no time is left. See Loops.
        ///
        /// - Default: none: all iterations run
        /// - Range: without updates of grids inside; `"clock.left"` only in `step`
        /// - Example: `"active"`
        may condition as "while": Reference,
        /// What a run does when a repeat with `while` has used all its iterations and the buffer is still not 0, or time is left.
        ///
        /// - Default: `"warn"`
        /// - Range: only with `while`
        /// - Example: `"stop"`
        may on_max_iterations: OnMax,
        /// Values by name, which expressions in the block can use.
        ///
        /// - Default: none
        /// - Example: `{"coarsest": "max(grid.levels - 4, 0)"}`
        all values as "let": Named<Numbers>,
        /// The entries run only if this is not 0. It is evaluated when the file is read.
        ///
        /// - Default: none
        /// - Example: `"viscosity > 0"`
        may only as "if": Number,
        /// The entries that run instead, if the condition is 0.
        ///
        /// - Default: `[]`
        /// - Range: requires `if`
        /// - Example: `["plain_step"]`
        may otherwise as "else": StagesFile,
        /// Where `stages` defines the block: arguments of every stage in it that does not state one of the same name. In a list:
        /// arguments in the place of those of the same names that its stages and groups state; one that none of them has is a
        /// mistake.
        ///
        /// - Unit: yours
        /// - Default: none
        /// - Example: `{"warm_start": 0}`
        all arguments: ArgumentsFile,
        /// Where `stages` defines the block: its entries that state no `every` run in every n-th step (of frame stages, frame)
        /// only, starting with the first. In a list: all of them do, whatever they state.
        ///
        /// - Unit: steps or frames
        /// - Default: what its entries state
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
    /// What a run does about a repeat that has used all its iterations: `warn` prints a warning and the run goes on,
    /// `continue` prints nothing, `stop` ends the run before it writes the next frame.
    "On max iterations" OnMax { "warn" => Self::Warn, "continue" => Self::Continue, "stop" => Self::Stop, }
}

object! {
    /// Gives a field new values: one value for all its elements, the values of another field, or what a function computes from
    /// a field.
    "Assignment to a field" SetFile {
        /// The field: a channel of a dense grid, an attribute, or a buffer. In a dynamic set, elements beyond the live particles
        /// are set too.
        ///
        /// - Example: `"nodes.mass"`
        must set: Reference,
        /// A number, a vector, or one number per component (for `rgba8` one number with the bits of all four); a field of the
        /// same type and size; `sum(f)`, `min(f)`, `max(f)` or `count(f)` of a field, whose result goes to a buffer of one
        /// element (see Reductions); `scan(b)`, the exclusive prefix sums of a `uint` buffer, modulo 2³², with the total in one
        /// more element if there is one; or a transform such as `fft(f)`, `inverse_fft(f, x, y)` or `cosine(f)` (see
        /// docs/fft.md).
        ///
        /// - Unit: yours
        /// - Example: `[0, 0, -9.81]`
        must to: Numbers,
    }
}

object! {
    /// Exchanges two fields without copying them: from here on, in later entries, steps, frames, outputs, series and
    /// checkpoints, each name stands for the other's memory. It costs nothing.
    "Swap of two fields" SwapFile {
        /// The two fields: channels of dense grids, attributes of a set with `"ring": 1`, or buffers, of the same type and size.
        /// Attributes belong to one set. In a repeat with `while`, each iteration must leave every name with the memory that it
        /// had before, so a pair is swapped an even number of times.
        ///
        /// - Range: two fields; in `init` and `step`
        /// - Example: `["air.u", "air.u_next"]`
        must swap: Vec<Reference>,
    }
}

object! {
    /// Handles the requests for blocks of a sparse grid. `latency` updates later the requested blocks are active, with new
    /// ones filled with the backgrounds of the channels, and blocks that are no longer requested are deactivated. In `init`
    /// it waits and takes effect at once.
    "Update of a sparse grid" UpdateFile {
        /// Name of the grid.
        ///
        /// - Example: `"air"`
        must update_grid: Reference,
    }
}

object! {
    /// Removes the particles whose attribute `where` is not 0. The others keep their order and close the gaps, with all their
    /// attributes; the live count decreases.
    "Removal of particles" RemoveFile {
        /// Name of the set; it requires a `capacity`.
        ///
        /// - Example: `"sparks"`
        must remove: Reference,
        /// The `uint` attribute of the set that marks particles.
        ///
        /// - Example: `"sparks.dead"`
        must marked as "where": Reference,
    }
}

object! {
    /// Sorts the particles of a set by a key, with all their attributes. Particles with the same key keep their order.
    "Sort of particles" SortFile {
        /// Name of the set.
        ///
        /// - Range: at most 2³¹ particles
        /// - Example: `"water"`
        must sort: Reference,
        /// The key: a `uint` attribute of the set.
        ///
        /// - Example: `"water.block"`
        must by: Reference,
        /// Number of bits of the key that are compared, from the lowest; or the first bit and the number of bits. The cost grows
        /// with every 8 bits.
        ///
        /// - Unit: bits
        /// - Default: `32`
        /// - Range: 1 to 32, and with a first bit, 0 to 31, at most 32 together
        /// - Example: `24`
        may bits: Numbers,
        /// A `uint` buffer. Element k becomes the number of particles with a key below k, which is the index of the first
        /// particle with key k. With one element more than there are keys, element k + 1 is the end of the particles with key k.
        ///
        /// - Default: none
        /// - Example: `"block_starts"`
        may offsets: Reference,
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
