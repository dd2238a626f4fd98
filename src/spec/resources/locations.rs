//! Where the values of a channel lie in their cells, and what lies beyond its border.

use crate::ir::*;
use crate::problem::Problem;
use crate::spec::file::{BorderFile, FullChannelFile, LocationFile};
use crate::spec::resolver::Resolver;

impl Resolver<'_> {
    pub(super) fn locate(&mut self, field: &mut Field, file: &FullChannelFile, pointer: &str) {
        let resource = &self.pipeline.resources[field.resource];
        let axes = resource.axes() as usize;
        field.at = file.at.map(|at| match at {
            LocationFile::Centre => Location::Centre,
            LocationFile::FaceX => Location::Face(0),
            LocationFile::FaceY => Location::Face(1),
            LocationFile::FaceZ => Location::Face(2),
            LocationFile::Node => Location::Node,
        });
        field.border = file.border.map(|border| match border {
            BorderFile::Background => Border::Background,
            BorderFile::Clamp => Border::Clamp,
            BorderFile::Repeat => Border::Repeat,
        });
        let at = format!("{pointer}/at");
        let (name, element) = (&resource.name, resource.element_name());
        let problem = match field.at {
            Some(_) if !resource.is_grid() => Some(
                Problem::on_key(at, format!("`{name}` is no grid, so its values lie in no cells"))
                    .help(format!("leave `at` out: there is one value for each {element}")),
            ),
            Some(Location::Face(axis)) if axis >= axes => Some(
                Problem::new(at, format!("`{name}` is a 2-D grid, which has no faces across z"))
                    .help("write face_x, face_y, node or centre"),
            ),
            Some(stated @ (Location::Face(_) | Location::Node)) if resource.sparse().is_some() => Some(
                Problem::new(
                    at,
                    format!("a sparse grid holds one value for each cell, and there is one more at {}", stated.key()),
                )
                .help(
                    "leave `at` out, store at cell i the face or corner at its low end, and give the grid one more cell along \
                     that axis",
                ),
            ),
            _ => None,
        };
        let problem = problem.or_else(|| {
            (field.border.is_some() && axes < 2).then(|| {
                Problem::on_key(
                    format!("{pointer}/border"),
                    format!("`{name}` is a list, which has no border"),
                )
                .help("leave `border` out: it is for grids, height fields and images")
            })
        });
        if let Some(problem) = problem {
            self.problems.push(problem);
            (field.at, field.border) = (None, None);
        }
    }
}
