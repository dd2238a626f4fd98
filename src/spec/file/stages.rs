//! Stage lists as they are written: stages, repeats and arguments.

use schemars::JsonSchema;
use serde::Deserialize;

use super::particles::{RemoveFile, ScanFile, SortFile};
use super::values::{Named, Number, Numbers};
use crate::element::Element;

/// An entry of a stage list: a stage, a repeat of several, or something that the engine does in stages of its own.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum EntryFile {
    Stage(Box<StageFile>),
    Repeat(RepeatFile),
    Update(UpdateFile),
    Remove(RemoveFile),
    Sort(SortFile),
    Scan(ScanFile),
    Fill(FillFile),
}

/// The keys that tell the entries from each other.
pub(crate) const ENTRY_KEYS: [&str; 7] = ["stage", "repeat", "update_grid", "remove", "sort", "scan", "fill"];

/// Gives every element of a field one value.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Fill of a field")]
pub(crate) struct FillFile {
    /// The field: a channel of a dense lattice, an attribute, or a buffer. Of a set whose particles come and go, those are
    /// filled too that do not live.
    ///
    /// - Example: `"nodes.mass"`
    pub fill: String,
    /// The value: as many numbers as the type has components; `rgba8` takes the bits of all four as one.
    ///
    /// - Unit: yours
    /// - Example: `[0, 0, -9.81]`
    pub value: Numbers,
    /// Runs in every n-th step only, in the first one first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `4`
    #[serde(default)]
    pub every: Option<Number>,
}

/// Takes in what stages asked for of a sparse grid: `latency` updates later those blocks are active, new ones
/// filled with the channels' backgrounds, and blocks that nobody asked for any more are gone. In `init` it waits
/// and takes effect at once.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateFile {
    /// Name of the grid.
    ///
    /// - Example: `"air"`
    pub update_grid: String,
    /// Runs in every n-th step only, in the first one first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `8`
    #[serde(default)]
    pub every: Option<Number>,
}

/// Runs a list of stages once per value.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RepeatFile {
    /// Name of the value in expressions; `<name>.index` is the number of the turn, from 0.
    ///
    /// - Example: `"omega"`
    pub repeat: String,
    /// The values, or a count n for 0, 1, ..., n - 1.
    ///
    /// - Range: a count is 0 to 20 000
    /// - Example: `[1.7, 1.5, 1.2]`
    pub over: Numbers,
    /// A `uint` buffer: turns run while its first element is not 0. Stages may write it, those of the repeat too; the
    /// device looks at it before each dispatch, and goes through the rest of the turns without work. `over` is then the
    /// most turns.
    ///
    /// - Default: none: all turns run
    /// - Range: not within a repeat that has one; not round updates of grids. Takes a device with
    ///   `VK_EXT_conditional_rendering`
    /// - Example: `"going"`
    #[serde(default, rename = "while")]
    pub condition: Option<String>,
    /// What runs in every turn. Repeats nest, 8 deep at most.
    ///
    /// - Example: `[{"stage": "sor", "over": "air", "writes": ["air.pressure"], "arguments": {"omega":
    ///   "omega"}}]`
    pub stages: Vec<EntryFile>,
}

