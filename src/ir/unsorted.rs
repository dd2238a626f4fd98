//! Sets of particles that gather from a grid in random order.

use super::ids::{FieldId, ResourceId};
use super::kernel::ShaderSource;
use super::list::List;
use super::pipeline::Pipeline;
use super::reach::Reach;
use super::stage::{Purpose, Stage};

/// Smaller sets and their surroundings fit the caches of a GPU.
const MIN_PARTICLES: u64 = 1 << 18;

/// A large set of particles that no sort orders, and a stage of the step that gathers from a grid at their positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsorted {
    pub set: ResourceId,
    pub stage: String,
    pub field: FieldId,
}

impl Pipeline {
    /// The large sets that gain by a sort, each with the first stage that does.
    pub fn unsorted(&self) -> Vec<Unsorted> {
        let sets = (0..self.resources.len()).filter(|set| {
            let resource = &self.resources[*set];
            resource.set().is_some() && resource.elements() >= MIN_PARTICLES && !self.is_sorted(*set)
        });
        sets.filter_map(|set| self.first_scattered(set)).collect()
    }

    fn is_sorted(&self, set: ResourceId) -> bool {
        self.stages.iter().any(|stage| {
            let source = &self.kernels[stage.kernel].source;
            stage.domain.resource == Some(set)
                && *source == ShaderSource::BuiltIn("particles/count_digits.comp")
        })
    }

    fn first_scattered(&self, set: ResourceId) -> Option<Unsorted> {
        let mut stages = self.stages.iter().filter(|stage| {
            stage.list == List::Step
                && stage.purpose == Purpose::Compute
                && stage.domain.resource == Some(set)
        });
        stages.find_map(|stage| {
            let field = self.scattered(stage)?;
            Some(Unsorted {
                set,
                stage: stage.name.clone(),
                field,
            })
        })
    }

    /// A channel of a grid that a stage reads anywhere.
    fn scattered(&self, stage: &Stage) -> Option<FieldId> {
        let locals = &self.kernels[stage.kernel].signature.fields;
        let mut accesses = locals.iter().zip(&stage.bindings);
        let is_in_grid = |field: FieldId| {
            let resource = self.resource_of(field);
            resource.lattice().is_some() && resource.axes() > 1
        };
        let found = accesses.find(|(local, field)| {
            local.reads && !local.writes && local.reach.all == Reach::Anywhere && is_in_grid(**field)
        });
        found.map(|(_, field)| *field)
    }
}
