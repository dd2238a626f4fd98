//! Scalars over time and the watch, as they are written.

use schemars::JsonSchema;
use serde::Deserialize;

use super::outputs::OutputFile;
use super::values::{Named, Number};

/// What a run writes: fields, frame by frame, or a series of scalars.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum OutputEntryFile {
    Fields(Box<OutputFile>),
    Series(SeriesFile),
}

/// Scalars over time, reduced on the device. The file `<name>.csv` or `<name>.jsonl` has one line for the initial state,
/// frame 0, and one per frame: the frame, its step, its time (s), and the values in their order. The file always contains
/// complete lines.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeriesFile {
    /// Format of the lines: comma-separated values below a header, or one JSON object per line.
    ///
    /// - Example: `"csv"`
    pub format: SeriesFormatFile,
    /// Every n-th frame has a line: frame 0, which is the initial state, frame n, and so on.
    ///
    /// - Unit: frames
    /// - Default: `1`
    /// - Range: 1 to 2³² - 1
    /// - Example: `10`
    #[serde(default)]
    pub every: Option<Number>,
    /// The values, by name: `min`, `max`, `sum`, `mean` or `nonfinite` of a field, of one component
    /// (`"max(flakes.velocity.z)"`) or of the length of vectors (`"max(length(flakes.velocity))"`); one element
    /// (`"ledger[3]"`, `"air.u[4, 5, 6]"`); the number of live particles of a set (`"count(flakes)"`) or of active
    /// blocks of a sparse grid (`"blocks(air)"`); the turns that repeats with `"while": "going"` took in the steps of
    /// the frame (`"turns(going)"`); of a repeat `substep` with `"while": "clock.left"` these turns (`"turns(substep)"`), and
    /// the time in s that they have not gone through (`"left(substep)"`). Or an expression of these, numbers and
    /// parameters (`"max(air.u.x) - min(air.u.x)"`, `"sum(ground.snow) / 65536"`).
    ///
    /// - Range: 1 to 256 values; names like those of outputs
    /// - Example: `{"snow": "sum(ground.snow)", "fastest": "max(length(flakes.velocity))"}`
    pub values: Named<String>,
}

/// File format of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SeriesFormatFile {
    Csv,
    Jsonl,
}

/// A check, every few steps, for bad values: NaN, infinities, and values outside the `bounds` of a channel. The first
/// one ends the run with a message that names its field, step, index and value.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WatchFile {
    /// The check runs after every n-th step.
    ///
    /// - Unit: steps
    /// - Range: 1 to 2³⁰
    /// - Example: `25`
    pub every: Number,
    /// The fields that are checked. Integer fields require `bounds`.
    ///
    /// - Default: all float fields, and all with `bounds`, that steps write
    /// - Range: not `rgba8`
    /// - Example: `["air.u", "flakes.position"]`
    #[serde(default)]
    pub fields: Option<Vec<String>>,
}
