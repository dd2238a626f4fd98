//! Repeats with `while` whose parts are submitted one by one, until one has ended them.

use crate::ir::FieldId;
use crate::plan::List;

use super::super::error::RunError;
use super::Simulation;
use super::pass::{Ahead, FIRST_FLUSH, ListPass};

impl Simulation {
    /// Returns true if a segment is a part of a repeat that has ended. If necessary, waits for an earlier part.
    pub(super) fn has_ended(&mut self, pass: &mut ListPass, number: usize) -> Result<bool, RunError> {
        let Some(part) = self.prepared.plan.segments(pass.list)[number].part else {
            return Ok(false);
        };
        let begins = pass.progress.begins(part);
        if let Some(ranked) = self.ranked.as_mut().filter(|_| begins) {
            ranked.parts.entry((pass.list, part.repeat)).or_default().begin();
        }
        // The device should not wait for the host.
        let ahead = self.ahead((pass.list, part.repeat));
        let awaited = pass.progress.awaited(part, ahead).to_vec();
        if let Some((value, _)) = awaited.last() {
            self.submit_queued(pass)?;
            self.wait(pass.lane, *value)?;
            pass.flush_at = FIRST_FLUSH;
            let ran = self.parts_that_ran(&awaited)?;
            pass.progress.ended |= ran.is_some();
            if let Some(ranked) = &mut self.ranked {
                let known = ranked.parts.entry((pass.list, part.repeat)).or_default();
                known.note(ran.unwrap_or(part.number + 1));
            }
        }
        if part.number == 0 && self.is_never_true(pass, part.condition)? {
            pass.progress.ended = true;
        }
        Ok(pass.progress.ended)
    }

    /// Number of parts until the condition of a repeat was 0, among parts that have ended; `None` if it was not.
    fn parts_that_ran(&self, ended: &[(u64, usize)]) -> Result<Option<usize>, RunError> {
        for (number, (_, note)) in ended.iter().enumerate() {
            if self.prepared.loops.noted(*note)? == 0 {
                return Ok(Some(number + 1));
            }
        }
        Ok(None)
    }

    /// How far the program may be ahead of the device in a repeat. Ranks exchange halos also for parts that run in vain.
    fn ahead(&self, repeat: (List, usize)) -> Ahead {
        match &self.ranked {
            None => Ahead::Parts(1),
            Some(ranked) if self.has_signals() => {
                Ahead::UpTo(ranked.parts.get(&repeat).map_or(0, |parts| parts.expected()))
            }
            Some(_) => Ahead::Parts(0),
        }
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
