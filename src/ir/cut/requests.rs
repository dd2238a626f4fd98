//! Requests for blocks of sparse grids. A stage on parts requests blocks on its rank alone, also those of other parts: each
//! update unites the requests of all ranks, so that the same blocks are active everywhere.

use super::super::ids::{FieldId, ResourceId};
use super::super::pipeline::Pipeline;

impl Pipeline {
    /// Returns true for the requests of a sparse grid, which kernels add to one another.
    pub fn is_request(&self, field: FieldId) -> bool {
        self.sparse_grids().any(|(_, grid)| grid.fields.requests == field)
    }

    /// Returns true if ranks request different blocks of a sparse grid.
    pub fn requests_in_parts(&self, grid: ResourceId) -> bool {
        let (Some(cut), Some(sparse)) = (self.cut.as_deref(), self.resources[grid].sparse()) else {
            return false;
        };
        let lists = self.init.iter().chain(&self.step).chain(&self.frame);
        let mut on_parts = lists.filter(|entry| cut.grow(entry.stage).is_some());
        on_parts.any(|entry| {
            self.stages[entry.stage]
                .writes()
                .contains(&sparse.fields.requests)
        })
    }
}
