//! Particles that ranks divide: workgroups for those of a rank, and exchanges of ghosts.

use super::{List, Plan, Want};
use crate::ir::{Owners, Pipeline, ResourceId, StageId, Valid};
use crate::workgroups::{Groups, Shape};

impl Plan {
    /// The workgroups of a stage over a set that process a number of its particles.
    pub fn groups_of_particles(&self, pipeline: &Pipeline, id: StageId, count: u64) -> [u32; 3] {
        let (stage, Groups::Direct(all)) = (&pipeline.stages[id], self.stage_groups[id]) else {
            return [1; 3];
        };
        let Some(set) = pipeline.counted_by(id) else {
            return all;
        };
        let mut size = stage.domain.size;
        let particles = u128::from(pipeline.resources[set.set()].elements().max(1));
        size[0] = match stage.shares {
            // Workgroups take equally many particles.
            Some(_) => size[0].min((u128::from(size[0]) * u128::from(count)).div_ceil(particles) as u64 + 1),
            None => count,
        };
        size[0] = size[0].max(1);
        let shape = Shape::of_stage(pipeline, stage, self.class);
        shape.groups_of(&stage.domain, size).unwrap_or(all)
    }

    /// The attributes of a set that a segment has sorted.
    pub fn attributes(
        &self,
        pipeline: &Pipeline,
        list: List,
        segment: usize,
        set: ResourceId,
        steps: u64,
    ) -> Vec<Want> {
        let Some(last) = self.segments(list)[segment].entries().last() else {
            return Vec::new();
        };
        let attributes = (0..pipeline.fields.len()).filter(|field| pipeline.fields[*field].resource == set);
        let wants = attributes.map(|field| Want {
            at: self.copy_of(list, last, field, steps).1,
            valid: Valid::Depth(0),
            owners: Owners::Own,
            layout: pipeline.layout_of(field),
        });
        wants.collect()
    }
}
