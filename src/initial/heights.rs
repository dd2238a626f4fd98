//! Initial values from an elevation model: the heights of vertices.

use super::Initial;
use crate::heights;
use crate::ir::{FieldId, HeightImage, Pipeline};
use crate::problem::Problem;

pub(super) fn of_image(pipeline: &Pipeline, field: FieldId, image: &HeightImage) -> Result<Initial, Problem> {
    let [width, height, _] = pipeline.resource_of(field).size;
    let size = [width, height];
    let pointer = format!("{}/values", pipeline.fields[field].pointer);
    let heights::Heights {
        values: heights,
        filled,
    } = heights::load(&image.path, size, image.base_level, image.metres_per_level).map_err(|cause| {
        let message = format!("{}: {cause}", image.path.display());
        Problem::new(format!("{pointer}/file"), message)
    })?;
    if let Some(number) = heights.iter().position(|height| !height.is_finite()) {
        let (x, y, level) = (
            number as u64 % size[0],
            number as u64 / size[0],
            image.metres_per_level,
        );
        let message = format!(
            "with {level:e} m per level, the height of vertex ({x}, {y}) is not a value of type float"
        );
        let problem = Problem::new(format!("{pointer}/metres_per_level"), message);
        return Err(problem.help("heights reach 3.4e38 m at most: use a smaller number"));
    }
    let file = image.path.display();
    let notice = format!("{file}: {filled} pixels had no data and were filled from their neighbours");
    Ok(Initial {
        field,
        first: 0,
        notice: (filled > 0).then_some(notice),
        bytes: heights.into_iter().flat_map(f32::to_le_bytes).collect(),
    })
}
