//! Worlds: independent copies of a pipeline that run in the same dispatches.
//!
//! They have the same resources, kernels and lists. Each has its own seed, initial values and arguments of kernels. In memory,
//! the values of a field in the first world are followed by those in the second, and so on.

use super::field::Start;
use super::ids::FieldId;
use super::pipeline::{Pipeline, World};
use super::resource::ResourceKind;

/// Distance of the values of two worlds: those of each world are as aligned as in a buffer of their own.
const ALIGNMENT: u64 = 16;

impl World {
    /// The pipeline of this world alone.
    pub fn alone(&self) -> Pipeline {
        Pipeline {
            seed: self.seed,
            ..self.pipeline.as_ref().clone()
        }
    }
}

impl Pipeline {
    /// Number of worlds.
    pub fn worlds(&self) -> usize {
        1 + self.other_worlds.len()
    }

    /// The pipeline with the values of a world, whose seed is not that of the world.
    pub fn values_of(&self, world: usize) -> &Pipeline {
        match world.checked_sub(1) {
            None => self,
            Some(other) => &self.other_worlds[other].pipeline,
        }
    }

    /// The number of a world for messages; `None` if there is only one.
    pub fn named_world(&self, world: usize) -> Option<usize> {
        (!self.other_worlds.is_empty()).then_some(world)
    }

    pub fn seed_of(&self, world: usize) -> u32 {
        match world.checked_sub(1) {
            None => self.seed,
            Some(other) => self.other_worlds[other].seed,
        }
    }

    /// Bytes from the values of a field in one world to those in the next.
    pub fn world_bytes(&self, field: FieldId) -> u64 {
        let bytes = self.field_bytes(field);
        if self.other_worlds.is_empty() {
            bytes
        } else {
            bytes.next_multiple_of(ALIGNMENT)
        }
    }

    /// Bytes of one copy of a field in all worlds.
    pub fn bytes_of_worlds(&self, field: FieldId) -> u64 {
        self.world_bytes(field).saturating_mul(self.worlds() as u64)
    }

    /// Returns true if another pipeline differs in initial values, seed and arguments alone, so that both can be worlds of one
    /// simulation.
    pub fn can_be_world_of(&self, other: &Pipeline) -> bool {
        without_start(self).differs_in_values_alone(&without_start(other))
    }

    /// Returns what several worlds cannot have, if the pipeline has any: the place and a name.
    pub fn bars_worlds(&self) -> Option<(String, String)> {
        for resource in &self.resources {
            if resource.sparse().is_some() {
                return Some((
                    resource.pointer.clone(),
                    format!("the sparse grid `{}`", resource.name),
                ));
            }
            if resource.live().is_some() {
                let name = format!("the particle set `{}`, whose number changes", resource.name);
                return Some((resource.pointer.clone(), name));
            }
        }
        let counted = self.stages.iter().find(|stage| stage.domain.over.is_counted());
        counted.map(|stage| {
            let name = format!("the stage `{}`, whose workgroups the device counts", stage.name);
            (stage.pointer.clone(), name)
        })
    }
}

fn without_start(pipeline: &Pipeline) -> Pipeline {
    let mut pipeline = pipeline.clone();
    pipeline.seed = 0;
    pipeline.other_worlds.clear();
    for field in &mut pipeline.fields {
        field.start = Start::Background;
    }
    for resource in &mut pipeline.resources {
        if let ResourceKind::Set(set) = &mut resource.kind {
            set.from.clear();
        }
    }
    pipeline
}
