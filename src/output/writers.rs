//! Writer threads behind a bounded queue.
//!
//! At any time there are at most as many payloads as the queue can hold, plus one per thread, plus the one being
//! submitted. After the first error, the threads empty the queue without writing, so callers never block for ever and
//! get the error from their next call.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded};

use super::collection::{Collection, write_scenes};
use super::formats::{Encoder, encode};
use super::growing::Growing;
use super::log::{Log, Ticket, Written, lock, message};
use super::movie::Movie;
use super::ordered::{Ordered, Queue};
use super::{Job, OutputError, write_atomically};

/// The threads and their queue. Dropping it writes the queued jobs and waits for the threads.
pub struct Writers {
    queue: Option<Sender<(u64, Job)>>,
    capacity: usize,
    threads: Vec<JoinHandle<()>>,
    /// Outputs with one file for several frames have their own threads, because their frames must be in order.
    ordered: Mutex<HashMap<PathBuf, Queue>>,
    log: Arc<Log>,
    delay: Duration,
    timeout: Duration,
}

/// Longest time that ffmpeg may take without progress, unless a run sets another.
const TIMEOUT: Duration = Duration::from_secs(300);

impl Writers {
    /// Starts `threads` (at least one) writers with room for `queue_capacity` waiting jobs.
    pub fn start(threads: usize, queue_capacity: usize) -> Result<Writers, OutputError> {
        Writers::start_with(threads, queue_capacity, Duration::ZERO, TIMEOUT)
    }

    /// As [`Writers::start`], with a wait before each file: a slow disk, for tests. An ffmpeg that makes no progress for the
    /// time of `timeout` is ended.
    pub fn start_with(
        threads: usize,
        queue_capacity: usize,
        delay: Duration,
        timeout: Duration,
    ) -> Result<Writers, OutputError> {
        let (sender, receiver) = bounded(queue_capacity);
        let mut writers = Writers {
            queue: Some(sender),
            capacity: queue_capacity,
            threads: Vec::new(),
            ordered: Mutex::default(),
            log: Arc::default(),
            delay,
            timeout,
        };
        for index in 0..threads.max(1) {
            let (queue, log) = (receiver.clone(), Arc::clone(&writers.log));
            let handle = thread::Builder::new()
                .name(format!("writer {index}"))
                .spawn(move || work(index, &queue, &log, delay))
                .map_err(|e| OutputError::Thread {
                    index,
                    source: Arc::new(e),
                })?;
            writers.threads.push(handle);
        }
        Ok(writers)
    }

    /// Queues a frame; waits while the queue is full. Returns the first error of any thread and any job; the job may
    /// then be dropped without being written. Frames of a film or a growing file must be submitted in order.
    pub fn submit(&self, job: Job) -> Result<(), OutputError> {
        self.check()?;
        job.check()?;
        let Some(queue) = &self.queue else {
            return Err(OutputError::Finished {
                output: job.output,
                frame: job.frame,
            });
        };
        if !matches!(job.content.format.descriptor().encoder, Encoder::Frame(_)) {
            self.in_order(job)?;
            return self.check();
        }
        // Threads run as long as the queue exists, so this fails only if all of them have ended; `check` has the cause.
        if let Err(refused) = queue.send((self.log.begin(), job)) {
            self.check()?;
            let (_, job) = refused.into_inner();
            return Err(OutputError::Finished {
                output: job.output,
                frame: job.frame,
            });
        }
        self.check()
    }

    fn in_order(&self, job: Job) -> Result<(), OutputError> {
        let mut ordered = lock(&self.ordered);
        let series = job.series();
        if !ordered.contains_key(&series) {
            let log = Arc::clone(&self.log);
            let thread = self.threads.len() + ordered.len();
            let file: Box<dyn Ordered> = match job.content.format.descriptor().encoder {
                Encoder::Rows(rows) => Box::new(Growing::new(rows, thread, Arc::clone(&log))),
                _ => Box::new(Movie::new(thread, Arc::clone(&log), self.timeout)),
            };
            let queue = Queue::start(&job.output, thread, self.capacity, log, self.delay, file)?;
            ordered.insert(series.clone(), queue);
        }
        if let Some(queue) = ordered.get(&series) {
            queue.push(job);
        }
        Ok(())
    }

