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
use super::common::{self, CommonFile, Share};
use super::formats::{Encoder, encode};
use super::growing::Growing;
use super::log::{Log, Ticket, Written, lock, message};
use super::movie::Movie;
use super::ordered::{Ordered, Queue};
use super::{FileDigest, Job, OutputError, write_atomically};

/// The threads and their queue. Dropping it writes the queued jobs and waits for the threads.
pub struct Writers {
    queue: Option<Sender<(u64, Task)>>,
    capacity: usize,
    threads: Vec<JoinHandle<()>>,
    /// Outputs with one file for several frames have their own threads, because their frames must be in order.
    ordered: Mutex<HashMap<PathBuf, Queue>>,
    /// Files that wait for the shares of other processes, with the numbers of the jobs that name them.
    unnamed: Mutex<Vec<(u64, Job, CommonFile)>>,
    log: Arc<Log>,
    delay: Duration,
    timeout: Duration,
}

/// The work of a thread.
enum Task {
    File(Job),
    /// Writes the share of this process in a file.
    Share(Job, Share),
    /// Names a file to which all processes have written. The job has no payload.
    Name(Job, CommonFile),
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
            unnamed: Mutex::default(),
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
        if self.queue.is_none() {
            return Err(finished(&job));
        }
        if !job.content.format.descriptor().is_frame() {
            self.in_order(job)?;
            return self.check();
        }
        self.push(self.log.begin(), Task::File(job))
    }

    /// As [`Writers::submit`], for the share of this process in a file that several write. The payload has the elements of the
    /// share. The first process passes the file, which waits for [`Writers::name_common`].
    pub fn submit_share(&self, job: Job, share: Share, file: Option<CommonFile>) -> Result<(), OutputError> {
        self.check()?;
        job.check()?;
        if let Some(file) = file {
            lock(&self.unnamed).push((self.log.begin(), job.without_payload(), file));
        }
        self.push(self.log.begin_share(job.frame), Task::Share(job, share))
    }

    /// Gives names to the files of frames before one: all processes have written their shares.
    pub fn name_common(&self, before: u64) -> Result<(), OutputError> {
        let complete: Vec<_> = lock(&self.unnamed)
            .extract_if(.., |(_, job, _)| job.frame < before)
            .collect();
        (complete.into_iter()).try_for_each(|(number, job, file)| self.push(number, Task::Name(job, file)))
    }

    /// The first frame with a share that this process has not written yet.
    pub fn first_share(&self) -> Option<u64> {
        self.log.first_share()
    }

    /// Waits until the shares of this process in the files of frames before one are on disk. Returns the first error of any
    /// job.
    pub fn wait_for_shares(&self, before: u64) -> Result<(), OutputError> {
        self.log.wait_for_shares(before)
    }

    /// Queues a task; waits while the queue is full.
    fn push(&self, number: u64, task: Task) -> Result<(), OutputError> {
        // Threads run as long as the queue exists, so this fails only if all of them have ended; `check` has the cause.
        let refused = match &self.queue {
            Some(queue) => queue
                .send((number, task))
                .err()
                .map(|refused| refused.into_inner().1),
            None => Some(task),
        };
        self.check()?;
        match refused {
            Some(Task::File(job) | Task::Share(job, _) | Task::Name(job, _)) => Err(finished(&job)),
            None => Ok(()),
        }
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
        for (number, job, _) in lock(&self.unnamed).drain(..) {
            self.log.fail(OutputError::Incomplete { path: job.path });
            self.log.end(number);
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

fn finished(job: &Job) -> OutputError {
    OutputError::Finished {
        output: job.output.clone(),
        frame: job.frame,
    }
}

fn work(thread: usize, queue: &Receiver<(u64, Task)>, log: &Log, delay: Duration) {
    for (number, task) in queue {
        let (Task::File(job) | Task::Share(job, _) | Task::Name(job, _)) = &task;
        let (output, frame, is_share) = (job.output.clone(), job.frame, matches!(task, Task::Share(..)));
        if log.failed() {
            // Its buffers return to their pool, whose code may panic.
            let _ = catch_unwind(AssertUnwindSafe(move || drop(task)));
            log.end(number);
            continue;
        }
        thread::sleep(delay);
        // Panics in the code of the payload, including its drop, must not end the thread.
        let result =
            catch_unwind(AssertUnwindSafe(move || write(thread, task, log))).unwrap_or_else(|panic| {
                Err(OutputError::Panicked {
                    output,
                    frame,
                    message: message(panic.as_ref()),
                })
            });
        match result {
            Ok(()) if is_share => log.end_share(frame, number),
            Ok(()) => {}
            Err(error) => log.fail(error),
        }
        log.end(number);
    }
}

fn write(thread: usize, task: Task, log: &Log) -> Result<(), OutputError> {
    match task {
        Task::Share(job, share) => common::write(job, &share),
        Task::Name(job, file) => add_file(thread, job, log, |job| file.name(&job.path)),
        Task::File(job) => {
            job.check_payload()?;
            add_file(thread, job, log, write_file)
        }
    }
}

fn write_file(job: Job) -> Result<FileDigest, OutputError> {
    let Job {
        frame,
        path,
        content,
        payload,
        ..
    } = job;
    if let Some(beside) = (content.format.descriptor().beside)(&content) {
        let path = path.with_extension(beside.extension);
        write_atomically(&path, |out| out.write_all(beside.text.as_bytes()))?;
    }
    // The closure owns the payload, so the buffers are free again before the wait for the disk.
    write_atomically(&path, move |out| encode(&content, frame, &*payload, out))
}

/// Makes the file of a job, and notes it in the log and in the list of its output.
fn add_file(
    thread: usize,
    job: Job,
    log: &Log,
    make: impl FnOnce(Job) -> Result<FileDigest, OutputError>,
) -> Result<(), OutputError> {
    let start = Instant::now();
    let listed = job.content.format.descriptor().list_of(&job.content);
    let series = job.series();
    if let Some(kind) = listed {
        let mut collections = lock(&log.collections);
        let known = collections.entry(series.clone());
        known.or_insert_with(|| Collection::of(&job, kind));
    }
    let (output, frame, path) = (job.output.clone(), job.frame, job.path.clone());
    let digest = make(job)?;
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
