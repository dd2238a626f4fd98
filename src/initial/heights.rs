//! Initial values from the image of a height field: the heights of its vertices.

use super::Initial;
use crate::heights;
use crate::ir::{FieldId, HeightImage, Resource};
use crate::problem::Problem;

pub(super) fn of_image(resource: &Resource, field: FieldId, image: &HeightImage) -> Result<Initial, Problem> {
    let size = [resource.size[0], resource.size[1]];
    let heights =
        heights::load(&image.path, size, image.base_level, image.metres_per_level).map_err(|cause| {
            let message = format!("{}: {cause}", image.path.display());
            Problem::new(format!("{}/image", resource.pointer()), message)
        })?;
    Ok(Initial {
        field,
        first: 0,
        bytes: heights.into_iter().flat_map(f32::to_le_bytes).collect(),
    })
}