/// One compute shader over a domain. It may touch only what it says it reads and writes; the order of stages
/// that touch the same fields is kept.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StageFile {
    /// Name, unique in the pipeline: the label in messages, graphs and profiles.
    ///
    /// - Range: a lower-case letter, then lower-case letters, digits and single underscores, 64 at most; the
    ///   same holds for every name that a shader sees
    /// - Example: `"advect"`
    pub stage: String,
    /// Shader file: GLSL (`.comp`) or SPIR-V (`.spv`).
    ///
    /// - Default: `<stage>.comp`
    /// - Example: `"snow/advect.comp"`
    #[serde(default)]
    pub shader: Option<String>,
    /// What it runs once for each element of: a resource (of a sparse grid, the cells of its active blocks), a channel
    /// (`"air.u"`, whose values may be more than the grid has cells), the columns of a 3-D grid (`"air.columns"`), blocks
    /// of a sparse grid (`"air.blocks"`, `"air.active"`,
    /// `"air.sub_blocks"`), or a count (see Domains). A stage has either this or `emits`.
    ///
    /// - Default: none
    /// - Range: a count is 1 to 2³² - 1
    /// - Example: `"air"`
    #[serde(default)]
    pub over: Option<Number>,
    /// Dynamic particle set that it adds particles to: it runs once for each newborn particle, whose index lies
    /// beyond those that live, and gives its attributes their values.
    ///
    /// - Default: none
    /// - Example: `"sparks"`
    #[serde(default)]
    pub emits: Option<String>,
    /// How many particles it adds each time: a number, or the name of a `uint` buffer whose first element holds it
    /// when the stage starts. Those for which there is no room are not born, and are counted.
    ///
    /// - Unit: particles
    /// - Default: none; required with `emits`
    /// - Range: 0 to 2³² - 1
    /// - Example: `100`
    #[serde(default)]
    pub count: Option<Number>,
    /// Fields it reads: `<resource>.<channel>`, or the name of a buffer. Something must fill each: a stage, a
    /// `background`, `values` or an image.
    ///
    /// - Default: `[]`
    /// - Example: `["air.u", "winds"]`
    #[serde(default)]
    pub reads: Vec<String>,
    /// Fields it writes, in the same form.
    ///
    /// - Default: `[]`
    /// - Example: `["air.pressure"]`
    #[serde(default)]
    pub writes: Vec<String>,
    /// Sparse grids of which it may ask for blocks, with `request_<grid>(cell)`.
    ///
    /// - Default: `[]`
    /// - Example: `["air"]`
    #[serde(default)]
    pub requests: Vec<String>,
    /// Values handed to the shader as `arg.<name>`; they may differ from turn to turn of a repeat.
    ///
    /// - Unit: yours
    /// - Default: none
    /// - Example: `{"omega": 1.7, "sun": [0, 0, 1], "units": {"type": "uint", "value": 640}}`
    #[serde(default)]
    pub arguments: Named<ArgumentFile>,
    /// Values of specialization constants that the shader declares with ids below 1000, by name (by id where
    /// the module has no names).
    ///
    /// - Unit: yours
    /// - Default: the shader's own
    /// - Example: `{"SWEEPS": 3}`
    #[serde(default)]
    pub constants: Named<Number>,
    /// Runs in every n-th step only (every n-th frame, for frame stages), in the first one first.
    ///
    /// - Unit: steps or frames
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `8`
    #[serde(default)]
    pub every: Option<Number>,
    /// Shape of a workgroup. Over a list it is `[n, 1, 1]`.
    ///
    /// - Unit: invocations
    /// - Default: by domain and device
    /// - Range: 1 to 1024 together
    /// - Example: `[64, 2, 1]`
    #[serde(default)]
    pub workgroup: Option<[u32; 3]>,
    /// Consecutive cells in z that each invocation of a stage over the cells of a grid visits.
    ///
    /// - Unit: cells
    /// - Default: by device
    /// - Range: at least 1
    /// - Example: `16`
    #[serde(default)]
    pub march: Option<u32>,
    /// Accept a SPIR-V module that carries no interface hash; `--checked` does not cover it.
    ///
    /// - Default: `false`
    /// - Example: `true`
    #[serde(default)]
    pub unchecked: bool,
}

/// An argument: `float` (or `vec2` to `vec4` for a list of 2 to 4) by default, or with its type.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ArgumentFile {
    Float(Numbers),
    Typed(TypedArgumentFile),
}

/// An argument with its type.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TypedArgumentFile {
    /// Type of the argument.
    ///
    /// - Range: not `rgba8`
    /// - Example: `"uint"`
    #[serde(rename = "type")]
    pub element: Element,
    /// As many numbers as the type has components.
    ///
    /// - Unit: yours
    /// - Range: whole numbers for `int` and `uint` types
    /// - Example: `"flakes.units"`
    pub value: Numbers,
}
