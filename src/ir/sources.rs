//! Sources of the particles of a set.

use std::path::PathBuf;

use crate::element::{Element, shown};
use crate::expr::Formula;
use crate::particles::fill::Body;
use crate::particles::placing::Placing;

use super::ids::FieldId;

/// Particles of a set before the first stage, from one source.
#[derive(Debug, Clone)]
pub struct ParticleSource {
    pub origin: ParticleOrigin,
    /// Number of particles of earlier sources.
    pub first: u64,
    /// Number of its particles.
    pub count: u64,
    /// The attribute that receives the positions.
    pub position: FieldId,
    /// Attributes with expressions, one for each component.
    pub set: Vec<(FieldId, Vec<Component>)>,
    /// JSON pointer of the source, for messages.
    pub pointer: String,
}

#[derive(Debug, Clone)]
pub enum ParticleOrigin {
    /// A body, filled on a lattice.
    Filled {
        body: Body,
        /// Distance of neighbours, m.
        spacing: f64,
        /// Random offset of each coordinate, at most half of this fraction of the spacing.
        jitter: f64,
    },
    /// Points of a file.
    Points {
        path: PathBuf,
        placing: Placing,
        /// Attributes in the file besides positions.
        fields: Vec<FieldId>,
    },
}

/// One component of a value.
#[derive(Debug, Clone)]
pub enum Component {
    /// The bits of a constant.
    Bits(u64),
    /// A formula of the variables [`VARIABLES`].
    Formula(Box<Formula>),
}

impl Component {
    /// The bits of the value for these variables; the error shows a value that does not fit. `scratch` is memory for
    /// the evaluation.
    pub fn bits(&self, element: Element, variables: [f64; 4], scratch: &mut Vec<f64>) -> Result<u64, String> {
        match self {
            Component::Bits(bits) => Ok(*bits),
            Component::Formula(formula) => {
                let value = formula.value(&variables, scratch);
                let bits = element.component_bits(value).filter(|_| value.is_finite());
                bits.ok_or_else(|| format!("`{}` is {}", formula.text(), shown(value)))
            }
        }
    }
}

/// Variables in expressions of a particle or an element: its position in m, and its index.
pub const VARIABLES: [&str; 4] = ["x", "y", "z", "i"];

impl ParticleSource {
    /// The file of the source, and the key that names the file.
    pub fn file(&self) -> Option<(&'static str, &PathBuf)> {
        match &self.origin {
            ParticleOrigin::Points { path, .. } => Some(("file", path)),
            ParticleOrigin::Filled {
                body: Body::Mesh { path, .. },
                ..
            } => Some(("mesh", path)),
            ParticleOrigin::Filled { .. } => None,
        }
    }
}
