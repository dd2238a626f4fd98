//! Grids.

use crate::ir::*;
use crate::problem::pointer_part;
use crate::spec::resolver::Resolver;

impl Resolver<'_> {
    pub(in crate::spec) fn grids(&mut self) {
        for (name, grid) in &self.file.grids {
            let pointer = format!("/grids/{}", pointer_part(name));
            let size = self.sizes(&grid.cells, &format!("{pointer}/cells"));
            let spacing = self.positive(&grid.cell_size, &format!("{pointer}/cell_size"));
            self.define(format!("{name}.dx"), spacing);
            let spacing = spacing.unwrap_or(1.0);
            let origin = self.vector(grid.origin.as_ref(), &format!("{pointer}/origin"));
            let size_or_one = size.unwrap_or([1; 3]);
            let sparse = self.sparse_grid(name, grid, size_or_one);
            let resource = Resource {
                name: name.clone(),
                size: size_or_one,
                kind: Kind::Lattice(Lattice {
                    form: &GRID,
                    origin,
                    spacing: [spacing; 3],
                    sparse,
                }),
            };
            let id = self.resource(resource, size.is_some());
            let first = self.pipeline.fields.len();
            self.channels(id, &grid.channels, &format!("{pointer}/channels"), 1);
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
}
