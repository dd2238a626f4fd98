//! What fields hold before the first stage: what their resources read from files or compute.
//!
//! Works on a pipeline and knows no device. Values that a pipeline file lists are there already, and backgrounds are not
//! worth an array: whoever allocates the fields writes both.

mod field;
mod heights;
mod particles;

pub use field::Initial;
pub use particles::check;

use crate::spec::{Kind, Pipeline, Problem, Resource};

/// The fields of a resource that begin with more than their backgrounds. What a source of particles leaves out of one
/// has its background.
pub fn contents(pipeline: &Pipeline, resource: &Resource) -> Result<Vec<Initial>, Problem> {
    match &resource.kind {
        Kind::Heights(image) => Ok(vec![heights::of_image(resource, image)?]),
        _ => particles::filled(pipeline, resource),
    }
}
