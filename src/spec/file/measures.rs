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

/// Scalars over time, reduced on the device: one file `<name>.csv` or `<name>.jsonl` with a line per frame, which has
/// the frame, its step, its time (s), and the values in their order. Lines are whole at any moment.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeriesFile {
    /// How lines are written: comma-separated values under a header, or one JSON object a line.
    ///
    /// - Example: `"csv"`
    pub format: SeriesFormatFile,
    /// Every n-th frame has a line, the n-th one first.
    ///
    /// - Unit: frames
    /// - Default: `1`
    /// - Range: 1 to 2³² - 1
    /// - Example: `10`
    #[serde(default)]
    pub every: Option<Number>,
    /// The values, by column name: `min`, `max`, `sum`, `mean` or `nonfinite` of a field, of one component
    /// (`"max(flakes.velocity.z)"`) or of the length of vectors (`"max(length(flakes.velocity))"`); one element
    /// (`"ledger[3]"`, `"air.u[4, 5, 6]"`); the live particles of a set (`"count(flakes)"`); the active blocks of a
    /// sparse grid (`"blocks(air)"`); the turns that repeats with `"while": "going"` took in the steps of the frame
    /// (`"turns(going)"`).
    ///
    /// - Range: 1 to 256 values; names as those of outputs
    /// - Example: `{"snow": "sum(ground.snow)", "fastest": "max(length(flakes.velocity))"}`
    pub values: Named<String>,
}

/// How a series is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SeriesFormatFile {
    Csv,
    Jsonl,
}

/// A look, every few steps, for values that should not be: NaN, infinities, and what lies outside the bounds that a
/// channel declares. The first one ends the run with its field, step, place and value.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WatchFile {
    /// Looks at the end of every n-th step.
    ///
    /// - Unit: steps
    /// - Range: 1 to 2³⁰
    /// - Example: `25`
    pub every: Number,
    /// The fields that are looked at; those of whole numbers need `bounds`.
    ///
    /// - Default: all float fields, and all with `bounds`, that steps write
    /// - Range: not `rgba8`
    /// - Example: `["air.u", "flakes.position"]`
    #[serde(default)]
    pub fields: Option<Vec<String>>,
}
