//! What fields hold before the first stage: what their resources read from files or compute.
//!
//! Works on a pipeline and knows no device. Values that a pipeline file lists are there already, and backgrounds are not
//! worth an array: whoever allocates the fields writes both.

mod field;
mod heights;
mod particles;

pub(crate) use field::Initial;
pub(crate) use particles::check;

use crate::ir::{Pipeline, ResourceId, Start};
use crate::problem::Problem;

/// The fields of a resource that begin with more than their backgrounds. What a source of particles leaves out of one
/// has its background.
pub(crate) fn contents(pipeline: &Pipeline, id: ResourceId) -> Result<Vec<Initial>, Problem> {
    let resource = &pipeline.resources[id];
    let mut contents = particles::filled(pipeline, resource)?;
    for (number, field) in pipeline.fields.iter().enumerate() {
        if let (true, Start::Heights(image)) = (field.resource == id, &field.start) {
            contents.push(heights::of_image(resource, number, image)?);
        }
    }
    Ok(contents)
}
