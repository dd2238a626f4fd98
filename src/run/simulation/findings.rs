//! Records that kernels leave on the device: faults, bad values, repeats that did not end, and the stage that ran last.

use crate::gpu::GpuError;
use crate::ir::FieldId;

use super::super::error::RunError;
use super::super::fault::{self, Fault};
use super::super::unfinished::Unfinished;
use super::super::watch::FirstBad;
use super::Simulation;

impl Simulation {
    /// The first fault so far: any fault in a checked run, otherwise only an invalid length of an iteration. Call this only
    /// after the work has ended.
    pub fn fault(&self) -> Result<Option<Fault>, RunError> {
        let mut stages = self.prepared.pipeline.stages.iter();
        if !self.prepared.options.checked && !stages.any(|stage| self.prepared.pipeline.sets_length(stage)) {
            return Ok(None);
        }
        let (pipeline, modules) = (&self.prepared.pipeline, &self.prepared.modules);
        let records = self.prepared.memory.fault_records()?.enumerate();
        let mut faults = records.filter_map(|(number, record)| {
            let fault = Fault::decode(record, pipeline, modules)?;
            let world = pipeline.named_world(number / 2);
            Some(Fault { world, ..fault })
        });
        Ok(faults.next())
    }

    /// The first bad value that the watch has found so far. Call this only after the work has ended.
    pub fn first_bad(&self) -> Result<Option<FirstBad>, RunError> {
        let pipeline = &self.prepared.pipeline;
        let Some(watch) = &pipeline.watch else {
            return Ok(None);
        };
        let mut found: Vec<FirstBad> = Vec::new();
        for world in 0..pipeline.worlds() {
            if let Some(mut bad) = FirstBad::decode(self.mapped(watch.record, world)?, pipeline) {
                bad.world = pipeline.named_world(world);
                found.push(bad);
            }
        }
        Ok(found.into_iter().min_by_key(|bad| bad.step))
    }

    /// The repeats that have used all their iterations so far although they should not. Call this only after the work has
    /// ended.
    pub fn unfinished(&self) -> Result<Vec<Unfinished>, RunError> {
        let mut unfinished = Vec::new();
        let pipeline = &self.prepared.pipeline;
        for limit in &pipeline.loop_limits {
            for world in 0..pipeline.worlds() {
                let record = Unfinished::decode(limit, self.mapped(limit.record, world)?);
                let world = pipeline.named_world(world);
                unfinished.extend(record.map(|record| Unfinished { world, ..record }));
            }
        }
        Ok(unfinished)
    }

    /// Adds the last stages that began, of steps and of frames, to an error of a device that hangs or is lost.
    pub fn explain(&self, error: RunError) -> RunError {
        // The first world names it: all worlds run in the same dispatches.
        let records = self.prepared.memory.fault_records().into_iter().flatten();
        let lists = ["a step", "a frame"].into_iter().zip(records);
        let began = lists.filter_map(|(list, record)| {
            let stage = fault::last_started(record, &self.prepared.pipeline)?;
            Some(format!("`{stage}` of {list}"))
        });
        let began: Vec<String> = began.collect();
        let began = if began.is_empty() {
            "no stage had begun".to_string()
        } else {
            format!("the last stage that began is {}", began.join(", and "))
        };
        match error {
            RunError::Timeout { what, seconds, .. } => RunError::Timeout { what, seconds, began },
            RunError::Gpu(lost @ GpuError::DeviceLost { .. }) => RunError::Lost { lost, began },
            other => other,
        }
    }

    /// The mapped memory of a field that the host reads, in a world. Call this only after the work has ended.
    fn mapped(&self, field: FieldId, world: usize) -> Result<&[u8], RunError> {
        let pipeline = &self.prepared.pipeline;
        let first = pipeline.world_bytes(field) as usize * world;
        let bytes = self.prepared.memory.field(field, 0).bytes()?;
        Ok(&bytes[first..first + pipeline.field_bytes(field) as usize])
    }
}
