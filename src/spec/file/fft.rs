//! Transforms as they are written.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::Number;

/// Transforms a field along some or all of its axes: a discrete Fourier transform, or a cosine or sine transform of real
/// values. The other axes, entries of arrays and further components are transformed one by one. See docs/fft.md.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Fourier transform")]
pub(crate) struct FftFile {
    /// The field that is transformed: a channel of a dense lattice, or a buffer. A complex number is a pair of components:
    /// `vec2` has one, `vec4` two; `hvec2` and `hvec4` are stored as halves and computed as floats.
    ///
    /// - Range: types of `float` and `half` components
    /// - Example: `"air.spectrum"`
    pub fft: String,
    /// The field that receives the transform. For complex numbers it has as many components and the same size. A
    /// transform of real numbers to complex ones has twice as many components, and n / 2 + 1 values (rounded down) instead
    /// of n along the first of the transformed axes; the inverse of it has the opposite.
    ///
    /// - Default: the field itself
    /// - Example: `"waves.spectrum"`
    #[serde(default)]
    pub into: Option<String>,
    /// The axes along which it is transformed.
    ///
    /// - Default: all axes of the field
    /// - Example: `["x", "y"]`
    #[serde(default)]
    pub axes: Option<Vec<AxisFile>>,
    /// Transforms back. A forward transform is not scaled; the inverse is, so that it restores the values.
    ///
    /// - Default: `false`
    /// - Example: `true`
    #[serde(default)]
    pub inverse: bool,
    /// What the values are expanded in.
    ///
    /// - Default: `"fourier"`
    /// - Example: `"cosine"`
    #[serde(default)]
    pub kind: TransformFile,
    /// Runs only in every n-th step (for frame stages, every n-th frame), starting with the first.
    ///
    /// - Unit: steps or frames
    /// - Default: `1`
    /// - Range: 1 to 2³⁰
    /// - Example: `8`
    #[serde(default)]
    pub every: Option<Number>,
}

/// An axis of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(title = "Axis")]
pub(crate) enum AxisFile {
    X,
    Y,
    Z,
}

/// What values are expanded in: `fourier` is periodic. For real values at the centres of cells, `cosine` has slope 0 at
/// both walls (DCT-II, inverse DCT-III), `sine` has value 0 there (DST-II, inverse DST-III).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(title = "Type of a transform")]
pub(crate) enum TransformFile {
    #[default]
    Fourier,
    Cosine,
    Sine,
}
