//! Parameters before evaluation.

use serde_json::Value;

use super::values::{Number, Numbers, Pair};
use crate::spec::definitions::{Definitions, alternatives};
use crate::spec::node::{Content, Node};
use crate::spec::read::{Named, Read, Reader, Text, object};

/// A parameter, or a group of parameters.
#[derive(Debug, Clone)]
pub enum ParameterFile {
    Value(Numbers),
    Facts(Box<FactsFile>),
    Group(Named<ParameterFile>),
}

object! {
    /// A parameter, or a value that is computed from others, with its documentation.
    "Parameter with facts" FactsFile {
        /// The number, a list, or an expression of other parameters and sizes; a word, if it has `words`.
        ///
        /// - Unit: yours
        /// - Example: `"12 * dt / air.dx"`
        must value: Numbers,
        /// Words that are allowed as its value. They mean 0, 1, 2, ...
        ///
        /// - Default: none: its value is a number
        /// - Example: `["closed", "open", "periodic"]`
        may words: Vec<Text>,
        /// Its unit, printed after the value. `check` and `run` print all parameters that have a `unit` or a `help`;
        /// `manifest.json` contains them.
        ///
        /// - Default: none
        /// - Example: `"m/s"`
        may unit: Text,
        /// The smallest and the largest useful value. `check` and `run` warn about other values; they are the ends of
        /// the slider in the window.
        ///
        /// - Unit: the unit of the parameter
        /// - Default: every number is useful
        /// - Range: the smaller first
        /// - Example: `[0, 1]`
        may range: Pair,
        /// What to change if the value is outside its range. The warning contains this text.
        ///
        /// - Default: none
        /// - Example: `"choose shorter steps"`
        may help: Text,
        /// The input that sets it in the window before each frame: `pointer.at` (a vector of two: the position in the
        /// picture, from (0, 0) at the lower left corner to (1, 1)), `pointer.moved` (the movement of the pointer since
        /// the previous frame, in the same unit), `pointer.left` and `pointer.right` (1 while the button is held, else
        /// 0), `key b` (1 while the key is held: a letter, a digit, or `up`, `down`, `left`, `right`), or
        /// `pointer.scene in view.depth` (a vector of three: the position in the scene under the pointer in m, from a
        /// float channel of an image that contains the distance from the eye of the first camera in `parameters`; its
        /// `fov` is the vertical angle in degrees).
        ///
        /// - Default: nothing
        /// - Example: `"pointer.at"`
        may input: Text,
    }
}

impl Read for ParameterFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Object(_) if node.get("value").is_some() => {
                Read::read(node, reader).map(ParameterFile::Facts)
            }
            Content::Object(_) => Read::read(node, reader).map(ParameterFile::Group),
            _ => Read::read(node, reader).map(ParameterFile::Value),
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "A parameter: a number, an expression, a list of these, an object with `value`, or an object of parameters.";
        alternatives(definitions, "Parameter", about, |definitions| {
            let (number, facts) = (Number::schema(definitions), FactsFile::schema(definitions));
            let list = Vec::<Number>::schema(definitions);
            vec![number, list, facts, Named::<ParameterFile>::schema(definitions)]
        })
    }
}
