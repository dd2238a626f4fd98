//! The end of a run: completes its files and its report, and explains a failure.

use crate::run::error::RunError;
use crate::run::observer::Event;
use crate::run::populations::{populations, refusals};
use crate::run::replay;
use crate::run::report::Report;
use crate::run::trace::TraceRow;
use crate::run::unfinished::Unfinished;
use crate::run::watch::{FirstBad, WatchedFrames};

use super::{Session, SessionEnd};

impl Session<'_> {
    /// Completes the files and the report after the last step, which may have failed.
    pub(super) fn conclude(
        mut self,
        result: Result<SessionEnd, RunError>,
        report: &mut Report,
    ) -> Result<SessionEnd, RunError> {
        let finished = self.complete_files(&result, report);
        self.warn();
        if !matches!(result, Ok(SessionEnd::Move(_))) {
            self.observer.event(Event::Ended);
        }
        report.startup(self.run, &self.simulation);
        let elapsed = self.began.elapsed();
        report.result(&self.simulation, &self.frames, elapsed, self.counted_from);
        let traced = self.write_trace();
        let ending = result.and_then(|ending| finished.and(traced).map(|()| ending));
        match ending.map_err(|error| self.simulation.explain(error)) {
            Err(RunError::Bad { bad, frames }) => Err(self.find_cause(bad, frames)),
            Err(hung @ RunError::Timeout { .. }) => {
                // The device still uses these, and to wait for it would hang as well.
                std::mem::forget((self.simulation, self.frames, self.checkpoints));
                Err(hung)
            }
            ending => ending,
        }
    }

    /// Writes the frames that were released before the end, even after a failure.
    fn complete_files(
        &mut self,
        result: &Result<SessionEnd, RunError>,
        report: &mut Report,
    ) -> Result<(), RunError> {
        match result {
            Ok(_) => {
                let hashed = (self.hashes.as_mut()).map_or(Ok(()), |hashes| hashes.finish(&self.simulation));
                let finished = hashed.and(self.finish());
                self.warn();
                finished?;
                self.report_counts(report)
            }
            // The device works, so pending frames arrive.
            Err(RunError::Full { .. } | RunError::Bad { .. } | RunError::Input(_)) => {
                self.frames.finish(&mut self.simulation)
            }
            Err(RunError::Timeout { .. }) => {
                let arrived = self.frames.release_arrived(&mut self.simulation);
                arrived.and(self.frames.writers.join().map_err(RunError::from))
            }
            Err(_) => self.frames.writers.join().map_err(RunError::from),
        }
    }

    fn finish(&mut self) -> Result<(), RunError> {
        if let Err(error) = self.complete_common_files(u64::MAX) {
            // Queued files are written in any case.
            let _ = self.frames.writers.join();
            return Err(error);
        }
        (self.checkpoints).finish(&mut self.simulation, &mut self.frames)?;
        self.frames.finish(&mut self.simulation)?;
        self.simulation.finish()
    }

    /// Reports live particles and refused births, and repeats that used all their iterations.
    fn report_counts(&mut self, report: &mut Report) -> Result<(), RunError> {
        let populations = populations(&mut self.simulation)?;
        for text in refusals(&populations) {
            self.observer.event(Event::Warning(&text));
        }
        report.populations(populations);
        let unfinished = self.simulation.unfinished()?;
        for text in unfinished.iter().filter_map(Unfinished::total) {
            self.observer.event(Event::Warning(&text));
        }
        report.unfinished(&unfinished);
        Ok(())
    }

    fn write_trace(&self) -> Result<(), RunError> {
        let (Some(path), Some(trace)) = (self.run.trace, self.simulation.trace()) else {
            return Ok(());
        };
        for file in self.frames.writers.written() {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            trace.event(TraceRow::Writer(file.thread), name, file.start, file.end);
        }
        trace.write(path)
    }

    /// Replays the run to find the stage that caused a bad value.
    fn find_cause(self, bad: Box<FirstBad>, frames: WatchedFrames) -> RunError {
        // Their memory makes room for the replay.
        drop((self.simulation, self.frames, self.checkpoints));
        if self.run.ranks.is_some() {
            // A replay would need all ranks, but not all may know of the bad value.
            return RunError::Bad { bad, frames };
        }
        let named = match replay::first_stage(self.run, &self.identity, &bad, self.observer) {
            Ok(named) => named,
            Err(error) => {
                self.observer
                    .event(Event::Warning(&format!("the replay failed: {error}")));
                None
            }
        };
        let bad = named.map_or(bad, Box::new);
        RunError::Bad { bad, frames }
    }
}
