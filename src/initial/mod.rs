//! Content of fields before the first stage, from files or computed.
//!
//! It does not need a device. Listed values and backgrounds are not included: they are written when fields are
//! allocated.

mod channels;
mod field;
mod heights;
mod particles;

pub use field::Initial;

use crate::ir::{Pipeline, ResourceId, Start};
use crate::problem::{Problem, Problems};

/// The fields of a resource with initial values. Values that a source of particles does not give are backgrounds.
pub fn contents(pipeline: &Pipeline, id: ResourceId) -> Result<Vec<Initial>, Problem> {
    let resource = &pipeline.resources[id];
    let mut contents = particles::filled(pipeline, resource)?;
    for (number, field) in pipeline.fields.iter().enumerate() {
        if field.resource != id {
            continue;
        }
        match &field.start {
            Start::Heights(image) => contents.push(heights::of_image(pipeline, number, image)?),
            _ => contents.extend(channels::of_field(pipeline, number)?),
        }
    }
    Ok(contents)
}

/// Reads all files and evaluates all expressions of initial values to find mistakes.
pub fn check(pipeline: &Pipeline) -> Problems {
    let mut problems = Problems::default();
    particles::check(pipeline, &mut problems);
    channels::check(pipeline, &mut problems);
    problems
}
