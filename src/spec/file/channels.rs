//! Channels and attributes before evaluation: types, locations, borders and initial values.

use serde_json::{Value, json};

use super::sources::SourceFile;
use super::values::{Number, Numbers, Pair};
use crate::element::Element;
use crate::ir::{Border, Borders, Location};
use crate::spec::definitions::{Definitions, alternatives};
use crate::spec::node::{Content, Node};
use crate::spec::read::{Read, Reader, object, words};

/// A channel or attribute: its type alone, or with other properties.
#[derive(Debug, Clone)]
pub enum ChannelFile {
    Type(TypeFile),
    Full(Box<FullChannelFile>),
}

object! {
    /// The type of a channel or attribute, and its other properties.
    "Channel" FullChannelFile {
        /// Type of an element. A channel that a role needs may be of any type of numbers: `number`.
        ///
        /// - Example: `"float"`
        must kind as "type": TypeFile,
        /// Makes it an array of this many values per element. Shaders read and write them by number, from 0:
        /// `air_f(cell, 18)`, `set_air_f(cell, 18, 0.5)`; `air_f_entries` is the count.
        ///
        /// - Default: none: a single value
        /// - Range: 1 to 65 536; not for `rgba8`
        /// - Example: `19`
        may count: Number,
        /// Initial value of every component; a faulting read also returns it.
        ///
        /// - Unit: yours
        /// - Default: `0`
        /// - Range: a value of the type
        /// - Example: `-1`
        may background: Number,
        /// Smallest and largest allowed value of every component, which the watch checks.
        ///
        /// - Unit: yours
        /// - Default: every finite number is allowed
        /// - Range: numbers of the type, the smaller first; not for `rgba8`, `int64` and `uint64`
        /// - Example: `[-100, 100]`
        may bounds: Pair,
        /// Location of each value in its cell. `face_x` is the face perpendicular to x, for velocities along x: along
        /// x, there is one more face than cells. `node` is a corner of a cell: there is one more along each axis. Along
        /// an axis with the border `repeat` there are as many faces or corners as cells, since the last one is the
        /// first one.
        ///
        /// - Default: none: as `centre`, without functions for positions and samples
        /// - Range: for channels of cells; sparse grids have only `centre`
        /// - Example: `"face_x"`
        may at: Location,
        /// The result of a read beyond the border: the `background` of the channel, the nearest value (`clamp`), the
        /// value one period away (`repeat`; a read more than one period away is a fault), the value at the mirror image
        /// (`symmetric`), or its opposite (`antisymmetric`). One word applies to all axes; a list has one word for each
        /// axis, x first. Writes beyond the border are faults.
        ///
        /// - Default: none: such a read is a fault
        /// - Range: for channels of grids; a list has 2 words for 2 axes, 3 for 3
        /// - Example: `"clamp"`
        may border: BorderFile,
        /// Values of the channel before the first stage: an expression (for vectors and arrays, a list of them) of the
        /// position `x`, `y`, `z` of each value in m and its index `i`, x fastest; for pixels, `x` and `y` are those of
        /// the pixel. Or a source: the numbers of a `file`, or 1 inside a `mesh`, a `box` or a `sphere` and 0 outside.
        ///
        /// - Unit: yours
        /// - Default: the background
        /// - Range: for channels of dense grids
        /// - Example: `"exp(-(x^2 + y^2))"`
        may values: ValuesFile,
        /// In a role: the user may omit the channel. Stages that list it compile without it; `HAS_<name>` is 1 in
        /// shaders with the channel, 0 in shaders without it.
        ///
        /// - Default: `false`
        /// - Range: in `roles`
        /// - Example: `true`
        all optional: bool,
        /// For a channel that a role adds: the channel exists only if this is not 0. Otherwise, stages that list it
        /// compile without it.
        ///
        /// - Default: the channel exists
        /// - Range: in `adds`; uses parameters and `has`
        /// - Example: `"has(grid.rho)"`
        may only as "if": Number,
    }
}

