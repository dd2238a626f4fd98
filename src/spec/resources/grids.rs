//! Grids.

use crate::ir::*;
use crate::problem::{Problem, pointer_part};
use crate::spec::file::{GridFile, Number, Numbers, StorageFile};
use crate::spec::resolver::Resolver;

impl Resolver<'_> {
    pub(in crate::spec) fn grids(&mut self) {
        for (name, grid) in &self.file.grids {
            let pointer = format!("/grids/{}", pointer_part(name));
            let axes = axes_of(grid);
            let size = self.sizes(&grid.cells, &format!("{pointer}/cells"));
            let sides = self.cell_sides(&grid.cell_size, axes, &format!("{pointer}/cell_size"));
            for (axis, key) in ["dx", "dy", "dz"].iter().enumerate().take(axes) {
                self.define(format!("{name}.{key}"), sides.map(|sides| sides[axis]));
            }
            let sides = sides.unwrap_or([1.0; 3]);
            let origin = self.origin(grid, &pointer);
            let size_or_one = size.unwrap_or([1; 3]);
            let sparse = match axes {
                3 => self.sparse_grid(name, grid, size_or_one),
                _ => self.plane_grid(name, grid, &pointer),
            };
            let levels = self.levels(name, grid, size);
            let number = self.pipeline.resources.len();
            let equal = sides[..axes].iter().all(|side| *side == sides[0]);
            let resource = Resource {
                name: name.clone(),
                size: size_or_one,
                kind: Kind::Lattice(Lattice {
                    form: Form::of_grid(axes, equal),
                    origin,
                    spacing: sides,
                    sparse,
                    level: (levels > 1).then_some(Level {
                        of: number,
                        number: 0,
                    }),
                }),
            };
            let id = self.resource(resource, size.is_some());
            let first = self.pipeline.fields.len();
            self.channels(id, &grid.channels, &format!("{pointer}/channels"), 1);
            self.further_levels(id, levels, grid);
            let pipeline = &mut self.pipeline;
            if let Kind::Lattice(Lattice {
                sparse: Some(sparse), ..
            }) = &mut pipeline.resources[id].kind
            {
                sparse.channels = (first..pipeline.fields.len()).collect();
                for field in &mut pipeline.fields[first..] {
                    field.home = Home::Pages;
                }
            }
        }
    }

    /// The sides of cells along each axis; beyond the axes of the grid, the first one again.
    fn cell_sides(&mut self, numbers: &Numbers, axes: usize, pointer: &str) -> Option<[f64; 3]> {
        let is_list = match numbers {
            Numbers::Many(_) => true,
            Numbers::One(Number::Expression(text)) => self.scope.vector(text).is_some(),
            Numbers::One(Number::Value(_)) => false,
        };
        if let (Numbers::One(side), false) = (numbers, is_list) {
            return self.positive(side, pointer).map(|side| [side; 3]);
        }
        let list = self.numbers(numbers, pointer)?;
        if list.len() != axes {
            let message = format!(
                "`cell_size` has {} numbers, but `cells` has {axes} axes",
                list.len()
            );
            let problem = Problem::new(pointer, message);
            self.problems
                .push(problem.help("write one number for all of them, or one for each axis"));
            return None;
        }
        let mut sides = [list[0]; 3];
        for (axis, side) in list.into_iter().enumerate() {
            sides[axis] = self.positive(&Number::Value(side), &format!("{pointer}/{axis}"))?;
        }
        Some(sides)
    }

    fn origin(&mut self, grid: &GridFile, pointer: &str) -> [f64; 3] {
        let (pointer, axes) = (format!("{pointer}/origin"), axes_of(grid));
        let origin = grid.origin.as_deref().unwrap_or(&[]);
        if grid.origin.is_some() && origin.len() != axes {
            let message = format!(
                "`origin` has {} coordinates, but `cells` has {axes} axes",
                origin.len()
            );
            let problem = Problem::new(&pointer, message);
            self.problems
                .push(problem.help("write one coordinate for each axis"));
        }
        self.vector(origin, &pointer)
    }

    /// A 2-D grid has no blocks.
    fn plane_grid(&mut self, name: &str, grid: &GridFile, pointer: &str) -> Option<Box<SparseGrid>> {
        if grid.storage == StorageFile::Sparse {
            let message = format!("`{name}` is a 2-D grid, which cannot be sparse");
            let problem = Problem::new(format!("{pointer}/storage"), message);
            self.problems
                .push(problem.help("remove `storage`, or add a third number to `cells`: 1 makes a layer"));
        } else if grid.pages.is_some() {
            let message = format!("`{name}` is a dense grid and has no pages");
            let problem = Problem::on_key(format!("{pointer}/pages"), message);
            self.problems.push(problem.help("remove `pages`"));
        }
        None
    }
}

/// Two or three; of fewer or more the schema has told.
fn axes_of(grid: &GridFile) -> usize {
    grid.cells.len().clamp(2, 3)
}
