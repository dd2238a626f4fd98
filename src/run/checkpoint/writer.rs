//! Checkpoints of a run: copied from the device while steps go on, and written by a separate thread.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, bounded};

use crate::ir::{CheckpointPlan, Pipeline};
use crate::output::{Ticket, Written};
use crate::run::error::RunError;
use crate::run::frames::Frames;
use crate::run::request::RunRequest;
use crate::run::simulation::Simulation;
use crate::run::simulation::capture::{Extent, PendingState};
use crate::run::state::SimulationState;

use super::file::{Checkpoint, CheckpointDescription, OutputCount, PartDescription};
use super::paths::{directory, list, path};
use super::validity::is_valid;

/// Writes checkpoints and removes the oldest.
pub struct CheckpointWriter {
    plan: CheckpointPlan,
    /// The description, without the state's own parts.
    template: CheckpointDescription,
    pending: Option<PendingState>,
    work: Option<Sender<CheckpointJob>>,
    thread: Option<JoinHandle<Result<(), RunError>>>,
    /// False on ranks that only contribute to checkpoints.
    writes: bool,
    /// Number of checkpoints that the thread has not written yet.
    unwritten: Arc<AtomicUsize>,
    /// They wait for the files of frames before this one.
    awaited_before: u64,
}

struct CheckpointJob {
    description: CheckpointDescription,
    state: SimulationState,
    /// The frames that must be on disk before the checkpoint gets its name.
    before: Ticket,
}

impl CheckpointWriter {
    /// `template` has the identity of the run and the files of its earlier parts; `kept` are their checkpoints.
    pub fn start(
        run: &RunRequest,
        template: CheckpointDescription,
        kept: Vec<PathBuf>,
    ) -> Result<CheckpointWriter, RunError> {
        let (sender, receiver) = bounded(0);
        let pipeline = run.pipeline.clone();
        let output = run.directory.to_path_buf();
        let unwritten = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&unwritten);
        let thread = std::thread::Builder::new()
            .name("checkpoints".into())
            .spawn(move || work(&receiver, &pipeline, &output, kept, &left))
            .map_err(|error| RunError::Failed(format!("cannot start the checkpoint thread: {error}")))?;
        Ok(CheckpointWriter {
            plan: run.pipeline.checkpoint,
            template,
            pending: None,
            work: Some(sender),
            thread: Some(thread),
            writes: run.writes(),
            unwritten,
            awaited_before: 0,
        })
    }

    /// Returns true if a checkpoint is due after this frame. The last frame also has one, so that the run can be extended.
    pub fn is_due(&self, frame: u64, frames: u64) -> bool {
        (self.plan.every).is_some_and(|every| frame.is_multiple_of(every) || frame == frames)
    }

    /// Begins the checkpoint of the state after everything submitted so far.
    pub fn begin(&mut self, simulation: &mut Simulation, frames: &mut Frames) -> Result<(), RunError> {
        // One at a time, to limit memory.
        self.settle(simulation, frames)?;
        if !self.writes {
            return simulation.contribute(Extent::Everything);
        }
        self.pending = Some(simulation.capture(Extent::Everything)?);
        Ok(())
    }

    /// The checkpoints that are being written wait for the files of frames before this one.
    pub fn awaited_before(&self) -> u64 {
        self.awaited_before
    }

    /// Passes the pending checkpoint on if the writers have the frames up to its own. Does not wait for an earlier one, which
    /// may wait for files of other ranks.
    pub fn advance(&mut self, simulation: &Simulation, frames: &Frames) -> Result<(), RunError> {
        let is_idle = self.unwritten.load(Ordering::Acquire) == 0;
        let ready = |pending: &mut PendingState| is_idle && frames.released >= pending.frames();
        if let Some(pending) = self.pending.take_if(ready) {
            self.hand_over(simulation.captured(pending)?, frames)?;
        }
        Ok(())
    }

    /// Waits until nothing is pending.
    pub fn settle(&mut self, simulation: &mut Simulation, frames: &mut Frames) -> Result<(), RunError> {
        if let Some(pending) = self.pending.take() {
            frames.release_until(simulation, pending.frames())?;
            self.hand_over(simulation.captured(pending)?, frames)?;
        }
        Ok(())
    }

    /// Writes the pending checkpoint and waits until it is on disk.
    pub fn finish(&mut self, simulation: &mut Simulation, frames: &mut Frames) -> Result<(), RunError> {
        self.settle(simulation, frames)?;
        self.join()
    }

    fn join(&mut self) -> Result<(), RunError> {
        self.work = None;
        match self.thread.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(RunError::Failed(
                "the checkpoint thread panicked: please report it".into(),
            )),
        }
    }

    fn hand_over(&mut self, state: SimulationState, frames: &Frames) -> Result<(), RunError> {
        let mut description = self.template.clone();
        (description.steps, description.frames) = (state.steps, state.frames);
        description.grids = state.grids.clone();
        let parts = state.parts.iter().map(|part| {
            Ok(PartDescription {
                name: part.name.clone(),
                bytes: part.bytes()?.len() as u64,
            })
        });
        description.parts = parts.collect::<Result<_, RunError>>()?;
        let job = CheckpointJob {
            description,
            state,
            before: frames.writers.ticket(),
        };
        self.unwritten.fetch_add(1, Ordering::AcqRel);
        let sent = self.work.as_ref().is_some_and(|work| work.send(job).is_ok());
        self.awaited_before = frames.released + 1;
        // Before the queue is closed, the thread only ends after an error.
        if sent { Ok(()) } else { self.join() }
    }
}

