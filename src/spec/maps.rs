//! Positions of outputs on the map of an elevation model.

use super::ids::DeclId;
use super::lookup::AtLevel;
use super::output_sources::Source;
use super::program::Elevation;
use super::resolver::Resolver;
use crate::heights::{Georeference, Projection, from_wkt};
use crate::ir::{Lattice, ResourceId};
use crate::output::{Content, Format, Geometry, Map};

/// An elevation model with the grid whose vertices it covers.
struct Model<'p, 'f> {
    elevation: &'p Elevation<'f>,
    resource: ResourceId,
}

impl<'p, 'f> Resolver<'p, 'f> {
    /// The map of an output: that of the elevation model of its grid, or of the only one in the pipeline. Without a
    /// model, or if it has no position, metres from the origin.
    pub(super) fn map(&self, name: &str, source: &Source, content: &Content) -> Option<Map> {
        let (first, spacing, is_area) = match content.geometry {
            Geometry::Cells { origin, spacing } => {
                let centre = |axis: usize| origin[axis] + 0.5 * spacing[axis];
                ([centre(0), centre(1)], spacing, true)
            }
            Geometry::Vertices { origin, spacing } => ([origin[0], origin[1]], spacing, false),
            _ => ([0.0; 2], [1.0; 3], false),
        };
        let model = self.model(source)?;
        let on_map = model.as_ref().and_then(|model| {
            let reference = model.elevation.header.georeference.as_ref()?;
            let resource = &self.pipeline.resources[model.resource];
            let pixels = model.elevation.header.size;
            // The vertices are spread over the pixels, from the first to the last one.
            let step = |axis: usize| (pixels[axis] - 1) as f64 / (resource.size[axis] - 1).max(1) as f64;
            Some((reference, resource.lattice()?, [step(0), step(1)], pixels))
        });
        // An image has no place for a position.
        let warning = model.filter(|model| model.elevation.header.metres_per_pixel.is_some());
        let warning = warning.and_then(|model| {
            let file = model.elevation.source.file.as_ref().map_or("", |file| &file.text);
            let reference = model.elevation.header.georeference.as_ref();
            Some(format!("`{name}`: {}", missing(content.format, file, reference)?))
        });
        let map = |reference: &Georeference, first, step| Map {
            reference: reference.clone(),
            first,
            step,
            is_point: !is_area && reference.is_point,
            warning,
        };
        Some(match on_map {
            Some((
                reference,
                Lattice {
                    origin,
                    spacing: distance,
                    ..
                },
                pixels_per_vertex,
                pixels,
            )) => {
                let step = |axis: usize, length: f64| length / distance[axis] * pixels_per_vertex[axis];
                let [east, north] = [0, 1].map(|axis| step(axis, first[axis] - origin[axis]));
                let first = [east, (pixels[1] - 1) as f64 - north];
                map(reference, first, [0, 1].map(|axis| step(axis, spacing[axis])))
            }
            None => map(
                &Georeference::local(),
                [first[0], -first[1]],
                [spacing[0], spacing[1]],
            ),
        })
    }

    /// The elevation model for an output; the inner `None` if the pipeline has none.
    fn model(&self, source: &Source) -> Option<Option<Model<'p, 'f>>> {
        let of_decl = |id: DeclId| {
            let resource = self.ids.resource(AtLevel::finest(id))?;
            let elevation = self.program.elevation(id)?;
            Some(Model { elevation, resource })
        };
        let mut models: Vec<Model> = (0..self.program.decls.len()).filter_map(of_decl).collect();
        if let Some(own) = models.iter().position(|model| model.resource == source.resource) {
            return Some(Some(models.swap_remove(own)));
        }
        if models.len() > 1 {
            let message = format!(
                "the pipeline has {} elevation models, and the grid of `{}` starts from none of them",
                models.len(),
                source.text
            );
            let help = "write a field of a grid that starts from one of them, or choose vti";
            return self.program.refuse(&source.place, message, help);
        }
        Some(models.pop())
    }
}

/// What a file of this format cannot have of the coordinate system of an elevation model.
fn missing(format: Format, file: &str, reference: Option<&Georeference>) -> Option<String> {
    let Some(reference) = reference else {
        return Some(format!(
            "{file} has no position on a map, so the files are in metres from the origin of the pipeline"
        ));
    };
    match (&reference.projection, format) {
        (Projection::Unknown, _) => Some(format!(
            "{file} has no projection, so the files have its positions but no coordinate system: state it where you open \
             them, or give the model one"
        )),
        (Projection::Keys(keys), Format::Asc) if keys.wkt().is_none() => Some(format!(
            "the coordinate system of {file} is in GeoKeys, for which asc has no place: no .prj is written; choose geotiff, \
             or state it where you open the files"
        )),
        (Projection::Text(text), Format::Geotiff) if from_wkt(text).is_none() => Some(format!(
            "the .prj of {file} is not well-known text, so the files have its \
             positions but no coordinate system: choose asc, or give the model another"
        )),
        _ => None,
    }
}