    /// A ticket for all jobs so far. Films are cut, so that they are also on disk up to now: the next frame starts
    /// another piece.
    pub fn ticket(&self) -> Ticket {
        let ordered = lock(&self.ordered);
        ordered.values().for_each(|queue| queue.cut(self.log.begin()));
        self.log.ticket()
    }

    /// The first error so far, without waiting.
    pub fn check(&self) -> Result<(), OutputError> {
        self.log.check()
    }

    /// The files that are complete so far, by output and frame.
    pub fn written(&self) -> Vec<Written> {
        let mut written = self.log.files();
        written.sort_by(|a, b| (&a.output, a.frame).cmp(&(&b.output, b.frame)));
        written
    }

    /// Writes all queued jobs and waits for the threads. No job can be submitted afterwards.
    pub fn join(&mut self) -> Result<(), OutputError> {
        self.queue = None;
        for thread in self.threads.drain(..) {
            // A thread catches the panics of its jobs, which are then the first error.
            let _ = thread.join();
        }
        lock(&self.ordered).values_mut().for_each(Queue::join);
        for collection in lock(&self.log.collections).values_mut() {
            // Also after an error: the list has the complete files.
            if let Err(error) = collection.write() {
                self.log.fail(error);
            }
        }
        if let Err(error) = write_scenes(lock(&self.log.collections).values()) {
            self.log.fail(error);
        }
        lock(&self.log.collections).clear();
        self.check()
    }

    /// [`Writers::join`], then returns all written files. After an error, [`Writers::written`] has the complete ones.
    pub fn finish(mut self) -> Result<Vec<Written>, OutputError> {
        self.join()?;
        Ok(self.written())
    }
}

impl Drop for Writers {
    fn drop(&mut self) {
        // `finish` returns the error.
        let _ = self.join();
    }
}

fn work(thread: usize, queue: &Receiver<(u64, Job)>, log: &Log, delay: Duration) {
    for (number, job) in queue {
        let (output, frame) = (job.output.clone(), job.frame);
        if log.failed() {
            // Its buffers return to their pool, whose code may panic.
            let _ = catch_unwind(AssertUnwindSafe(move || drop(job)));
            log.end(number);
            continue;
        }
        thread::sleep(delay);
        // Panics in the code of the payload, including its drop, must not end the thread.
        let result =
            catch_unwind(AssertUnwindSafe(move || write(thread, job, log))).unwrap_or_else(|panic| {
                Err(OutputError::Panicked {
                    output,
                    frame,
                    message: message(panic.as_ref()),
                })
            });
        if let Err(error) = result {
            log.fail(error);
        }
        log.end(number);
    }
}

fn write(thread: usize, job: Job, log: &Log) -> Result<(), OutputError> {
    let start = Instant::now();
    job.check_payload()?;
    let listed = job.content.format.descriptor().list_of(&job.content);
    let series = job.series();
    if let Some(kind) = listed {
        let mut collections = lock(&log.collections);
        let known = collections.entry(series.clone());
        known.or_insert_with(|| Collection::of(&job, kind));
    }
    let Job {
        output,
        frame,
        path,
        content,
        payload,
    } = job;
    if let Some(beside) = (content.format.descriptor().beside)(&content) {
        let path = path.with_extension(beside.extension);
        write_atomically(&path, |out| out.write_all(beside.text.as_bytes()))?;
    }
    // The closure owns the payload, so the buffers are free again before the wait for the disk.
    let digest = write_atomically(&path, move |out| encode(&content, frame, &*payload, out))?;
    log.written(Written {
        output,
        frame,
        path,
        bytes: digest.bytes,
        grows: false,
        start,
        end: Instant::now(),
        thread,
        blake3: digest.blake3,
    });
    if listed.is_some() {
        let mut collections = lock(&log.collections);
        let known = collections.get_mut(&series);
        if known.map_or(Ok(false), |list| list.add(frame))? {
            write_scenes(collections.values())?;
        }
    }
    Ok(())
}