impl ChannelFile {
    fn kind(&self) -> TypeFile {
        match self {
            ChannelFile::Type(kind) => *kind,
            ChannelFile::Full(full) => full.kind,
        }
    }

    pub fn element(&self) -> Element {
        self.kind().element
    }

    /// True if any type of numbers is allowed.
    pub fn is_any_number(&self) -> bool {
        self.kind().is_any_number
    }

    pub fn full(&self) -> Option<&FullChannelFile> {
        match self {
            ChannelFile::Type(_) => None,
            ChannelFile::Full(full) => Some(full),
        }
    }
}

impl Read for ChannelFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Object(_) => Read::read(node, reader).map(ChannelFile::Full),
            _ if node.text().is_some() => Read::read(node, reader).map(ChannelFile::Type),
            _ => {
                const FORM: &str = "write one such as \"float\" or {\"type\": \"float\"}";
                reader.expected(node, "a type or an object", FORM)
            }
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        json!({"anyOf": [TypeFile::schema(definitions), FullChannelFile::schema(definitions)]})
    }
}

/// The type of a channel.
#[derive(Debug, Clone, Copy)]
pub struct TypeFile {
    /// For `number`, the type of a channel that the module adds itself.
    pub element: Element,
    pub is_any_number: bool,
}

/// The word for any type of numbers.
const NUMBER: &str = "number";

impl Read for TypeFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let is_any_number = node.text() == Some(NUMBER);
        let element = if is_any_number {
            Element::Float
        } else {
            Element::read(node, reader)?
        };
        Some(TypeFile {
            element,
            is_any_number,
        })
    }

    fn schema(definitions: &mut Definitions) -> Value {
        json!({"anyOf": [Element::schema(definitions), {"const": NUMBER}]})
    }
}

words! {
    /// Location of each value of a channel in its cell.
    "Location" Location {
        "centre" => Self::Centre, "face_x" => Self::Face(0), "face_y" => Self::Face(1), "face_z" => Self::Face(2),
        "node" => Self::Node,
    }
}

words! {
    /// The result of a read beyond the border along an axis.
    "Border along an axis" Border {
        "background" => Self::Background, "clamp" => Self::Clamp, "repeat" => Self::Repeat,
        "symmetric" => Self::Symmetric, "antisymmetric" => Self::Antisymmetric,
    }
}

/// The result of a read beyond the border of a channel: one word for all axes, or a list with one for each axis.
#[derive(Debug, Clone)]
pub enum BorderFile {
    All(Border),
    Each(Vec<Border>),
}

impl BorderFile {
    /// The border of each axis. One word applies to all axes.
    pub fn borders(&self) -> Option<Borders> {
        match self {
            BorderFile::All(word) => Borders::of_axes(std::slice::from_ref(word)),
            BorderFile::Each(words) => Borders::of_axes(words),
        }
    }
}

impl Read for BorderFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Array(_) => Read::read(node, reader).map(BorderFile::Each),
            _ => Read::read(node, reader).map(BorderFile::All),
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "The result of a read beyond the border of a channel: one word for all axes, or a list with one for each \
                     axis, x first.";
        alternatives(definitions, "Border", about, |definitions| {
            let word = Border::schema(definitions);
            let list = json!({"type": "array", "items": word, "minItems": 2, "maxItems": 3});
            vec![word, list]
        })
    }
}

/// Values of a channel before the first stage.
#[derive(Debug, Clone)]
pub enum ValuesFile {
    Expression(Numbers),
    Source(Box<SourceFile>),
    /// Values with a mistake, already reported.
    Broken,
}

impl Read for ValuesFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let read = match &node.content {
            Content::Object(_) => Read::read(node, reader).map(ValuesFile::Source),
            _ => Read::read(node, reader).map(ValuesFile::Expression),
        };
        Some(read.unwrap_or(ValuesFile::Broken))
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "Values of a channel before the first stage: an expression, or a source.";
        alternatives(definitions, "Values of a channel", about, |definitions| {
            vec![Numbers::schema(definitions), SourceFile::schema(definitions)]
        })
    }
}
