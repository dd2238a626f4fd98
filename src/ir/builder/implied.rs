//! Binds the fields that the resources of a kernel imply: live counts, page fields of sparse grids, values of reductions.

use super::super::{Home, Over, Pipeline, Purpose, ResourceId, SparseGrid};
use super::{Draft, Role};

impl Draft {
    /// Binds what resources and reductions imply. Returns the local field with the values of each reduction.
    pub(super) fn bind_implied(&mut self, pipeline: &Pipeline) -> Vec<usize> {
        for number in 0..self.bindings.len() {
            self.local_of(pipeline, number);
        }
        let values = self.bind_values();
        for (id, _) in self.measured.clone().iter().filter_map(|item| item.within) {
            self.local_or_new(pipeline, id);
        }
        let domain = self.domain.resource.map(|id| self.local_or_new(pipeline, id));
        for grid in self.requests.clone() {
            self.local_or_new(pipeline, grid);
        }
        // Stages of an update bind the page fields themselves.
        let needs_pages = !matches!(self.purpose, Purpose::Update(_));
        for local in 0..self.resources.len() {
            let resource = &pipeline.resources[self.resources[local].1];
            if let Some(live) = resource.live() {
                self.bind_role(local, Role::Live, live).reads = true;
            }
            if let Some(grid) = resource.sparse().filter(|_| needs_pages) {
                self.bind_pages(pipeline, local, grid, domain == Some(local));
            }
        }
        // The implied fields are buffers, which are resources too.
        for number in 0..self.bindings.len() {
            self.local_of(pipeline, number);
        }
        values
    }

    /// Binds the fields for the values of reductions. Names in pipeline files never start with sg_.
    fn bind_values(&mut self) -> Vec<usize> {
        let mut locals = Vec::with_capacity(self.reduces.len());
        for (result, _, element, field) in self.reduces.clone() {
            let name = format!("sg_values_{result}");
            self.write_as(&name, field, element);
            let mut bindings = self.bindings.iter();
            locals.extend(bindings.position(|binding| binding.name == name));
        }
        locals
    }

    /// Binds the page fields of a sparse grid that the kernel needs.
    fn bind_pages(&mut self, pipeline: &Pipeline, local: usize, grid: &SparseGrid, is_domain: bool) {
        let (id, pages) = (self.resources[local].1, grid.fields);
        let is_over = is_domain && self.domain.over != Over::Elements;
        let is_requested = self.requests.contains(&id);
        // A kernel over all blocks may ask which of them are active.
        let is_of_blocks = is_domain && self.domain.axes == 3;
        let is_within = (self.measured.iter()).any(|item| item.within.is_some_and(|(other, _)| other == id));
        if is_over || is_of_blocks || is_requested || is_within || self.accesses_cells(pipeline, id) {
            for (role, field) in [
                (Role::Axes, pages.axes),
                (Role::Active, pages.active),
                (Role::Table, pages.table),
            ] {
                self.bind_role(local, role, field).reads = true;
            }
        }
        let is_measured = (self.measured.iter()).any(|item| pipeline.fields[item.field].resource == id);
        if is_over || is_within || is_measured {
            self.bind_role(local, Role::List, pages.list).reads = true;
            self.bind_role(local, Role::Header, pages.header).reads = true;
        }
        if is_requested {
            self.bind_role(local, Role::Requests, pages.requests).writes = true;
        }
    }

    /// Returns true if a channel in the blocks of a sparse grid is bound.
    fn accesses_cells(&self, pipeline: &Pipeline, grid: ResourceId) -> bool {
        self.bindings.iter().any(|binding| {
            let field = &pipeline.fields[binding.field];
            field.resource == grid && field.home == Home::Pages
        })
    }
}
