//! A run in progress: its simulation, and the files that it writes.

mod change;
mod common_files;
mod conclude;
mod frame;

use std::sync::Arc;
use std::time::Instant;

use crate::ir::FieldId;
use crate::shader::Module;

use super::balance::{Balance, Move};
use super::checkpoint::{CheckpointWriter, RunIdentity};
use super::error::RunError;
use super::frames::Frames;
use super::hashes::Hashes;
use super::observer::{Event, Observer};
use super::ranked;
use super::report::Report;
use super::request::{Ending, RunRequest};
use super::simulation::Simulation;
use super::space;
use super::start::RunStart;

/// The ending of a session.
pub(super) enum SessionEnd {
    /// The run ends.
    Run(Ending),
    /// The run continues with other parts.
    Move(Move),
}

/// Runs from the start to the last frame, or until parts move, and fills in the report.
pub(super) fn run(
    run: &RunRequest,
    modules: Vec<Module>,
    start: RunStart,
    report: &mut Report,
    balance: Option<&mut Balance>,
    observer: &mut dyn Observer,
) -> Result<SessionEnd, RunError> {
    let started = Session::start(run, modules, start, balance, observer);
    ranked::report(run, &started);
    let mut session = started?;
    let result = session.run_frames();
    ranked::report(run, &result);
    let ending = session.conclude(result, report);
    ranked::report(run, &ending);
    ending
}

/// A run from its start to its end.
struct Session<'a> {
    run: &'a RunRequest<'a>,
    observer: &'a mut dyn Observer,
    balance: Option<&'a mut Balance>,
    simulation: Simulation,
    frames: Frames,
    checkpoints: CheckpointWriter,
    hashes: Option<Hashes>,
    identity: RunIdentity,
    /// The fields that frame stages write.
    drawn: Vec<FieldId>,
    began: Instant,
    /// Steps before this session.
    first_step: u64,
    /// The number of steps and the time from which the rate of steps is counted.
    counted_from: (u64, Instant),
    /// The step for which changes were last asked for.
    changes_asked: Option<u64>,
}

impl<'a> Session<'a> {
    /// Allocates everything and starts the writers.
    fn start(
        run: &'a RunRequest<'a>,
        modules: Vec<Module>,
        start: RunStart,
        mut balance: Option<&'a mut Balance>,
        observer: &'a mut dyn Observer,
    ) -> Result<Session<'a>, RunError> {
        let began = Instant::now();
        let pipeline = run.pipeline.clone();
        let probe = Arc::clone(&run.probe);
        let state = start.state.as_ref();
        let mut simulation = Simulation::probed(
            run.gpu,
            pipeline,
            modules,
            run.options,
            probe,
            state,
            run.ranks.clone(),
        )?;
        drop(start.state);
        if !balance.as_ref().is_some_and(|balance| balance.has_moved()) {
            for notice in simulation.notices() {
                observer.event(Event::Notice(&notice));
            }
        }
        if run.trace.is_some() {
            simulation.start_trace()?;
        }
        let (steps, after) = (simulation.steps(), simulation.frames());
        let delay = run.probe.file_delay();
        let waits = (delay, run.options.timeout);
        let stamp = ranked::stamp(run)?;
        let frames = Frames::new(run.gpu, &run.pipeline, run.directory, after, waits, stamp)?;
        let identity = start.description.identity.clone();
        let checkpoints = CheckpointWriter::start(run, start.description, start.kept)?;
        let hashes = if run.hash {
            Some(Hashes::start(run.writes().then_some(run.directory), after)?)
        } else {
            None
        };
        let gaps = frames.measures.gaps.iter();
        for gap in gaps.chain(hashes.iter().filter_map(|hashes| hashes.gap.as_ref())) {
            observer.event(Event::Warning(gap));
        }
        if run.writes()
            && let Some(shortage) = space::shortage(&run.pipeline, run.directory, after)
        {
            observer.event(Event::Warning(&shortage));
        }
        observer.event(Event::Begun { steps });
        if let Some(balance) = &mut balance {
            balance.started(steps);
        }
        let stages = (run.pipeline.frame.iter()).map(|entry| &run.pipeline.stages[entry.stage]);
        Ok(Session {
            run,
            observer,
            balance,
            simulation,
            frames,
            checkpoints,
            hashes,
            identity,
            drawn: stages.flat_map(|stage| stage.writes().iter().copied()).collect(),
            began,
            first_step: steps,
            counted_from: (steps, Instant::now()),
            changes_asked: None,
        })
    }

    /// Reports what was found in the steps so far, and in the frames that were released.
    fn warn(&mut self) {
        let of_steps = self.simulation.take_warnings();
        for text in of_steps.into_iter().chain(self.frames.warnings.drain(..)) {
            self.observer.event(Event::Warning(&text));
        }
    }
}
