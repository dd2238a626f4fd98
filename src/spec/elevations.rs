//! Elevation models of grids of vertices: their files, heights and distances.

use super::file::{GridKind, SourceFile, ValuesFile};
use super::program::*;
use super::scope::Scope;
use super::sources::path_of;
use crate::heights;

impl<'f> Program<'f> {
    /// Distances of vertices: the extent of the model divided by the number of intervals.
    pub(super) fn spacing_of_model(&self, decl: DeclId) -> Option<[f64; 3]> {
        let elevation = self.elevation(decl)?;
        let scope = Scope::of(elevation.scope);
        let metres = match (
            &elevation.source.metres_per_pixel,
            elevation.header.metres_per_pixel,
        ) {
            (Some(metres), _) => self.sides(&scope, metres, 2)?,
            (None, Some([x, y])) => [x, y, 1.0],
            (None, None) => {
                return self.missing_in_model(
                    elevation.source,
                    "the distance of its pixels",
                    "metres_per_pixel",
                );
            }
        };
        let size = self.size(decl)?;
        let mut spacing = [1.0; 3];
        for axis in 0..2 {
            let pixels = elevation.header.size[axis];
            spacing[axis] = metres[axis] * (pixels - 1) as f64 / (size.elements[axis] - 1).max(1) as f64;
        }
        Some(spacing)
    }

    /// The `values` of the channel with an elevation model, and the instance whose names they use.
    pub(super) fn elevation_source(&self, decl: DeclId) -> Option<(&'f SourceFile, InstanceId)> {
        let DeclKind::Grid(grid) = self.decls[decl].kind else {
            return None;
        };
        if grid.kind() != GridKind::Vertices {
            return None;
        }
        let channels = self.decls[decl].channels.borrow();
        channels.iter().find_map(|id| {
            let (values, scope) = self.channels[*id].property(|full| full.values.as_ref())?;
            let ValuesFile::Source(source) = values else {
                return None;
            };
            let is_model = !source.file.as_ref()?.text.ends_with(".npy");
            is_model.then_some((&**source, scope))
        })
    }

    /// The elevation model of a grid. Reports one that cannot be read.
    pub fn elevation(&self, decl: DeclId) -> Option<&Elevation<'f>> {
        self.decls[decl].elevation.get(|| {
            let (source, scope) = self.elevation_source(decl)?;
            let file = source.file.as_ref()?;
            let path = path_of(file);
            let header = heights::examine(&path).map_err(|cause| {
                let help = "name a grey PNG, a GeoTIFF or an ESRI ASCII grid; the path is relative to the pipeline file";
                self.report_file(&file.place, &path, &cause, help);
            });
            Some(Elevation { source, scope, header: header.ok()? })
        })
    }

    /// The height of one level of an elevation model in m, and the level of height 0.
    pub fn levels_of_model(&self, elevation: &Elevation) -> Option<[f64; 2]> {
        let (source, scope) = (elevation.source, Scope::of(elevation.scope));
        let metres = match (&source.metres_per_level, elevation.header.metres_per_level) {
            (Some(metres), _) => self.number(&scope, metres),
            (None, Some(metres)) => Some(metres),
            (None, None) => self.missing_in_model(source, "the height of a level", "metres_per_level"),
        };
        let base = source.base_level.as_ref();
        let base = base.map_or(Some(0.0), |level| self.number(&scope, level));
        Some([metres?, base?])
    }

    /// Reports a value that an elevation model does not contain.
    fn missing_in_model<T>(&self, source: &SourceFile, what: &str, key: &str) -> Option<T> {
        let file = source.file.as_ref().map_or("", |file| &file.text);
        let message = format!("`{file}` does not contain {what}");
        self.refuse(&source.place, message, format!("add `{key}`"))
    }
}
