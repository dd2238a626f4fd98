//! Fields to which each rank adds those of its particles: its copy is a share of the value.

use crate::gpu::Queue;
use crate::plan::Touched;
use crate::plan::schedule::FieldCopy;

use super::super::error::RunError;
use super::Simulation;
use super::pass::ListPass;

impl Simulation {
    /// Before a segment to whose fields ranks add shares: these fields become 0 on all ranks but rank 0.
    pub(super) fn zero_shares(&mut self, pass: &mut ListPass, number: usize) -> Result<(), RunError> {
        let (plan, pipeline) = (&self.prepared.plan, &self.prepared.pipeline);
        let Some(ranked) = self.ranked.as_ref().filter(|ranked| ranked.ranks.rank() > 0) else {
            return Ok(());
        };
        let segment = &plan.segments(pass.list)[number];
        let copies = ranked.halos.shared_by(pipeline, plan, segment, pass.steps);
        if copies.is_empty() {
            return Ok(());
        }
        copies.into_iter().try_for_each(|at| self.zero(pass, at))
    }

    fn zero(&mut self, pass: &mut ListPass, at: FieldCopy) -> Result<(), RunError> {
        let Some(ranked) = &mut self.ranked else {
            return Ok(());
        };
        let recording = match ranked.zeros.get(&at) {
            Some(recording) => recording.clone(),
            None => {
                let buffer = self.prepared.memory.field(at.0, at.1).clone();
                let gpu = &self.prepared.host.gpu;
                let recorded = gpu.record("zero shares", Queue::Compute, |recorder| {
                    recorder.full_barrier();
                    recorder.fill(&buffer, 0)?;
                    recorder.full_barrier();
                    Ok(())
                });
                ranked.zeros.entry(at).or_insert(recorded?).clone()
            }
        };
        self.queue_alone(pass, recording, &Touched::writes(vec![at]))
    }
}
