//! Worlds before evaluation.

use serde_json::Value;

use super::values::{Number, Numbers};
use crate::spec::definitions::{Definitions, alternatives};
use crate::spec::node::{Content, Node};
use crate::spec::read::{Named, Read, Reader, object};

object! {
    /// Independent copies of the pipeline that run in the same dispatches.
    "Worlds" WorldsFile {
        /// Number of worlds; `--worlds` overrides it.
        ///
        /// - Default: the length of the lists in `set`, otherwise 1
        /// - Range: 1 to 65 535
        /// - Example: `256`
        may count: Number,
        /// Values that differ between worlds, by the path that `--set` would have: for each world one in a list, or an
        /// expression of `world`, the number of the world from 0, and `worlds`, their count. They may change initial values, the
        /// seed (`run.seed`) and arguments of kernels, but no size.
        ///
        /// - Unit: that of the value
        /// - Default: all worlds have the same values; the seed is `run.seed` plus the number of the world
        /// - Example: `{"air.lift": "2 + 4 * world / worlds"}`
        all set: Named<WorldValuesFile>,
    }
}

/// The values of a path in the worlds.
#[derive(Debug, Clone)]
pub enum WorldValuesFile {
    /// One expression for all worlds.
    Formula(Number),
    /// One value for each world.
    Listed(Vec<Numbers>),
}

impl Read for WorldValuesFile {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Array(_) => Read::read(node, reader).map(WorldValuesFile::Listed),
            _ => Read::read(node, reader).map(WorldValuesFile::Formula),
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "A value for each world in a list, or an expression of `world`, the number of the world.";
        alternatives(definitions, "World values", about, |definitions| {
            vec![Number::schema(definitions), Vec::<Numbers>::schema(definitions)]
        })
    }
}
