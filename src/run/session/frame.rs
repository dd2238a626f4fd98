//! The loop over frames and their steps.

use std::time::Instant;

use crate::plan::Lane;
use crate::run::balance::{Measured, Move};
use crate::run::error::RunError;
use crate::run::observer::Event;
use crate::run::ranked::{self, Asked};
use crate::run::request::Ending;
use crate::run::trace::TraceRow;

use super::{Session, SessionEnd};

/// If timing delays the run: number of frames with a timed step at the start, and then the distance between such
/// frames.
const TIMED_FRAMES: u64 = 8;

impl Session<'_> {
    /// Runs all frames that are left, unless the observer ends the run earlier, or parts move.
    pub(super) fn run_frames(&mut self) -> Result<SessionEnd, RunError> {
        if self.simulation.steps() == 0 {
            let started = self.frames.start_initial(&mut self.simulation);
            // The other ranks may now open the files that rank 0 has made.
            ranked::agreed(self.run, "on frame 0", started)?;
        }
        for frame in self.simulation.frames() + 1..=self.run.pipeline.frames {
            self.run_frame(frame)?;
            let own = Asked {
                stop: self.observer.stop(),
                checkpoint: self.observer.checkpoint(),
                written_before: self.frames.written_before(),
                awaited_before: self.checkpoints.awaited_before(),
            };
            let measured = (self.balance.as_ref())
                .and_then(|balance| balance.measured(self.run, &self.simulation, frame));
            let (asked, measured) = ranked::asked(self.run, frame, own, measured)?;
            self.frames.name_common(asked.written_before)?;
            let Asked { stop, checkpoint, .. } = asked;
            if let Some(balance) = self.balance.as_mut().filter(|_| checkpoint) {
                balance.keep_checkpoints();
            }
            let moved = self.balanced(measured).filter(|_| !stop);
            let plan = self.run.pipeline.checkpoint;
            if checkpoint
                || moved.is_some()
                || self.checkpoints.is_due(frame, self.run.pipeline.frames)
                || stop && plan.every.is_some()
            {
                // Rank 0 waits for the last checkpoint, which may wait for files of all ranks.
                if asked.written_before < asked.awaited_before {
                    self.complete_common_files(asked.awaited_before)?;
                }
                (self.checkpoints).begin(&mut self.simulation, &mut self.frames)?;
            }
            if stop {
                return Ok(SessionEnd::Run(Ending::Interrupted));
            }
            if let (Some(moved), Some(balance)) = (moved, &mut self.balance) {
                balance.begin(self.run, &moved);
                return Ok(SessionEnd::Move(moved));
            }
        }
        Ok(SessionEnd::Run(Ending::Done))
    }

    /// Decides whether parts move, from what all ranks have measured.
    fn balanced(&mut self, measured: Option<Vec<Measured>>) -> Option<Move> {
        let balance = self.balance.as_mut()?;
        // All ranks have completed a frame, so all have started from it.
        balance.remove_checkpoint();
        let measured = measured?;
        let steps = self.simulation.steps();
        if self.run.pipeline.sets_between_sorts(steps).next().is_some() {
            return None;
        }
        let moved = balance.decide(self.run, &self.simulation, &measured);
        self.simulation.forget_recent_times();
        moved
    }

    /// Submits the steps and the stages of a frame, and starts its downloads.
    fn run_frame(&mut self, frame: u64) -> Result<(), RunError> {
        let started = Instant::now();
        self.run_steps(frame)?;
        let is_wanted = self.frames.wants(&self.simulation, frame, &self.drawn);
        self.simulation.frame(is_wanted)?;
        let submitted = Instant::now();
        self.frames.gather(&mut self.simulation, frame)?;
        self.frames.start(&mut self.simulation, frame)?;
        self.warn();
        if let Some(trace) = self.simulation.trace() {
            let download = format!("download frame {frame}, write older frames");
            trace.event(
                TraceRow::Program,
                format!("submit frame {frame}"),
                started,
                submitted,
            );
            trace.event(TraceRow::Program, download, submitted, Instant::now());
        }
        if let Some(hashes) = &mut self.hashes {
            hashes.frame(&mut self.simulation)?;
        }
        self.simulation.collect_times()?;
        if self.frames_here(frame) == 1 {
            // A device may compile in the first step, which says nothing about later ones.
            self.simulation.forget_recent_times();
        }
        self.frames.writers.check()?;
        self.checkpoints.advance(&self.simulation, &self.frames)?;
        self.observer.event(Event::Frame(frame));
        Ok(())
    }

    /// Submits the steps of a frame.
    fn run_steps(&mut self, frame: u64) -> Result<(), RunError> {
        let steps_per_frame = self.run.pipeline.steps_per_frame;
        // Times another step in each frame, so that every stage is timed and few overlap with the drawing of a frame.
        let timed = 1 + (frame - 1) % u64::from(steps_per_frame);
        let is_timed = self.frames_here(frame) <= TIMED_FRAMES
            || !self.simulation.waits_for_times()
            || frame.is_multiple_of(TIMED_FRAMES);
        for step in 1..=steps_per_frame {
            self.apply_changes()?;
            self.simulation.step(is_timed && u64::from(step) == timed)?;
            let steps = self.simulation.steps();
            let total = (self.run.pipeline.frames).saturating_mul(u64::from(steps_per_frame));
            if steps == self.first_step + 1 && total > steps {
                // Before the step is reported: rates and times that are left count from here.
                self.count_from_here()?;
            }
            self.observer.event(Event::Step(steps));
        }
        Ok(())
    }

    /// The number of a frame, counted from the start of the session.
    fn frames_here(&self, frame: u64) -> u64 {
        frame - self.first_step / u64::from(self.run.pipeline.steps_per_frame)
    }

    /// Waits for the first step, in which a device may compile, and counts the rate of steps from there.
    fn count_from_here(&mut self) -> Result<(), RunError> {
        let (simulation, steps) = (&self.simulation, self.simulation.steps());
        simulation.wait(Lane::Step, simulation.last(Lane::Step))?;
        self.counted_from = (steps, Instant::now());
        self.observer.event(Event::Begun { steps });
        Ok(())
    }
}
