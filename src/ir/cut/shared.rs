//! Tells all stages and their kernels whether a rank runs them on its part.

use indexmap::IndexSet;

use super::super::ids::FieldId;
use super::super::pipeline::Pipeline;
use super::{Cut, Share, shares};

impl Pipeline {
    /// Decides which stages run in parts. If all ranks would add the same to a field, none of its stages runs in parts.
    pub(super) fn share_stages(&self, cut: &mut Cut) {
        loop {
            let stages = self.stages.iter();
            cut.shares = stages.map(|stage| shares::share(self, stage, cut)).collect();
            cut.sums = self.sums_of_ranks(cut);
            let whole = self.step.iter().filter(|entry| cut.grow(entry.stage).is_none());
            let written: Vec<FieldId> = whole
                .flat_map(|entry| self.stages[entry.stage].writes().to_vec())
                .collect();
            let mixed = cut.sums.iter().filter(|field| written.contains(field));
            let mixed: Vec<FieldId> = mixed.copied().collect();
            if mixed.is_empty() {
                return;
            }
            cut.no_sums.extend(mixed);
        }
    }

    /// Gives each stage the kernel for its share.
    pub(super) fn cut_kernels(&mut self, cut: &Cut) {
        let mut kernels = IndexSet::new();
        for id in 0..self.stages.len() {
            let stage = &self.stages[id];
            let is_part = matches!(cut.shares[id], Share::Part { .. }) && !self.counts_set(stage);
            let mut kernel = self.kernels[stage.kernel].clone();
            kernel.signature.cut = is_part;
            if is_part {
                kernel.signature.owned_sums = self.owned_sums(cut, stage);
            }
            (self.stages[id].kernel, _) = kernels.insert_full(kernel);
        }
        self.kernels = kernels;
    }
}
