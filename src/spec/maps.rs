//! Positions on the map of an elevation model: of outputs, and of areas.

use super::file::GridKind;
use super::lookup::AtLevel;
use super::output_sources::Source;
use super::program::*;
use super::read::Text;
use super::resolver::Resolver;
use super::sources::path_of;
use crate::heights::{Georeference, Projection, from_wkt};
use crate::ir::{Field, Resource, Start};
use crate::output::{Content, Format, Geometry, Map};
use crate::particles::fill::read_areas;
use crate::problem::Place;

/// An elevation model with the grid whose vertices it covers, from its first to its last pixel.
struct Terrain<'p, 'f> {
    elevation: &'p Elevation<'f>,
    origin: [f64; 3],
    spacing: [f64; 3],
    pixels_per_vertex: [f64; 2],
}

impl<'f> Terrain<'_, 'f> {
    fn reference(&self) -> Option<&Georeference> {
        self.elevation.header.georeference.as_ref()
    }

    fn file(&self) -> &'f str {
        self.elevation.source.file.as_ref().map_or("", |file| &file.text)
    }

    /// Pixels along an axis in a length in metres.
    fn pixels(&self, axis: usize, length: f64) -> f64 {
        length / self.spacing[axis] * self.pixels_per_vertex[axis]
    }

    /// Pixels to the south in the whole model.
    fn rows(&self) -> f64 {
        (self.elevation.header.size[1] - 1) as f64
    }

    /// Pixels to the east and to the south from the centre of the first pixel, by a position in metres.
    fn pixel_at(&self, position: [f64; 2]) -> [f64; 2] {
        let [east, north] = [0, 1].map(|axis| self.pixels(axis, position[axis] - self.origin[axis]));
        [east, self.rows() - north]
    }

    /// The position in metres of a pixel.
    fn position_of(&self, [east, south]: [f64; 2]) -> [f64; 2] {
        let at = |axis: usize, pixels: f64| {
            self.origin[axis] + pixels / self.pixels_per_vertex[axis] * self.spacing[axis]
        };
        [at(0, east), at(1, self.rows() - south)]
    }
}

impl<'f> Program<'f> {
    /// The elevation model of a grid, or the only one in the pipeline; the inner `None` without one.
    fn terrain(&self, grid: Option<DeclId>, name: &str, place: &Place) -> Option<Option<Terrain<'_, 'f>>> {
        let is_used = |id: &DeclId| self.decls[*id].is_used.get() && self.elevation(*id).is_some();
        let models: Vec<DeclId> = (0..self.decls.len()).filter(is_used).collect();
        let own = grid.filter(|grid| models.contains(grid));
        let id = match (own, &models[..]) {
            (Some(own), _) => own,
            (None, []) => return Some(None),
            (None, [only]) => *only,
            (None, _) => {
                let count = models.len();
                let message = format!(
                    "the pipeline has {count} elevation models, and the grid of `{name}` starts from none of them"
                );
                let help = "use a field of a grid that starts from one of them";
                return self.refuse(place, message, help);
            }
        };
        let DeclKind::Grid(file) = self.decls[id].kind else {
            return None;
        };
        let (elevation, vertices) = (self.elevation(id)?, self.size(id)?.elements);
        let pixels = elevation.header.size;
        let per_vertex = |axis: usize| (pixels[axis] - 1) as f64 / (vertices[axis] - 1).max(1) as f64;
        Some(Some(Terrain {
            elevation,
            origin: self.origin(id, file)?,
            spacing: self.spacing(id)?,
            pixels_per_vertex: [0, 1].map(per_vertex),
        }))
    }

    /// Initial values that are 1 inside the polygons of a file, whose coordinates are those of the elevation model.
    pub(super) fn areas(
        &self,
        file: &Text,
        channel: &Channel<'f>,
        resource: &Resource,
        field: &Field,
    ) -> Option<Start> {
        let is_map = matches!(self.decls[channel.decl].kind, DeclKind::Grid(grid)
            if matches!(grid.kind(), GridKind::Vertices | GridKind::Cells) && resource.axes() == 2);
        if !is_map {
            let message = format!(
                "areas are on a map, but `{}` has no vertices or 2-D cells",
                resource.name
            );
            return self.refuse(&file.place, message, "use a channel of such a grid");
        }
        if field.element.components() * field.count.unwrap_or(1) != 1 {
            let message = format!(
                "an area is one number per element, but {} has several",
                field.type_name()
            );
            let help = "use a channel with one number per element";
            return self.refuse(&file.place, message, help);
        }
        let path = path_of(file);
        let found = read_areas(&path).map_err(|cause| {
            let help = "name a GeoJSON file with polygons; the path is relative to the pipeline file";
            self.report_file(&file.place, &path, &cause, help);
        });
        let (areas, terrain) = (
            found.ok()?,
            self.terrain(Some(channel.decl), &field.name, &file.place)?,
        );
        let Some((terrain, reference)) = terrain
            .as_ref()
            .and_then(|terrain| Some((terrain, terrain.reference()?)))
        else {
            return Some(Start::Areas { path, areas });
        };
        if let (Some(own), Some(code)) = (areas.code, reference.projection.code())
            && own != code
        {
            let (text, model) = (&file.text, terrain.file());
            let message =
                format!("the coordinates of `{text}` are EPSG:{own}, those of `{model}` EPSG:{code}");
            let help = format!("convert it: ogr2ogr -t_srs EPSG:{code} converted.geojson {text}");
            return self.refuse(&file.place, message, help);
        }
        let areas = areas.mapped(|point| terrain.position_of(reference.pixel_at(point)));
        Some(Start::Areas { path, areas })
    }
}

impl Resolver<'_, '_> {
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
        let resource = |id: &DeclId| self.ids.resource(AtLevel::finest(*id)) == Some(source.resource);
        let grid = (0..self.program.decls.len()).find(resource);
        let terrain = self.program.terrain(grid, &source.text, &source.place)?;
        // An image has no place for a position.
        let model = terrain
            .as_ref()
            .filter(|terrain| terrain.elevation.header.metres_per_pixel.is_some());
        let warning = model.and_then(|terrain| {
            let missing = missing(content.format, terrain.file(), terrain.reference())?;
            Some(format!("`{name}`: {missing}"))
        });
        let map = |reference: &Georeference, first, step| Map {
            reference: reference.clone(),
            first,
            step,
            is_point: !is_area && reference.is_point,
            warning,
        };
        let on_map = terrain
            .as_ref()
            .and_then(|terrain| Some((terrain, terrain.reference()?)));
        if let Some((terrain, reference)) = on_map
            && content.format == Format::Asc
            && reference.quarters().is_none()
        {
            let message = format!(
                "`{name}` is an asc, whose rows run from west to east, but those of `{}` do not",
                terrain.file()
            );
            let help = "choose geotiff, of which `gdalwarp FILE.tif NORTH_UP.tif` makes a map with north up";
            return self.program.refuse(&source.place, message, help);
        }
        Some(match on_map {
            Some((terrain, reference)) => {
                let step = [0, 1].map(|axis| terrain.pixels(axis, spacing[axis]));
                map(reference, terrain.pixel_at(first), step)
            }
            None => map(
                &Georeference::local(),
                [first[0], -first[1]],
                [spacing[0], spacing[1]],
            ),
        })
    }
}

/// The parts of the position of an elevation model that files of this format lack, as a sentence; `None` if they lack none.
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
