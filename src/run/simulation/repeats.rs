//! Repeats with `while` whose parts are submitted one by one, until one has ended them.

use crate::ir::FieldId;
use crate::plan::List;

use super::super::error::RunError;
use super::Simulation;
use super::pass::ListPass;

impl Simulation {
    /// Returns true if a segment is a part of a repeat that has ended. If necessary, waits for an earlier part.
    pub(super) fn has_ended(&mut self, pass: &mut ListPass, number: usize) -> Result<bool, RunError> {
        let Some(part) = self.prepared.plan.segments(pass.list)[number].part else {
            return Ok(false);
        };
        // The device should not wait for the host; but ranks would exchange halos for a part in vain.
        let in_flight = usize::from(self.ranked.is_none());
        if let Some((value, note)) = pass.progress.awaited(part, in_flight) {
            self.submit_queued(pass)?;
            self.wait(pass.lane, value)?;
            pass.progress.ended |= self.prepared.loops.noted(note)? == 0;
        }
        if part.number == 0 && self.is_never_true(pass, part.condition)? {
            pass.progress.ended = true;
        }
        Ok(pass.progress.ended)
    }

    /// Returns true if a condition is 0 in all steps: then ranks need not exchange what the repeat reads.
    fn is_never_true(&mut self, pass: &mut ListPass, condition: FieldId) -> Result<bool, RunError> {
        let Some(ranked) = &self.ranked else {
            return Ok(false);
        };
        if pass.list != List::Step {
            return Ok(false);
        }
        if let Some(is_zero) = ranked.constants.get(&condition) {
            return Ok(*is_zero);
        }
        let pipeline = self.prepared.pipeline.clone();
        let is_zero = !pipeline.steps_change(condition) && {
            self.submit_queued(pass)?;
            let bytes = self.read(&pipeline.fields[condition].name)?;
            bytes.iter().take(4).all(|byte| *byte == 0)
        };
        if let Some(ranked) = &mut self.ranked {
            ranked.constants.insert(condition, is_zero);
        }
        Ok(is_zero)
    }
}
