//! Fields to which stages only add integers: each rank has a part of the sum.

use super::super::Home;
use super::super::ids::FieldId;
use super::super::pipeline::Pipeline;
use super::super::stage::Stage;
use super::types::MAX_REPEATED;
use super::{Cut, CutSet};
use crate::element::Element;

impl Pipeline {
    /// Returns true if ranks may each have a part of the sum that is the value of a field: stages of `step` only add to it, and
    /// none of `init` accesses it.
    pub(super) fn is_sum(&self, cut: &Cut, field: FieldId, adds: bool) -> bool {
        let stages = self.step.iter().map(|entry| &self.stages[entry.stage]);
        let mut accesses = stages.flat_map(|stage| {
            let locals = self.kernel_of(stage).signature.fields.iter();
            locals.zip(&stage.bindings).filter(|(_, bound)| **bound == field)
        });
        let mut init = self.init.iter().map(|entry| &self.stages[entry.stage]);
        adds && !cut.no_sums.contains(&field)
            && !init.any(|stage| stage.bindings.contains(&field))
            && self.resource_of(field).is_buffer()
            && matches!(self.fields[field].element, Element::Uint | Element::Int)
            && self.elements_of(field) <= MAX_REPEATED
            && self.fields[field].ring == 1
            && accesses.all(|(local, _)| local.adds && !local.reads)
    }

    /// Returns true if a stage over particles only adds integers to a field that every rank has whole: each rank adds those of its
    /// own particles, and ranks add up their copies before another stage accesses the field.
    pub fn adds_shares(&self, cut: &Cut, stage: &Stage, field: FieldId) -> bool {
        let by_owners = |set: &CutSet| set.ghosts.is_none() || stage.shares.is_none();
        let is_alone = cut.set_of(stage).is_some_and(by_owners);
        let of = &self.fields[field];
        let locals = self.kernel_of(stage).signature.fields.iter();
        let mut bound = locals.zip(&stage.bindings).filter(|(_, bound)| **bound == field);
        is_alone
            && cut.grid(of.resource).is_none()
            && matches!(of.element, Element::Uint | Element::Int)
            && (of.ring, of.home) == (1, Home::Device)
            && bound.all(|(local, _)| local.adds && !local.reads)
    }

    /// Returns true if each second element of a buffer to which stages of `step` only add counts the overflows of the one before.
    pub fn carries(&self, field: FieldId) -> bool {
        let mut stages = self.step.iter().map(|entry| &self.stages[entry.stage]);
        stages.any(|stage| {
            let locals = self.kernel_of(stage).signature.fields.iter();
            let mut bound = locals.zip(&stage.bindings).filter(|(_, bound)| **bound == field);
            bound.any(|(local, _)| local.carries)
        })
    }

    /// The buffers of which every rank has a part of the sum.
    pub(super) fn sums_of_ranks(&self, cut: &Cut) -> Vec<FieldId> {
        let mut sums: Vec<FieldId> = Vec::new();
        for entry in self.step.iter().filter(|entry| cut.grow(entry.stage).is_some()) {
            let stage = &self.stages[entry.stage];
            let locals = self.kernel_of(stage).signature.fields.iter();
            let added = locals.zip(&stage.bindings).filter(|(local, _)| local.adds);
            sums.extend(
                added
                    .map(|(_, field)| *field)
                    .filter(|field| self.is_sum(cut, *field, true)),
            );
        }
        sums.sort_unstable();
        sums.dedup();
        sums
    }

    /// The local fields of a stage over particles with ghosts to which own particles alone add: ghosts would count twice. Kernels
    /// that share particles see to it themselves. Ghosts add to the grid that is cut as well.
    pub(super) fn owned_sums(&self, cut: &Cut, stage: &Stage) -> Vec<usize> {
        let has_ghosts = cut.set_of(stage).is_some_and(|set| set.ghosts.is_some());
        if !has_ghosts || stage.shares.is_some() {
            return Vec::new();
        }
        let locals = self.kernel_of(stage).signature.fields.iter();
        let bound = locals.zip(&stage.bindings).enumerate();
        let is_sum = |field: FieldId| cut.grid(self.fields[field].resource).is_none();
        let sums = bound.filter(|(_, (local, field))| local.adds && is_sum(**field));
        sums.map(|(number, _)| number).collect()
    }
}
