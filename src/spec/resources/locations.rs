//! Where the values of a channel lie in their cells, and what lies beyond its border.

use crate::ir::*;
use crate::problem::Problem;
use crate::spec::file::{BorderFile, BorderWordFile, FullChannelFile, LocationFile};
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
        let words: &[BorderWordFile] = match &file.border {
            None => &[],
            Some(BorderFile::All(word)) => std::slice::from_ref(word),
            Some(BorderFile::Each(words)) => words,
        };
        let borders: Vec<Border> = words.iter().copied().map(border).collect();
        field.border = Borders::of_axes(&borders);
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
        let each = matches!(file.border, Some(BorderFile::Each(_)));
        let problem = problem.or_else(|| {
            (each && borders.len() != axes).then(|| {
                let message = format!(
                    "`{name}` has {axes} axes, and the list has {} words",
                    borders.len()
                );
                Problem::new(format!("{pointer}/border"), message)
                    .help("write one word for each axis, x first, or one word for all, without a list")
            })
        });
        if let Some(problem) = problem {
            self.problems.push(problem);
            (field.at, field.border) = (None, None);
        }
    }
}

fn border(word: BorderWordFile) -> Border {
    match word {
        BorderWordFile::Background => Border::Background,
        BorderWordFile::Clamp => Border::Clamp,
        BorderWordFile::Repeat => Border::Repeat,
    }
}
