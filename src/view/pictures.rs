//! The pictures of a pipeline that a window can show: its images of 8-bit colours.

use crate::element::Element;
use crate::gpu::{Buffer, BufferKind, Gpu};
use crate::ir::{FieldId, Pipeline};
use crate::problem::Problem;
use crate::run::RunError;

/// An image of 8-bit colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Image {
    /// `view.color`.
    pub name: String,
    pub field: FieldId,
    pub size: [u32; 2],
}

/// Those of outputs first, in the order of the file.
pub(super) fn images(pipeline: &Pipeline) -> Vec<Image> {
    let of_outputs = pipeline.output_fields();
    let mut fields: Vec<FieldId> = Vec::new();
    for field in of_outputs.chain(0..pipeline.fields.len()) {
        let shows = pipeline.fields[field].element == Element::Rgba8
            && pipeline.resource_of(field).axes() == 2
            && !fields.contains(&field);
        if shows {
            fields.push(field);
        }
    }
    let image = |field: FieldId| {
        let [width, height, _] = pipeline.size_of(field);
        Some(Image {
            name: pipeline.fields[field].name.clone(),
            field,
            size: [u32::try_from(width).ok()?, u32::try_from(height).ok()?],
        })
    };
    fields.into_iter().filter_map(image).collect()
}

/// The one that a person names: a field, its image, or an output; without a name the first one.
pub(super) fn find(pipeline: &Pipeline, wanted: Option<&str>) -> Result<usize, RunError> {
    let images = images(pipeline);
    if images.is_empty() {
        let problem =
            Problem::without_place(format!("{} has no image of type rgba8 to show", pipeline.title));
        let help = "add a stage that draws one, or a module such as slice_view (see docs/views.md)";
        return Err(RunError::Input(problem.help(help).into()));
    }
    let Some(wanted) = wanted else { return Ok(0) };
    let output = pipeline.outputs.iter().find(|output| output.name == wanted);
    let of_output = output.and_then(|output| output.fields.first());
    let found = images.iter().position(|image| {
        image.name == wanted
            || image.name.split('.').next() == Some(wanted)
            || Some(&image.field) == of_output
    });
    found.ok_or_else(|| {
        let message = format!("{} has no image `{wanted}`", pipeline.title);
        let names = images.iter().map(|image| image.name.as_str());
        RunError::Input(Problem::without_place(message).suggest(wanted, names).into())
    })
}

/// Buffers for three pictures: one on the display, one that waits for it, and one that is being drawn.
pub(super) fn buffers(gpu: &Gpu, pipeline: &Pipeline, image: &Image) -> Result<Vec<Buffer>, RunError> {
    let bytes = pipeline.field_bytes(image.field);
    let buffer = |slot| gpu.buffer(&format!("picture {slot}"), bytes, BufferKind::Device);
    Ok((0..3).map(buffer).collect::<Result<_, _>>()?)
}
