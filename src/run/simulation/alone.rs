//! Single entries of the step list, for tests and measurements of the engine.

use crate::gpu::Recorder;
use crate::ir::FieldId;
use crate::plan::List;
use crate::workgroups::Groups;

use super::super::error::RunError;
use super::super::recordings::dispatch_groups;
use super::Simulation;

impl Simulation {
    /// Number of exchanges between ranks so far.
    pub fn exchanges(&self) -> u64 {
        self.ranked.as_ref().map_or(0, |ranked| ranked.exchanges.count)
    }

    /// Number of exchanges so far in which the devices of ranks waited for each other.
    pub fn signals_sent(&self) -> u64 {
        self.ranked
            .as_ref()
            .map_or(0, |ranked| ranked.exchanges.signals_sent())
    }

    /// Runs one entry of the step list alone on the newest values of its fields, and waits for it. Its results become
    /// the newest values, even where a step would advance a ring. For tests and tools.
    pub fn run_alone(&mut self, invocation: usize) -> Result<(), RunError> {
        self.finish()?;
        let stage = &self.prepared.pipeline.stages[self.prepared.pipeline.step[invocation].stage];
        for condition in stage.conditions.clone() {
            let name = self.prepared.pipeline.fields[condition].name.clone();
            if self.read(&name)?.iter().take(4).all(|byte| *byte == 0) {
                return Ok(());
            }
        }
        let phase = (self.steps % u64::from(self.prepared.pipeline.phases())) as u32;
        let entry = &self.prepared.pipeline.step[invocation];
        let stage = &self.prepared.pipeline.stages[entry.stage];
        let groups = self.prepared.plan.groups(List::Step, invocation);
        let address = self.prepared.arguments.of(List::Step, phase, invocation);
        for field in stage.reads().iter().chain(stage.writes()) {
            if self
                .prepared
                .plan
                .memory(List::Step, invocation, *field, self.steps)
                != self.newest(*field).0
            {
                let name = &self.prepared.pipeline.fields[*field].name;
                return Err(RunError::Misuse(format!(
                    "`{}` cannot run alone: `{name}` is swapped before it",
                    stage.name
                )));
            }
        }
        // Fields in pages have one copy only.
        let move_copy = |recorder: &mut Recorder, field: FieldId, from: u32, to: u32| {
            if from == to {
                Ok(())
            } else {
                let (from, to) = (
                    self.prepared.memory.field(field, from),
                    self.prepared.memory.field(field, to),
                );
                recorder.copy(from, 0, to, 0, from.size())
            }
        };
        self.prepared.host.run_once(&stage.name, |recorder| {
            self.prepared.hold(recorder)?;
            for field in stage.reads().iter().chain(stage.writes()) {
                let (read, _) = self
                    .prepared
                    .plan
                    .copies(List::Step, invocation, *field, self.steps);
                let (memory, newest) = self.newest(*field);
                move_copy(recorder, memory, newest, read)?;
            }
            recorder.full_barrier();
            let kernel = self.prepared.programs.of(entry.stage);
            let counts = match groups {
                Groups::Direct(_) => None,
                Groups::Indirect { field, .. } => {
                    let copy = self
                        .prepared
                        .plan
                        .counted(List::Step, invocation, field, self.steps);
                    Some(self.prepared.memory.field(field, copy))
                }
            };
            dispatch_groups(recorder, kernel, address, groups, counts)?;
            recorder.full_barrier();
            for field in stage.writes() {
                let (_, written) = self
                    .prepared
                    .plan
                    .copies(List::Step, invocation, *field, self.steps);
                let (memory, newest) = self.newest(*field);
                move_copy(recorder, memory, written, newest)?;
            }
            Ok(())
        })
    }

    /// Number of Vulkan pipelines of all stages. For tests.
    pub fn pipelines(&self) -> usize {
        self.prepared.programs.count()
    }
}
