//! Instruments kernels: with marks that reveal data races, and with a shuffled order of workgroups.

use indexmap::IndexSet;

use super::kernel::{Kernel, Marks};
use super::pipeline::Pipeline;
use super::stage::Stage;

impl Pipeline {
    /// Adds marks to the accesses of stages, a shuffled order of workgroups, or checks of reaches. Call it before shaders are
    /// compiled.
    pub fn instrument(&mut self, marks: bool, shuffled: bool, reach: bool) {
        let mut kernels = IndexSet::new();
        for stage in &mut self.stages {
            let mut kernel = self.kernels[stage.kernel].clone();
            kernel.signature.marks = if marks && !stage.unsearched {
                marks_of(stage, &kernel)
            } else {
                Vec::new()
            };
            kernel.signature.shuffled = shuffled;
            kernel.signature.checks_reach = reach;
            (stage.kernel, _) = kernels.insert_full(kernel);
        }
        self.kernels = kernels;
    }
}

/// Marks for the fields that a stage writes, under every name that its kernel has for them.
fn marks_of(stage: &Stage, kernel: &Kernel) -> Vec<Marks> {
    let locals = &kernel.signature.fields;
    let marks = stage.bindings.iter().map(|field| {
        let names = locals
            .iter()
            .zip(&stage.bindings)
            .filter(|(_, bound)| *bound == field);
        let writers = names.clone().filter(|(local, _)| local.writes).count();
        match (writers, names.count()) {
            (0, _) => Marks::None,
            (_, 1) => Marks::Own,
            _ => Marks::Shared,
        }
    });
    marks.collect()
}
