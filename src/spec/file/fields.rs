//! Entries about whole fields as they are written: fills, copies, swaps, reductions.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{Number, Numbers};
use crate::ir::Operation;

/// Sets every element of a field to one value.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Fill of a field")]
pub(crate) struct FillFile {
    /// The field: a channel of a dense lattice, an attribute, or a buffer. In a dynamic set, elements beyond the live
    /// particles are filled too.
    ///
    /// - Example: `"nodes.mass"`
    pub fill: String,
    /// The value: one number per component of the type; for `rgba8` one number with the bits of all four.
    ///
    /// - Unit: yours
    /// - Example: `[0, 0, -9.81]`
    pub value: Numbers,
    /// Runs only in every n-th step, starting with the first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `4`
    #[serde(default)]
    pub every: Option<Number>,
}

/// Copies every element of a field to another one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Copy of a field")]
pub(crate) struct CopyFile {
    /// The field that is read: a channel of a dense lattice, an attribute, or a buffer.
    ///
    /// - Example: `"air.u"`
    pub copy: String,
    /// The field that is written, of the same type and size.
    ///
    /// - Example: `"air.u_before"`
    pub to: String,
    /// Runs only in every n-th step, starting with the first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `4`
    #[serde(default)]
    pub every: Option<Number>,
}

/// Exchanges two fields without copying them: from here on, in later entries, steps, frames, outputs, measures and
/// checkpoints, each name stands for the other's memory. It costs nothing.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Swap of two fields")]
pub(crate) struct SwapFile {
    /// The two fields: channels of dense lattices, attributes of a set with `"ring": 1`, or buffers, of the same type and
    /// size. Attributes belong to one set. In a repeat with `while`, each turn must leave every name with the memory that
    /// it had before, so a pair is swapped an even number of times.
    ///
    /// - Range: in `init` and `step`
    /// - Example: `["air.u", "air.u_next"]`
    pub swap: [String; 2],
}

/// Puts the elements of a field together to one value: all cells of active blocks of a sparse grid, all particles that
/// live, else all elements.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Reduction of a field")]
pub(crate) struct ReduceFile {
    /// The field.
    ///
    /// - Range: not `rgba8`
    /// - Example: `"air.pressure"`
    pub reduce: String,
    /// How: each component for itself.
    ///
    /// - Example: `"max"`
    pub with: OperationFile,
    /// A buffer of one element, which takes the result. It has the type of the field; for a count it is `uint`, and the
    /// field has numbers, of which those count that are not 0.
    ///
    /// - Example: `"highest"`
    pub into: String,
    /// Runs only in every n-th step, starting with the first.
    ///
    /// - Unit: steps
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `4`
    #[serde(default)]
    pub every: Option<Number>,
}

/// How a reduction combines values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(title = "Operation of a reduction")]
pub(crate) enum OperationFile {
    Sum,
    Min,
    Max,
    Count,
}

impl OperationFile {
    pub(crate) fn operation(self) -> Operation {
        match self {
            OperationFile::Sum => Operation::Sum,
            OperationFile::Min => Operation::Min,
            OperationFile::Max => Operation::Max,
            OperationFile::Count => Operation::Count,
        }
    }
}
