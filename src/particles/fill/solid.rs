//! Solids to fill: as pipeline files describe them, and with their meshes read.

use std::path::PathBuf;

use super::mesh::{Mesh, read_mesh};
use crate::particles::placing::Placing;

/// A solid to fill, in metres.
#[derive(Debug, Clone)]
pub enum Solid {
    /// Least and greatest corner.
    Box([[f64; 3]; 2]),
    Sphere {
        centre: [f64; 3],
        radius: f64,
    },
    /// A point is inside if a ray from it crosses the surface an odd number of times.
    Mesh(Mesh),
}

/// A solid as a pipeline file describes it, in metres.
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
    /// The solid, with its mesh read from the file, if it has one; the error describes a defect of the file.
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
