//! Results of writer threads: the complete files, the first error, and the jobs that are done.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::OutputError;
use super::collection::Collection;

/// One file that is complete on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    pub output: String,
    /// The frame; of a film, its first frame.
    pub frame: u64,
    pub path: PathBuf,
    pub bytes: u64,
    /// The file was there before, with fewer frames; `bytes` is its length, and `blake3` the hash of what was added.
    pub grows: bool,
    /// When a thread started the job, and when the file got its name.
    pub start: Instant,
    pub end: Instant,
    /// The number of that thread.
    pub thread: usize,
    /// `None` if several processes wrote it.
    pub blake3: Option<blake3::Hash>,
}

impl Written {
    /// The number of files and of their bytes. Of a growing file the last state counts.
    pub fn total<'a>(written: impl Iterator<Item = &'a Written>) -> (u64, u64) {
        let (growing, frames): (Vec<_>, Vec<_>) = written.partition(|file| file.grows);
        let growing: HashMap<&PathBuf, u64> = growing.iter().map(|file| (&file.path, file.bytes)).collect();
        let bytes = frames
            .iter()
            .map(|file| file.bytes)
            .chain(growing.values().copied());
        ((frames.len() + growing.len()) as u64, bytes.sum())
    }
}

/// Results shared by the writer threads.
#[derive(Default)]
pub(super) struct Log {
    state: Mutex<Progress>,
    /// Notified when a job is done.
    done: Condvar,
    /// The lists of files that some formats require, by output.
    pub collections: Mutex<HashMap<PathBuf, Collection>>,
}

#[derive(Default)]
struct Progress {
    first_error: Option<OutputError>,
    written: Vec<Written>,
    /// Number of jobs so far, and the numbers of those that are not done. A cut of a film is a job, but its frames are
    /// not.
    submitted: u64,
    under_way: BTreeSet<u64>,
    /// The frames of shares of files that are not written, with the numbers of their jobs.
    shares: BTreeSet<(u64, u64)>,
}

/// All jobs up to some moment.
pub struct Ticket {
    log: Arc<Log>,
    submitted: u64,
}

impl Ticket {
    /// Waits until these jobs are done. Returns the first error of any job.
    pub fn wait(&self) -> Result<(), OutputError> {
        let mut state = lock(&self.log.state);
        while state.first_error.is_none()
            && (state.under_way.first()).is_some_and(|job| *job < self.submitted)
        {
            let woken = self.log.done.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        state.first_error.clone().map_or(Ok(()), Err)
    }

    /// The files that are complete so far.
    pub fn written(&self) -> Vec<Written> {
        self.log.files()
    }
}

impl Log {
    /// The number of a new job.
    pub(super) fn begin(&self) -> u64 {
        let mut state = lock(&self.state);
        let number = state.submitted;
        state.submitted += 1;
        state.under_way.insert(number);
        number
    }

    /// Marks a job as done, successful or not.
    pub(super) fn end(&self, number: u64) {
        lock(&self.state).under_way.remove(&number);
        self.done.notify_all();
    }

    /// The number of a new job that writes the share of this process in a file.
    pub(super) fn begin_share(&self, frame: u64) -> u64 {
        let number = self.begin();
        lock(&self.state).shares.insert((frame, number));
        number
    }

    /// Notes that a share is on disk.
    pub(super) fn end_share(&self, frame: u64, number: u64) {
        lock(&self.state).shares.remove(&(frame, number));
    }

    /// The first frame with a share that is not on disk.
    pub(super) fn first_share(&self) -> Option<u64> {
        lock(&self.state).shares.first().map(|(frame, _)| *frame)
    }

    /// Waits until all shares in files of frames before one are on disk. Returns the first error of any job.
    pub(super) fn wait_for_shares(&self, before: u64) -> Result<(), OutputError> {
        let mut state = lock(&self.state);
        while state.first_error.is_none() && state.shares.first().is_some_and(|(frame, _)| *frame < before) {
            let woken = self.done.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        state.first_error.clone().map_or(Ok(()), Err)
    }

    pub(super) fn failed(&self) -> bool {
        lock(&self.state).first_error.is_some()
    }

    pub(super) fn fail(&self, error: OutputError) {
        lock(&self.state).first_error.get_or_insert(error);
        self.done.notify_all();
    }

    pub(super) fn written(&self, written: Written) {
        lock(&self.state).written.push(written);
    }

    /// The first error so far.
    pub(super) fn check(&self) -> Result<(), OutputError> {
        lock(&self.state).first_error.clone().map_or(Ok(()), Err)
    }

    /// The files that are complete so far.
    pub(super) fn files(&self) -> Vec<Written> {
        lock(&self.state).written.clone()
    }

    /// A ticket for all jobs so far.
    pub(super) fn ticket(self: &Arc<Log>) -> Ticket {
        Ticket {
            log: Arc::clone(self),
            submitted: lock(&self.state).submitted,
        }
    }
}

pub(super) fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

/// After a panic in another thread, the data is still valid, because every change to it is one call.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
