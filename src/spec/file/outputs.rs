//! What a run writes, as it stands in the file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Number;

/// One kind of file that a run writes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputFile {
    /// Field that is written: `<resource>.<channel>`, or the name of a buffer.
    ///
    /// - Example: `"view.color"`
    pub source: String,
    /// How it is written: `png` takes `rgba8` image channels only, `npy` (NumPy) anything.
    ///
    /// - Default: `png` for rgba8, else `npy`
    /// - Example: `"npy"`
    #[serde(default)]
    pub format: Option<FormatFile>,
    /// Every n-th frame is written, the n-th one first.
    ///
    /// - Unit: frames
    /// - Default: `1`
    /// - Range: 1 to 2⁴⁰
    /// - Example: `10`
    #[serde(default)]
    pub every: Option<Number>,
}

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FormatFile {
    Png,
    Npy,
}
