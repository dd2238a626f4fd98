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
                Problem::on_key(at, format!("`{name}` is not a grid, so its values have no location in \
                                             cells"))
                    .help(format!("remove `at`: there is one value for each {element}")),
            ),
            Some(Location::Face(axis)) if axis >= axes => Some(
                Problem::new(at, format!("`{name}` is a 2-D grid, which has no faces across z"))
                    .help("write face_x, face_y, node or centre"),
            ),
            Some(stated @ (Location::Face(_) | Location::Node)) if resource.sparse().is_some() => Some(
                Problem::new(
                    at,
                    format!("blocks of sparse grids contain cells only, not values at {}", stated.key()),
                )
                .help(
                    "remove `at` and let cell i contain the face or corner at its low end; one more cell along each axis \
                     contains the last ones",
                ),
            ),
            _ => None,
        };
        let problem = problem.or_else(|| {
            (field.border.is_some() && axes < 2).then(|| {
                Problem::on_key(
                    format!("{pointer}/border"),
                    format!("`{name}` is a list, and lists have no border"),
                )
                .help("remove `border`: it is for grids, height fields and images")
            })
        });
        if let Some(problem) = problem {
            self.problems.push(problem);
            (field.at, field.border) = (None, None);
        }
    }
}
