//! Images of type `rgba8`, which a window can show.

use sastrugi::{Error, Image, Pipeline, Problem, Simulation, Snapshot};

/// Index of an image, named by its field, its resource or an output; without a name the first one.
pub(super) fn find(pipeline: &Pipeline, wanted: Option<&str>) -> Result<usize, Problem> {
    let images = pipeline.images();
    if images.is_empty() {
        let problem =
            Problem::without_place(format!("{} has no image of type rgba8 to show", pipeline.title()));
        let help = "add a stage that draws one, or a module such as slice_view (see docs/views.md)";
        return Err(problem.help(help));
    }
    let Some(wanted) = wanted else { return Ok(0) };
    let found = images.iter().position(|image| {
        image.name == wanted
            || image.name.split('.').next() == Some(wanted)
            || image.outputs.iter().any(|output| output == wanted)
    });
    found.ok_or_else(|| {
        let message = format!("{} has no image `{wanted}`", pipeline.title());
        let names = images.iter().map(|image| image.name.as_str());
        Problem::without_place(message).suggest(wanted, names)
    })
}

/// Triple buffering: one picture is shown, one is published, and one is being drawn.
pub(super) fn pictures(simulation: &Simulation, image: &Image) -> Result<Vec<Snapshot>, Error> {
    (0..3).map(|_| simulation.picture(&image.name)).collect()
}
