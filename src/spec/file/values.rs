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
    Full(FullChannelFile),
}

/// The type of a channel with its background and bounds.
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
}
