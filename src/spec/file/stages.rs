//! Stage lists as they are written: stages, repeats and arguments.

use schemars::JsonSchema;
use serde::Deserialize;

use super::fft::FftFile;
use super::fields::{CopyFile, FillFile, OperationFile, ReduceFile, SwapFile};
use super::particles::{RemoveFile, ScanFile, SortFile};
use super::values::{Named, Number, Numbers};
use crate::element::Element;

/// An entry of a stage list: a stage, a repeat, or an operation of the engine.
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
    Copy(CopyFile),
    Swap(SwapFile),
    Reduce(ReduceFile),
    Fft(FftFile),
    /// Entries of a group, which are expanded before.
    Placed(#[allow(dead_code, reason = "expanded before")] PlacedGroupFile),
    /// The name of a group.
    Name(#[allow(dead_code, reason = "expanded before")] String),
}

/// The keys that tell the entries from each other.
pub(crate) const ENTRY_KEYS: [&str; 12] = [
    "stage",
    "repeat",
    "update_grid",
    "remove",
    "sort",
    "scan",
    "fill",
    "copy",
    "swap",
    "reduce",
    "fft",
    "group",
];

/// Handles the requests for blocks of a sparse grid. `latency` updates later the requested blocks are active, with new
/// ones filled with the backgrounds of the channels, and blocks that are no longer requested are deactivated. In `init`
/// it waits and takes effect at once.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateFile {
    /// Name of the grid.
    ///
    /// - Example: `"air"`
    pub update_grid: String,
    /// Runs only in every n-th step, starting with the first.
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
    /// A `uint` buffer: turns run while its first element is not 0. Any stage may write it, also stages of the repeat. The
    /// device checks it before each dispatch. `over` is the largest number of turns. Long repeats are submitted a few
    /// turns at a time; once the buffer is found to be 0, no more turns are submitted.
    ///
    /// Or `"clock.left"`: the turns go through the time of the step, each for the length that a stage sets, until no time
    /// is left. See Loops.
    ///
    /// - Default: none: all turns run
    /// - Range: without updates of grids inside; `"clock.left"` only in `step`
    /// - Example: `"going"`
    #[serde(default, rename = "while")]
    pub condition: Option<String>,
    /// What a run does when all turns of a repeat with `while` are used and the buffer is still not 0, or time is left.
    ///
    /// - Default: `"warn"`
    /// - Range: only with `while`
    /// - Example: `"stop"`
    #[serde(default)]
    pub unfinished: Option<UnfinishedFile>,
    /// The entries that run in every turn. Repeats may nest, at most 8 deep.
    ///
    /// - Example: `[{"stage": "sor", "over": "air", "writes": ["air.pressure"], "arguments": {"omega":
    ///   "omega"}}]`
    pub stages: Vec<EntryFile>,
}

/// What a run does about a repeat that used all its turns: `warn` prints a warning and the run goes on, `continue` prints
/// nothing, `stop` ends the run before it writes the next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum UnfinishedFile {
    #[default]
    Warn,
    Continue,
    Stop,
}

/// Runs the entries of a group, or a stage that is written elsewhere once more. A text alone is short for this with no
/// other keys.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Entries of a group")]
#[allow(dead_code, reason = "expanded before")]
pub(crate) struct PlacedGroupFile {
    /// Name of the group or stage, or the entries themselves.
    ///
    /// - Example: `"obstacles"`
    pub group: GroupNameFile,
    /// Arguments in the place of those that stages in it, or their groups, state under the same names.
    ///
    /// - Unit: yours
    /// - Default: none
    /// - Example: `{"warm": 0}`
    #[serde(default)]
    pub arguments: Option<ArgumentsFile>,
    /// Runs in every n-th step only, whatever its entries state.
    ///
    /// - Unit: steps or frames
    /// - Default: what its entries state
    /// - Range: 1 to 2³⁰
    /// - Example: `8`
    #[serde(default)]
    pub every: Option<Number>,
}

/// The name of a group, or entries in its place.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "expanded before")]
pub(crate) enum GroupNameFile {
    Name(String),
    Entries(Vec<EntryFile>),
}

