//! What fields hold before the first stage: what their resources read from files or compute.
//!
//! Works on a pipeline and knows no device. Values that a pipeline file lists are there already, and backgrounds are not
//! worth an array: whoever allocates the fields writes both.

mod channels;
mod field;
mod heights;
mod particles;

pub(crate) use field::Initial;

use crate::ir::{Pipeline, ResourceId, Start};
use crate::problem::{Problem, Problems};

/// The fields of a resource that begin with more than their backgrounds. What a source of particles leaves out of one
/// has its background.
pub(crate) fn contents(pipeline: &Pipeline, id: ResourceId) -> Result<Vec<Initial>, Problem> {
    let resource = &pipeline.resources[id];
    let mut contents = particles::filled(pipeline, resource)?;
    for (number, field) in pipeline.fields.iter().enumerate() {
        if field.resource != id {
            continue;
        }
        match &field.start {
            Start::Heights(image) => contents.push(heights::of_image(resource, number, image)?),
            _ => contents.extend(channels::of_field(pipeline, number)?),
        }
    }
    Ok(contents)
}

/// Reads all files and evaluates all expressions that fields begin with, to find what is wrong with them.
pub(crate) fn check(pipeline: &Pipeline) -> Problems {
    let mut problems = Problems::default();
    particles::check(pipeline, &mut problems);
    channels::check(pipeline, &mut problems);
    problems
}
