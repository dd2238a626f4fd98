//! Values that many sections of a pipeline file have in common.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::element::Element;

/// Insertion-ordered map: the order in the file is the order of errors, arguments and listings.
pub(crate) type Named<T> = indexmap::IndexMap<String, T>;

/// A number, or an expression in quotes over parameters and derived quantities, such as `"2 * wind.speed"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Number {
    Value(f64),
    Expression(String),
}

/// A parameter: a number, an expression, a list of those, or an object of parameters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Parameter {
    Number(Number),
    Vector(Vec<Number>),
    Group(Named<Parameter>),
}

/// One number or expression, or a list of them. A string may also be the name of a vector parameter.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Numbers {
    One(Number),
    Many(Vec<Number>),
}

/// The type of a channel or attribute: an element type, or an object with a type and further properties.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ChannelFile {
    Element(Element),
    Full(Box<FullChannelFile>),
}

/// The type of a channel and its other properties.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FullChannelFile {
    /// Type of an element.
    ///
    /// - Example: `"float"`
    #[serde(rename = "type")]
    pub element: Element,
    /// Makes it an array of this many values per element. Shaders read and write them by number, from 0:
    /// `air_f(cell, 18)`, `set_air_f(cell, 18, 0.5)`; `air_f_entries` is the count.
    ///
    /// - Default: none: a single value
    /// - Range: 1 to 65 536; not for `rgba8`
    /// - Example: `19`
    #[serde(default)]
    pub count: Option<Number>,
    /// Initial value of every component; a faulting read also returns it.
    ///
    /// - Unit: yours
    /// - Default: `0`
    /// - Range: a value of the type
    /// - Example: `-1`
    #[serde(default)]
    pub background: Option<Number>,
    /// Smallest and largest allowed value of every component; `watch` checks them.
    ///
    /// - Unit: yours
    /// - Default: every finite number is allowed
    /// - Range: numbers of the type, the smaller first; not for `rgba8`, `int64` and `uint64`
    /// - Example: `[-100, 100]`
    #[serde(default)]
    pub bounds: Option<[Number; 2]>,
    /// Where in its cell each value lies. `face_x` is the face perpendicular to x, where a flow along x belongs: along x,
    /// there is one more face than there are cells. `node` is a corner of a cell: there is one more along each axis. Along
    /// an axis with the border `repeat` there are as many as cells: the last one is the first one.
    ///
    /// - Default: none: as `centre`, without functions for positions and samples
    /// - Range: for channels of grids; sparse grids have only `centre`
    /// - Example: `"face_x"`
    #[serde(default)]
    pub at: Option<LocationFile>,
    /// What a read beyond the border returns: the channel's `background`, the nearest value (`clamp`), or the value one
    /// period away (`repeat`; a read more than one period away is a fault). One word is for all axes; a list has one for
    /// each axis, x first. Writes beyond the border are faults.
    ///
    /// - Default: none: such a read is a fault
    /// - Range: for channels of grids, height fields and images; a list has 2 words for 2 axes, 3 for 3
    /// - Example: `"clamp"`
    #[serde(default)]
    pub border: Option<BorderFile>,
    /// Values of the channel before the first stage.
    ///
    /// - Default: the background
    /// - Range: for channels of dense grids, height fields and images
    /// - Example: `{"expression": "exp(-(x^2 + y^2))"}`
    #[serde(default)]
    pub values: Option<ChannelValuesFile>,
}

/// Where in its cell each value of a channel lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LocationFile {
    Centre,
    FaceX,
    FaceY,
    FaceZ,
    Node,
}

/// What a read beyond the border of a channel returns: one word for all axes, or a list with one for each axis, x first.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum BorderFile {
    All(BorderWordFile),
    Each(#[schemars(length(min = 2, max = 3))] Vec<BorderWordFile>),
}

/// What a read beyond the border along an axis returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BorderWordFile {
    Background,
    Clamp,
    Repeat,
}

/// Values of a channel before the first stage: from an array, an expression, or a mesh.
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
    /// Path of an npy file, relative to the file in which it is written. Its axes are those of an output of the channel:
    /// z, y, x, then the values of an array, then the components if there are several (four bytes for `rgba8`). Float
    /// types require floats, integer types require integers.
    ///
    /// - Example: `"assets/density.npy"`
    pub npy: String,
}

/// The values of an expression.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpressionValuesFile {
    /// A number or expression for each component; for an array, for each component of each value in turn. Expressions can
    /// also use the position `x`, `y`, `z` of the value in m, and the index `i` of the element, x fastest, from 0. For
    /// images, `x` and `y` are those of the pixel.
    ///
    /// - Unit: yours
    /// - Range: not for `rgba8`
    /// - Example: `"exp(-(x^2 + y^2))"`
    pub expression: Numbers,
}

/// 1 where a value lies inside a closed triangle mesh, 0 where it lies outside. Every edge must have two triangles (or
/// another even number), in any orientation; a shell inside another is a cavity.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshValuesFile {
    /// Path of an OBJ or PLY file, relative to the file in which it is written.
    ///
    /// - Range: for channels of 3-D grids with one number per element
    /// - Example: `"assets/bunny.obj"`
    pub mesh: String,
    /// Factor for the coordinates, applied first: one number, or one for each axis of the file.
    ///
    /// - Default: `1`
    /// - Range: not 0
    /// - Example: `0.05`
    #[serde(default)]
    pub scale: Option<Numbers>,
    /// Rotation about the x axis, then y, then z.
    ///
    /// - Unit: degrees
    /// - Default: `[0, 0, 0]`
    /// - Example: `[90, 0, 0]`
    #[serde(default)]
    pub rotate: Option<Numbers>,
    /// Position of the origin of the file.
    ///
    /// - Unit: m
    /// - Default: `[0, 0, 0]`
    /// - Example: `[0.5, 0.5, 0.1]`
    #[serde(rename = "move", default)]
    pub shift: Option<Numbers>,
}