/// One compute shader over a domain. It may access only the fields that it lists in `reads` and `writes`. Stages that
/// access the same fields run in order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StageFile {
    /// Name: the label in messages, graphs and profiles. Stages of one name run the same shader.
    ///
    /// - Range: a lower-case letter, then lower-case letters, digits and single underscores; at most 64 characters. The
    ///   same rule holds for every name that a shader sees
    /// - Example: `"advect"`
    pub stage: String,
    /// Shader file: GLSL (`.comp`) or SPIR-V (`.spv`).
    ///
    /// - Default: `<stage>.comp`
    /// - Example: `"snow/advect.comp"`
    #[serde(default)]
    pub shader: Option<String>,
    /// The domain; the shader runs once for each element. A resource (of a sparse grid, the cells of its active
    /// blocks), a level of a grid (`"air[1]"`), a channel (`"air.u"`, which may have more values than the grid has cells), the
    /// columns of a 3-D grid (`"air.columns"`), blocks of a sparse grid (`"air.blocks"`, `"air.active"`, `"air.sub_blocks"`), or a count. A
    /// stage has either this, `groups` or `emits`.
    ///
    /// - Default: none
    /// - Range: a count is 1 to 2³² - 1
    /// - Example: `"air"`
    #[serde(default)]
    pub over: Option<Number>,
    /// Workgroups that it runs as, instead of the elements of `over`: their number, or those along three axes; or the name
    /// of a buffer whose first element contains the number (`uint`) or the three numbers (`uvec3`) when the stage
    /// starts. The shader calls `stage(uvec3 group, uint local)` with the number of the group and that of the invocation
    /// in it, 0 to n - 1 for a `workgroup` of n invocations; groups share memory and wait with `barrier()`. See
    /// docs/group-kernels.md.
    ///
    /// - Unit: workgroups
    /// - Default: none
    /// - Range: 1 to 65 535² (one number), 1 to 65 535 each (three); from 0 in a buffer, where larger numbers count as the
    ///   largest, and `--checked` reports them; requires `workgroup`
    /// - Example: `"ceil(matter.count / transfer.chunk)"`
    #[serde(default)]
    pub groups: Option<Numbers>,
    /// The dynamic particle set to which the stage adds particles. It runs once for each newborn particle, whose index
    /// is beyond the live ones, and sets its attributes.
    ///
    /// - Default: none
    /// - Example: `"sparks"`
    #[serde(default)]
    pub emits: Option<String>,
    /// How many particles the stage adds each time: a number, or the name of a `uint` buffer whose first element
    /// contains it when the stage starts. Particles beyond the capacity are not added, and are counted.
    ///
    /// - Unit: particles
    /// - Default: none; required with `emits`
    /// - Range: 0 to 2³² - 1
    /// - Example: `100`
    #[serde(default)]
    pub count: Option<Number>,
    /// Names that its shader has for resources and fields, with what they stand for here: so one shader serves any grid
    /// or set. `reads`, `writes` and `requests` use the shader's names; all other names have their own. Levels of grids are
    /// bound as `"air[l + 1]"`.
    ///
    /// - Default: none
    /// - Example: `{"nodes": "fine", "ledger": "births", "value": "air.pressure"}`
    #[serde(default)]
    pub bind: Named<String>,
    /// Fields that it reads: `<resource>.<channel>`, or the name of a buffer. Each must have a value from a stage, a
    /// `background`, `values`, an image or a particle source.
    ///
    /// - Default: `[]`
    /// - Example: `["air.u", "winds"]`
    #[serde(default)]
    pub reads: Vec<String>,
    /// Fields that it writes, in the same form. `"clock.dt"` gives its shader `set_clock_dt(seconds)`, which sets the
    /// length of this turn of a repeat with `"while": "clock.left"`.
    ///
    /// - Default: `[]`
    /// - Example: `["air.pressure"]`
    #[serde(default)]
    pub writes: Vec<String>,
    /// Fields whose values elements of this stage read while others write them, on purpose and in any order, as in chaotic
    /// relaxation. Results may then differ from device to device. A checked run does not report such reads; it still reports
    /// values that two elements write.
    ///
    /// - Default: `[]`
    /// - Range: fields in both `reads` and `writes`
    /// - Example: `["air.pressure"]`
    #[serde(default)]
    pub unordered: Vec<String>,
    /// Sparse grids whose blocks it may request, with `request_<grid>(cell)`.
    ///
    /// - Default: `[]`
    /// - Example: `["air"]`
    #[serde(default)]
    pub requests: Vec<String>,
    /// Values that are passed to the shader as `arg.<name>`; they may differ between the turns of a repeat.
    ///
    /// - Unit: yours
    /// - Default: none
    /// - Example: `{"omega": 1.7, "sun": [0, 0, 1], "units": {"type": "uint", "value": 640}}`
    #[serde(default)]
    #[schemars(with = "ArgumentsFile")]
    pub arguments: Named<ArgumentFile>,
    /// Values of specialization constants that the shader declares with ids below 1000, by name (by id if the SPIR-V
    /// module has no names).
    ///
    /// - Unit: yours
    /// - Default: the shader's own
    /// - Example: `{"SWEEPS": 3}`
    #[serde(default)]
    pub constants: Named<Number>,
    /// Reductions over its elements: `sum`, `min`, `max` or `count`, each by the name of a buffer of one element that
    /// receives the result when the stage has ended. The shader calls `sum_<name>(value)`, `min_<name>(value)`,
    /// `max_<name>(value)` or `count_<name>(condition)`, any number of times for an element. The buffer has the type of the
    /// values, a number or a vector; that of a count is `uint`. See Reductions.
    ///
    /// - Default: none
    /// - Range: not with `emits` or `groups`; 8 results
    /// - Example: `{"dq": "sum", "unsettled": "count"}`
    #[serde(default)]
    pub reduces: Named<OperationFile>,
    /// Runs only in every n-th step (for frame stages, every n-th frame), starting with the first.
    ///
    /// - Unit: steps or frames
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `8`
    #[serde(default)]
    pub every: Option<Number>,
    /// Size of a workgroup. Over a list it is `[n, 1, 1]`.
    ///
    /// - Unit: invocations
    /// - Default: depends on the domain and the device
    /// - Range: a product of 1 to 1024
    /// - Example: `[64, 2, 1]`
    #[serde(default)]
    pub workgroup: Option<[u32; 3]>,
    /// In a stage over the cells of a grid, the number of consecutive cells in z that each invocation processes.
    ///
    /// - Unit: cells
    /// - Default: depends on the device
    /// - Range: at least 1
    /// - Example: `16`
    #[serde(default)]
    pub march: Option<u32>,
    /// The number of consecutive cells in x that each invocation processes: `stage` is called for the first of them, and
    /// may read or write all of them at once, with accessors such as `air_u_x4` (docs/calls.md). `stage_width` is this
    /// number, or 1 where the cells in x are not a multiple of it. Requires a stage over cells of two or three axes, or one
    /// with `groups`, for which it only adds the accessors.
    ///
    /// - Unit: cells
    /// - Default: none: an invocation processes one cell in x
    /// - Range: 2 or 4
    /// - Example: `4`
    #[serde(default)]
    pub width: Option<u32>,
    /// Accepts a SPIR-V module without an interface hash; `--checked` does not cover it.
    ///
    /// - Default: `false`
    /// - Example: `true`
    #[serde(default)]
    pub unchecked: bool,
}

/// Arguments by name; or a list of parameters, each of which is an argument of its own name, while a group of parameters
/// stands for its members. Objects in the list have arguments by name.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "lists are written out before")]
pub(crate) enum ArgumentsFile {
    Named(Named<ArgumentFile>),
    List(Vec<ListedArgumentFile>),
}

/// The name of a parameter or of a group of them, or arguments by name.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "lists are written out before")]
pub(crate) enum ListedArgumentFile {
    Parameter(String),
    Named(Named<ArgumentFile>),
}

/// An argument: `float` (or `vec2` to `vec4` for a list of 2 to 4) by default, or with an explicit type.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ArgumentFile {
    Float(Numbers),
    Typed(TypedArgumentFile),
}

/// An argument with an explicit type.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TypedArgumentFile {
    /// Type of the argument.
    ///
    /// - Range: not `rgba8`
    /// - Example: `"uint"`
    #[serde(rename = "type")]
    pub element: Element,
    /// One number per component of the type.
    ///
    /// - Unit: yours
    /// - Range: whole numbers for `int` and `uint` types
    /// - Example: `"flakes.units"`
    pub value: Numbers,
}
