//! Bodies that are filled: as they are named, and with their files read.

use std::path::PathBuf;

use super::mesh::{Mesh, read_mesh};
use crate::particles::placing::Placing;

/// What is filled, in metres.
#[derive(Debug, Clone)]
pub enum Solid {
    /// Least and greatest corner.
    Box([[f64; 3]; 2]),
    Sphere {
        centre: [f64; 3],
        radius: f64,
    },
    /// Inside is where a ray to the outside crosses the surface an odd number of times.
    Mesh(Mesh),
}

/// What is filled, as a pipeline file names it, in metres.
#[derive(Debug, Clone)]
pub enum Body {
    /// Least and greatest corner.
    Box([[f64; 3]; 2]),
    Sphere {
        centre: [f64; 3],
        radius: f64,
    },
    Mesh {
        path: PathBuf,
        placing: Placing,
    },
}

impl Body {
    /// The body, read from its file if it has one; the error says what is wrong with that.
    pub fn solid(&self) -> Result<Solid, String> {
        match self {
            Body::Box(corners) => Ok(Solid::Box(*corners)),
            Body::Sphere { centre, radius } => Ok(Solid::Sphere {
                centre: *centre,
                radius: *radius,
            }),
            Body::Mesh { path, placing } => Ok(Solid::Mesh(read_mesh(path)?.placed(placing)?)),
        }
    }
}
