//! Values that many sections of a pipeline file have in common.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::element::Element;

/// Insertion-ordered map: the order in the file is the order of errors, arguments and listings.
pub(crate) type Named<T> = indexmap::IndexMap<String, T>;

/// A number, or an expression over parameters and derived quantities in quotes, such as `"2 * wind.speed"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Number {
    Value(f64),
    Expression(String),
}

/// A parameter: a number, an expression, a vector of those, or a group of parameters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Parameter {
    Number(Number),
    Vector(Vec<Number>),
    Group(Named<Parameter>),
}

/// One number or expression, or a list of them; a text may also name a whole vector parameter.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Numbers {
    One(Number),
    Many(Vec<Number>),
}

/// The type of a channel or attribute: its element type, or that with a background.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ChannelFile {
    Element(Element),
    Full(FullChannelFile),
}

/// The type of a channel with its background.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FullChannelFile {
    /// Type of an element.
    ///
    /// - Example: `"float"`
    #[serde(rename = "type")]
    pub element: Element,
    /// Initial value of every component, and what a faulting read returns.
    ///
    /// - Unit: yours
    /// - Default: `0`
    /// - Range: a value of the type
    /// - Example: `-1`
    #[serde(default)]
    pub background: Option<Number>,
    /// Least and greatest value that every component should have, for `watch` to look at.
    ///
    /// - Unit: yours
    /// - Default: any number is good
    /// - Range: numbers of the type, the lesser first; not for `rgba8`
    /// - Example: `[-100, 100]`
    #[serde(default)]
    pub bounds: Option<[Number; 2]>,
    /// Where in their cells the values lie. `face_x` are the faces across x, on which flows along x stand: there is one
    /// more of them along x than cells. `node` are the corners of cells, one more along each axis. A channel that states
    /// it can be sampled between its values.
    ///
    /// - Default: the centres, without samples
    /// - Range: for channels of grids; `centre` alone in sparse grids
    /// - Example: `"face_x"`
    #[serde(default)]
    pub at: Option<LocationFile>,
    /// What a read beyond the border gives: the channel's `background`, the nearest value (`clamp`), or the value one
    /// period away (`repeat`; a read more than a period away is a fault). Writes beyond the border are faults.
    ///
    /// - Default: such a read is a fault
    /// - Range: for channels of grids, height fields and images
    /// - Example: `"clamp"`
    #[serde(default)]
    pub border: Option<BorderFile>,
    /// What the channel holds before the first stage.
    ///
    /// - Default: the background
    /// - Range: for channels of dense grids, height fields and images
    /// - Example: `{"expression": "exp(-(x^2 + y^2))"}`
    #[serde(default)]
    pub values: Option<ChannelValuesFile>,
}

/// Where in their cells the values of a channel lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LocationFile {
    Centre,
    FaceX,
    FaceY,
    FaceZ,
    Node,
}

/// What a read beyond the border of a channel gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BorderFile {
    Background,
    Clamp,
    Repeat,
}

/// What a channel holds before the first stage: an array, an expression, or a mesh.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ChannelValuesFile {
    Array(ArrayValuesFile),
    Expression(ExpressionValuesFile),
    Mesh(MeshValuesFile),
}

/// The numbers of a NumPy array.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArrayValuesFile {
    /// Path of an npy file, relative to the file that says so. Its axes are those of an output of the channel: z, y, x,
    /// then the components if there are several (four bytes for `rgba8`). Floats are for floats, whole numbers for
    /// whole numbers.
    ///
    /// - Example: `"assets/density.npy"`
    pub npy: String,
}

/// The values of an expression.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpressionValuesFile {
    /// A number or expression for each component. Besides what other expressions know there are the position `x`, `y`,
    /// `z` of the value in m and the number `i` of the element, x fastest, from 0. Of images, x and y are those of the
    /// pixel.
    ///
    /// - Unit: yours
    /// - Range: not for `rgba8`
    /// - Example: `"exp(-(x^2 + y^2))"`
    pub expression: Numbers,
}

/// 1 where a value lies inside a closed triangle mesh, 0 where it lies outside. Every edge must have two triangles (or an
/// even number), whichever way they turn; a shell within another is a cavity.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshValuesFile {
    /// Path of an OBJ or PLY file, relative to the file that says so.
    ///
    /// - Range: for channels of 3-D grids with one number per element
    /// - Example: `"assets/bunny.obj"`
    pub mesh: String,
    /// What coordinates are multiplied by first: one factor, or one for each axis of the file.
    ///
    /// - Default: `1`
    /// - Range: not 0
    /// - Example: `0.05`
    #[serde(default)]
    pub scale: Option<Numbers>,
    /// Turns about the x axis, then y, then z.
    ///
    /// - Unit: degrees
    /// - Default: `[0, 0, 0]`
    /// - Example: `[90, 0, 0]`
    #[serde(default)]
    pub rotate: Option<Numbers>,
    /// Where the origin of the file comes to lie.
    ///
    /// - Unit: m
    /// - Default: `[0, 0, 0]`
    /// - Example: `[0.5, 0.5, 0.1]`
    #[serde(rename = "move", default)]
    pub shift: Option<Numbers>,
}
