//! Writer threads behind a bounded queue.
//!
//! Payloads alive at once are at most the queue's capacity, one per thread, and the one being submitted. After
//! the first error the threads go on emptying the queue without writing, so a caller that waits for room always
//! gets it and learns the cause from its next call.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crossbeam::channel::{Receiver, Sender, bounded};

use super::encode::encode;
use super::{Job, OutputError, write_whole};

/// One file that is complete on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    pub output: String,
    pub frame: u64,
    pub path: PathBuf,
    pub bytes: u64,
    /// When a thread took the job, and when the file had its name.
    pub start: Instant,
    pub end: Instant,
    /// The number of that thread.
    pub thread: usize,
    pub blake3: blake3::Hash,
}

/// The threads and their queue. Dropping it writes what is queued and waits for the threads.
pub struct Writers {
    queue: Option<Sender<(u64, Job)>>,
    threads: Vec<JoinHandle<()>>,
    log: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    log: Mutex<Log>,
    /// Told of whenever a job is done.
    done: Condvar,
}

#[derive(Default)]
struct Log {
    first_error: Option<OutputError>,
    written: Vec<Written>,
    /// Jobs so far, and the numbers of those that are not done.
    submitted: u64,
    under_way: BTreeSet<u64>,
}

/// All jobs that were submitted before some moment.
pub struct Ticket {
    shared: Arc<Shared>,
    submitted: u64,
}

impl Ticket {
    /// Waits until those jobs are done. Returns the first error of any job.
    pub fn wait(&self) -> Result<(), OutputError> {
        let mut log = lock(&self.shared.log);
        while log.first_error.is_none() && log.under_way.first().is_some_and(|job| *job < self.submitted) {
            let woken = self.shared.done.wait(log);
            log = woken.unwrap_or_else(PoisonError::into_inner);
        }
        log.first_error.clone().map_or(Ok(()), Err)
    }

    /// The files that are complete so far.
    pub fn written(&self) -> Vec<Written> {
        lock(&self.shared.log).written.clone()
    }
}

impl Writers {
    /// Starts `threads` (at least one) writers with room for `queue_capacity` waiting jobs.
    pub fn start(threads: usize, queue_capacity: usize) -> Result<Writers, OutputError> {
        let (sender, receiver) = bounded(queue_capacity);
        let mut writers = Writers {
            queue: Some(sender),
            threads: Vec::new(),
            log: Arc::default(),
        };
        for index in 0..threads.max(1) {
            let (queue, log) = (receiver.clone(), Arc::clone(&writers.log));
            let handle = thread::Builder::new()
                .name(format!("writer {index}"))
                .spawn(move || work(index, &queue, &log))
                .map_err(|e| OutputError::Thread {
                    index,
                    source: Arc::new(e),
                })?;
            writers.threads.push(handle);
        }
        Ok(writers)
    }

    /// Queues a frame; waits while the queue is full. Returns the first error of any thread, whichever job it
    /// came from; the job may be dropped unwritten then.
    pub fn submit(&self, job: Job) -> Result<(), OutputError> {
        self.check()?;
        job.check()?;
        let Some(queue) = &self.queue else {
            return Err(OutputError::Finished {
                output: job.output,
                frame: job.frame,
            });
        };
        let number = {
            let mut log = lock(&self.log.log);
            let number = log.submitted;
            log.submitted += 1;
            log.under_way.insert(number);
            number
        };
        // Threads live as long as the queue, so this fails only if all of them died; `check` knows why.
        if let Err(refused) = queue.send((number, job)) {
            self.check()?;
            let (_, job) = refused.into_inner();
            return Err(OutputError::Finished {
                output: job.output,
                frame: job.frame,
            });
        }
        self.check()
    }

    /// Stands for all jobs submitted so far.
    pub fn ticket(&self) -> Ticket {
        Ticket {
            shared: Arc::clone(&self.log),
            submitted: lock(&self.log.log).submitted,
        }
    }

    /// The first error so far, without waiting.
    pub fn check(&self) -> Result<(), OutputError> {
        lock(&self.log.log).first_error.clone().map_or(Ok(()), Err)
    }

    /// The files that are complete so far, by output and frame.
    pub fn written(&self) -> Vec<Written> {
        let mut written = lock(&self.log.log).written.clone();
        written.sort_by(|a, b| (&a.output, a.frame).cmp(&(&b.output, b.frame)));
        written
    }

    /// Writes what is queued and waits for the threads. No job can be submitted after it.
    pub fn join(&mut self) -> Result<(), OutputError> {
        self.queue = None;
        for thread in self.threads.drain(..) {
            // A thread catches the panics of its jobs, which are then the first error.
            let _ = thread.join();
        }
        self.check()
    }

    /// [`Writers::join`], then all files written. After an error, [`Writers::written`] tells what is whole.
    pub fn finish(mut self) -> Result<Vec<Written>, OutputError> {
        self.join()?;
        Ok(self.written())
    }
}

impl Drop for Writers {
    fn drop(&mut self) {
        // Who wants the error calls `finish`.
        let _ = self.join();
    }
}

fn work(thread: usize, queue: &Receiver<(u64, Job)>, shared: &Shared) {
    let log = &shared.log;
    for (number, job) in queue {
        let (output, frame) = (job.output.clone(), job.frame);
        let failed = lock(log).first_error.is_some();
        // The payload is foreign code: its panics, those of its drop included, must not end the thread.
        let result = catch_unwind(AssertUnwindSafe(move || {
            if failed {
                Ok(None)
            } else {
                write(thread, job).map(Some)
            }
        }))
        .unwrap_or_else(|panic| {
            Err(OutputError::Panicked {
                output,
                frame,
                message: message(panic.as_ref()),
            })
        });
        let mut log = lock(log);
        match result {
            Ok(written) => log.written.extend(written),
            Err(error) => {
                log.first_error.get_or_insert(error);
            }
        }
        log.under_way.remove(&number);
        drop(log);
        shared.done.notify_all();
    }
}

fn write(thread: usize, job: Job) -> Result<Written, OutputError> {
    let start = Instant::now();
    let (held, wanted) = (job.payload.bytes().len(), job.array.size());
    if wanted != Some(held as u64) {
        let wanted = wanted.map_or("more than 2^64".to_owned(), |bytes| bytes.to_string());
        return Err(job.unfit(format!("it takes {wanted} bytes, but {held} were handed over")));
    }
    let Job {
        output,
        frame,
        path,
        format,
        array,
        payload,
    } = job;
    // The closure owns the payload, so the buffer is free again before the wait for the disk.
    let whole = write_whole(&path, move |out| encode(format, &array, payload.bytes(), out))?;
    Ok(Written {
        output,
        frame,
        path,
        bytes: whole.bytes,
        start,
        end: Instant::now(),
        thread,
        blake3: whole.blake3,
    })
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

/// A panic elsewhere leaves the log usable: every change to it is one call.
fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}
