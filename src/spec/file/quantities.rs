//! Numbers that a pipeline derives for people.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::Number;

/// A number that people should see.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Quantity")]
pub(crate) struct QuantityFile {
    /// The number, mostly an expression.
    ///
    /// - Unit: yours
    /// - Example: `"12 * dt / air.dx"`
    pub value: Number,
    /// Its unit, which is printed behind it.
    ///
    /// - Default: none
    /// - Example: `"m/s"`
    #[serde(default)]
    pub unit: Option<String>,
    /// The smallest and the largest safe value. Others give a warning; the run goes on.
    ///
    /// - Unit: that of the number
    /// - Default: every number is safe
    /// - Range: the smaller first
    /// - Example: `[0, 1]`
    #[serde(default)]
    pub range: Option<[Number; 2]>,
    /// What to change if the number is not safe; the warning says it.
    ///
    /// - Default: none
    /// - Example: `"choose shorter steps"`
    #[serde(default)]
    pub help: Option<String>,
}
