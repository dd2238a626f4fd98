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
        let records = self.prepared.memory.fault_records()?;
        Ok(records
            .into_iter()
            .find_map(|record| Fault::decode(record, &self.prepared.pipeline, &self.prepared.modules)))
    }

    /// The first bad value that the watch has found so far. Call this only after the work has ended.
    pub fn first_bad(&self) -> Result<Option<FirstBad>, RunError> {
        match &self.prepared.pipeline.watch {
            None => Ok(None),
            Some(watch) => Ok(FirstBad::decode(
                self.mapped(watch.record)?,
                &self.prepared.pipeline,
            )),
        }
    }

    /// The repeats that have used all their iterations so far although they should not. Call this only after the work has
    /// ended.
    pub fn unfinished(&self) -> Result<Vec<Unfinished>, RunError> {
        let mut unfinished = Vec::new();
        for limit in &self.prepared.pipeline.loop_limits {
            unfinished.extend(Unfinished::decode(limit, self.mapped(limit.record)?));
        }
        Ok(unfinished)
    }

    /// Adds the last stages that began, of steps and of frames, to an error of a device that hangs or is lost.
    pub fn explain(&self, error: RunError) -> RunError {
        let records = self.prepared.memory.fault_records().unwrap_or_default();
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

    /// The mapped memory of a field that the host reads. Call this only after the work has ended.
    fn mapped(&self, field: FieldId) -> Result<&[u8], RunError> {
        Ok(self.prepared.memory.field(field, 0).bytes()?)
    }
}
