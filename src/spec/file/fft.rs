//! Transforms as they are written.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{Number, Numbers};

/// Transforms a field along some or all of its axes: a discrete Fourier transform, or a cosine, sine or Hartley transform
/// of real values. The other axes, entries of arrays and further components are transformed one by one. See docs/fft.md.
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
    pub kind: Option<TransformFile>,
    /// Instead of `kind`: what the sides of the domain are along each axis. Real values at the centres of cells are then
    /// expanded in the eigenvectors of Laplace's operator.
    ///
    /// - Default: none, `kind` counts
    /// - Example: `{"low": [0, 0, 0], "high": [0, 0, 1]}`
    #[serde(default)]
    pub sides: Option<SidesFile>,
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

/// What values are expanded in: `fourier` is periodic, and so is `hartley`, for real values. For real values at the centres
/// of cells, `cosine` has slope 0 at both walls (DCT-II, inverse DCT-III), `sine` has value 0 there (DST-II, inverse DST-III).
/// Others continue the values at their ends: `cosine_1` (DCT-I) has slope 0 at the first and the last value, `sine_1` (DST-I)
/// value 0 one cell before the first and after the last; `sine_7` (DST-VII, inverse DST-VI) has value 0 one cell before the
/// first and slope 0 half a cell after the last, `cosine_8` (DCT-VIII) the opposite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(title = "Type of a transform")]
pub(crate) enum TransformFile {
    Fourier,
    Hartley,
    Cosine,
    Sine,
    #[serde(rename = "cosine_1")]
    Cosine1,
    #[serde(rename = "sine_1")]
    Sine1,
    #[serde(rename = "sine_7")]
    Sine7,
    #[serde(rename = "cosine_8")]
    Cosine8,
}

/// The lower and the upper side of each axis, as in docs/pressure.md: 0 closed (slope 0 at the wall), 1 open (value 0 at the
/// centre of the next cell beyond), 2 periodic, at both sides. One number for each axis of the field; more are ignored.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Sides of a transform")]
pub(crate) struct SidesFile {
    /// The lower sides.
    ///
    /// - Range: 0, 1 or 2 for each axis
    /// - Example: `[0, 2]`
    pub low: Numbers,
    /// The upper sides.
    ///
    /// - Range: 0, 1 or 2 for each axis
    /// - Example: `[1, 2]`
    pub high: Numbers,
}
