//! Parameters as they are written.

use serde_json::Value;

use super::values::{Number, Numbers, Pair};
use crate::spec::node::{Content, Node};
use crate::spec::read::{Definitions, Named, Read, Reader, Text, alternatives, object};

/// A parameter, or a group of parameters.
#[derive(Debug, Clone)]
pub enum ParameterFile {
    Value(Numbers),
    Facts(Box<FactsFile>),
    Group(Named<ParameterFile>),
}

object! {
    /// A parameter, or a number that follows from others, with what people should know about it.
    "Parameter with facts" FactsFile {
        /// The number, a list, or an expression of other parameters and sizes; a word, if it has `words`.
        ///
        /// - Unit: yours
        /// - Example: `"12 * dt / air.dx"`
        must value: Numbers,
        /// The words that may be written as its value, which stand for 0, 1, 2, ...
        ///
        /// - Default: none: its value is a number
        /// - Example: `["closed", "open", "periodic"]`
        may words: Vec<Text>,
        /// Its unit, which is printed behind it. `check` and `run` print all parameters that have a `unit` or a `help`;
        /// `manifest.json` has them.
        ///
        /// - Default: none
        /// - Example: `"m/s"`
        may unit: Text,
        /// The smallest and the largest useful value. `check` and `run` warn of others; sliders of the window go from one to
        /// the other.
        ///
        /// - Unit: that of the parameter
        /// - Default: every number is useful
        /// - Range: the smaller first
        /// - Example: `[0, 1]`
        may range: Pair,
        /// What to change if it is outside its range; the warning says it.
        ///
        /// - Default: none
        /// - Example: `"choose shorter steps"`
        may help: Text,
        /// What a person sets it with in the window, before each frame: `pointer.at` (a vector of two: the place in the
        /// picture, from (0, 0) at the lower left corner to (1, 1)), `pointer.moved` (how far the pointer has moved since the
        /// frame before, in the same unit), `pointer.left` and `pointer.right` (1 while the button is held, else 0),
        /// `key b` (1 while the key is held: a letter, a digit, or `up`, `down`, `left`, `right`), or `pointer.scene in
        /// view.depth` (a vector of three: the place in the scene under the pointer, m, from a float channel of an image with
        /// the distance from the eye of the first camera of `parameters`, whose `fov` is its vertical angle in degrees).
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
        let about = "A parameter: a number, an expression, a list of those, an object with `value`, or an object of parameters.";
        alternatives(definitions, "Parameter", about, |definitions| {
            let (number, facts) = (Number::schema(definitions), FactsFile::schema(definitions));
            let list = Vec::<Number>::schema(definitions);
            vec![number, list, facts, Named::<ParameterFile>::schema(definitions)]
        })
    }
}
