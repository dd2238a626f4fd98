//! What the image of a height field gives: the heights of its vertices.

use super::Initial;
use crate::heights;
use crate::spec::{HeightImage, Problem, Resource};

pub(super) fn of_image(resource: &Resource, image: &HeightImage) -> Result<Initial, Problem> {
    let size = [resource.size[0], resource.size[1]];
    let heights =
        heights::load(&image.path, size, image.base_level, image.metres_per_level).map_err(|cause| {
            let message = format!("{}: {cause}", image.path.display());
            Problem::new(format!("/heights/{}/image", resource.name), message)
        })?;
    Ok(Initial {
        field: image.into,
        words: heights.into_iter().map(f32::to_bits).collect(),
    })
}
