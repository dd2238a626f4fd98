//! Outputs whose frames must be in order: each has its own thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, bounded};

use super::log::{Log, message};
use super::{Job, OutputError};

/// A file of several frames.
pub(super) trait Ordered: Send {
    /// Adds the next frame, whose payload has been checked.
    fn add(&mut self, job: Job) -> Result<(), OutputError>;

    /// Ensures that all frames so far are on disk.
    fn settle(&mut self) -> Result<(), OutputError>;

    /// Drops what is not complete, after an error.
    fn abandon(&mut self);
}

/// The thread of an output, and the frames that wait for it.
pub(super) struct Queue {
    frames: Option<Sender<Message>>,
    thread: Option<JoinHandle<()>>,
}

enum Message {
    Frame(Job),
    /// Settles the file; then the job with this number is done.
    Cut(u64),
}

impl Queue {
    /// Starts the thread of an output, the writers' `index`-th, with room for `capacity` waiting frames. It waits for `delay`
    /// before each frame.
    pub fn start(
        output: &str,
        index: usize,
        capacity: usize,
        log: Arc<Log>,
        delay: Duration,
        file: Box<dyn Ordered>,
    ) -> Result<Queue, OutputError> {
        let (sender, receiver) = bounded(capacity);
        let name = format!("output {output}");
        let thread = thread::Builder::new()
            .name(name)
            .spawn(move || work(&receiver, file, &log, delay));
        let thread = thread.map_err(|error| OutputError::Thread {
            index,
            source: Arc::new(error),
        })?;
        Ok(Queue {
            frames: Some(sender),
            thread: Some(thread),
        })
    }

    /// Queues the next frame; waits while the queue is full. If the thread has ended, its error is in the log.
    pub fn push(&self, job: Job) {
        if let Some(frames) = &self.frames {
            let _ = frames.send(Message::Frame(job));
        }
    }

    /// Settles the file after the frames so far; then the job with this number is done.
    pub fn cut(&self, number: u64) {
        if let Some(frames) = &self.frames {
            let _ = frames.send(Message::Cut(number));
        }
    }

    pub fn join(&mut self) {
        self.frames = None;
        if let Some(thread) = self.thread.take() {
            // Its errors are in the log.
            let _ = thread.join();
        }
    }
}

fn work(queue: &Receiver<Message>, mut file: Box<dyn Ordered>, log: &Log, delay: Duration) {
    for message in queue {
        let (result, cut) = match message {
            Message::Frame(_) if log.failed() => (Ok(()), None),
            Message::Frame(job) => {
                thread::sleep(delay);
                (add(&mut *file, job), None)
            }
            Message::Cut(number) => (settle(&mut *file, log), Some(number)),
        };
        if let Err(error) = result {
            file.abandon();
            log.fail(error);
        }
        // Only now, so that a thread that waits for the cut receives its error.
        if let Some(number) = cut {
            log.end(number);
        }
    }
    if let Err(error) = settle(&mut *file, log) {
        log.fail(error);
    }
}

/// The payload is foreign code: its panics must not end the thread.
fn add(file: &mut dyn Ordered, job: Job) -> Result<(), OutputError> {
    let (output, frame) = (job.output.clone(), job.frame);
    let add = || {
        job.check_payload()?;
        file.add(job)
    };
    catch_unwind(AssertUnwindSafe(add)).unwrap_or_else(|panic| {
        Err(OutputError::Panicked {
            output,
            frame,
            message: message(panic.as_ref()),
        })
    })
}

fn settle(file: &mut dyn Ordered, log: &Log) -> Result<(), OutputError> {
    if log.failed() {
        file.abandon();
        return Ok(());
    }
    file.settle()
}
