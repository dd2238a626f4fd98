//! The bytes that a dispatch moves between memory and the device, as its stage declares its accesses.

use super::domain::{Domain, Over};
use super::ids::{FieldId, ResourceId};
use super::kernel::LocalField;
use super::pipeline::Pipeline;
use super::reach::Reach;
use super::stage::Stage;

/// Bytes of one dispatch. A value that several elements read counts once: caches serve the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    pub read: u64,
    pub written: u64,
}

impl Traffic {
    pub fn total(self) -> u64 {
        self.read + self.written
    }
}

impl Pipeline {
    /// The bytes that a dispatch of a stage moves. `present` returns the elements that a resource has now: the cells of the
    /// active blocks of a sparse grid, the live particles of a dynamic set, all elements of others. `None` if the number of
    /// its elements is unknown: for newborn particles, for conditions that the device tests, and for updates of sparse grids.
    pub fn traffic(&self, stage: &Stage, present: &dyn Fn(ResourceId) -> u64) -> Option<Traffic> {
        if !stage.conditions.is_empty() {
            return None;
        }
        let elements = elements_of(&stage.domain, present)?;
        let covers_resource =
            stage.tiles.is_some() || stage.domain.resource.is_some_and(|own| elements >= present(own));
        let locals = &self.kernels[stage.kernel].signature.fields;
        let bytes = |field: &FieldId, is_access: fn(&LocalField) -> bool| {
            let all = self.present_in(*field, present);
            let accesses = locals.iter().zip(&stage.bindings);
            let accesses = accesses.filter(|(local, bound)| *bound == field && is_access(local));
            let touched = accesses.map(|(local, _)| match local.reach.all {
                // Each element has its own one in the field, or the cells of another level near it.
                Reach::Cells(_) if covers_resource => all,
                _ => all.min(elements),
            });
            touched.max().unwrap_or(0) * self.fields[*field].bytes()
        };
        Some(Traffic {
            read: stage
                .reads()
                .iter()
                .map(|field| bytes(field, |local| local.reads))
                .sum(),
            written: stage
                .writes()
                .iter()
                .map(|field| bytes(field, |local| local.writes))
                .sum(),
        })
    }

    /// Elements of a field that exist now.
    fn present_in(&self, field: FieldId, present: &dyn Fn(ResourceId) -> u64) -> u64 {
        let id = self.fields[field].resource;
        let resource = &self.resources[id];
        if resource.live().is_some() || resource.sparse().is_some() {
            present(id)
        } else {
            self.elements_of(field)
        }
    }
}

/// The number of elements of a domain, or as many as all fields have for workgroups that divide their work by themselves.
fn elements_of(domain: &Domain, present: &dyn Fn(ResourceId) -> u64) -> Option<u64> {
    match domain.over {
        Over::Elements => Some(domain.size.iter().product()),
        Over::ActiveCells | Over::Live => Some(present(domain.resource?)),
        Over::Groups | Over::CountedGroups(_) => Some(u64::MAX),
        Over::ActiveBlocks | Over::SubBlocks | Over::Header(_) | Over::Newborn => None,
    }
}