impl Drop for CheckpointWriter {
    fn drop(&mut self) {
        // To receive the error, call `finish`.
        let _ = self.join();
    }
}

fn work(
    queue: &Receiver<CheckpointJob>,
    pipeline: &Pipeline,
    output: &Path,
    mut own: Vec<PathBuf>,
    unwritten: &AtomicUsize,
) -> Result<(), RunError> {
    for job in queue {
        // The watch will stop a run with bad values, which can resume from the checkpoint before this one.
        let written = match is_valid(&job.state, pipeline) {
            Ok(true) => write(job, pipeline, output, &mut own),
            other => other.map(drop),
        };
        unwritten.fetch_sub(1, Ordering::AcqRel);
        written?;
    }
    Ok(())
}

fn write(
    job: CheckpointJob,
    pipeline: &Pipeline,
    output: &Path,
    own: &mut Vec<PathBuf>,
) -> Result<(), RunError> {
    let mut description = job.description;
    std::fs::create_dir_all(directory(output)).map_err(|error| {
        let name = directory(output);
        RunError::Failed(format!("cannot create {}: {error}", name.display()))
    })?;
    let target = path(output, description.frames);
    Checkpoint::write(&target, &job.state, || {
        job.before.wait()?;
        count(
            &mut description.outputs,
            &job.before.written(),
            description.frames,
        );
        Ok(description)
    })?;
    own.retain(|path| *path != target);
    own.push(target);
    let kept = &own[own.len().saturating_sub(pipeline.checkpoint.keep)..];
    // Also removes checkpoints of an earlier run in the same directory, once this run has its own.
    for (_, old) in list(output) {
        if !kept.contains(&old) {
            // A checkpoint that cannot be removed does no harm.
            let _ = std::fs::remove_file(old);
        }
    }
    Ok(())
}

/// Adds the files that this process wrote up to a frame. A growing file has the frames of earlier parts, too.
fn count(outputs: &mut BTreeMap<String, OutputCount>, written: &[Written], frame: u64) {
    let until = || written.iter().filter(|file| file.frame <= frame);
    let names: BTreeSet<&String> = until().map(|file| &file.output).collect();
    for name in names {
        let own = || until().filter(|file| file.output == *name);
        let count = outputs.entry(name.clone()).or_default();
        if own().any(|file| file.grows) {
            *count = OutputCount::default();
        }
        let (files, bytes) = Written::total(own());
        count.files += files;
        count.bytes += bytes;
    }
}
