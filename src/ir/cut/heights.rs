//! Height fields over the columns of the grid that is cut.
//!
//! A vertex belongs to the part of the column in which it lies, as a value at a face or node belongs to that of its cell; the
//! last vertex of a row that has one more than there are columns belongs to the last part. So a height field is cut like the
//! grid along x and y, and its reach counts columns. If the grid is cut along z as well, several parts share a column, and
//! height fields stay whole.

use super::super::ids::ResourceId;
use super::super::pipeline::Pipeline;
use super::super::resource::{HEIGHTS, Resource};
use super::super::stage::Stage;
use super::Cut;

impl Pipeline {
    /// Returns true if the vertices of a height field lie in the columns of a dense grid, one in each.
    pub(super) fn has_vertices_over(&self, heights: ResourceId, grid: ResourceId) -> bool {
        let (Some(of_heights), Some(of_grid)) =
            (self.resources[heights].lattice(), self.resources[grid].lattice())
        else {
            return false;
        };
        let [vertices, cells] = [heights, grid].map(|id| self.resources[id].size);
        let lies_over = |axis: usize| {
            let side = of_grid.spacing[axis];
            // Where a vertex is in its column, from 0 to 1.
            let place = |vertex: u64| {
                let at = of_heights.origin[axis] + vertex as f64 * of_heights.spacing[axis];
                (at - of_grid.origin[axis]) / side - vertex as f64
            };
            let more = vertices[axis].checked_sub(cells[axis]);
            let ends = [0, vertices[axis] - 1].map(place);
            more.is_some_and(|more| more <= 1) && ends.iter().all(|place| (-0.01..1.01).contains(place))
        };
        *of_heights.form == HEIGHTS && (0..2).all(lies_over)
    }

    /// The height fields over the columns of a grid that is cut.
    pub(super) fn heights_over(&self, grid: ResourceId) -> impl Iterator<Item = ResourceId> {
        (0..self.resources.len()).filter(move |id| self.has_vertices_over(*id, grid))
    }

    /// Returns true for a height field over the columns of the grid that is cut.
    pub(super) fn is_over_columns(&self, id: ResourceId, cut: &Cut) -> bool {
        let grid = cut.grids.first();
        grid.is_some_and(|grid| self.has_vertices_over(id, grid.id))
    }

    /// Returns true if a stage of `step` runs over columns of some grids in space, or over their height fields.
    pub(super) fn runs_over_columns(&self, grids: &[ResourceId]) -> bool {
        let is_in_space = |resource: &Resource| resource.axes() == 3;
        let runs = |stage: &Stage| {
            let resource = stage.domain.resource.filter(|id| grids.contains(id));
            resource.is_some() && stage.domain.axes < 3
        };
        let mut stages = self.step.iter().map(|entry| &self.stages[entry.stage]);
        let grid = grids.first().map(|id| &self.resources[*id]);
        grid.is_some_and(is_in_space) && stages.any(runs)
    }
}
