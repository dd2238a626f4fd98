//! `--trace FILE`: a timeline of the device queues and of the threads of the program, in the format of Chrome's trace
//! viewer and of Perfetto (JSON, "Trace Event Format": complete events with microseconds).
//!
//! Submissions have timestamps before and after each row, which are read at the end, so that tracing hardly affects the run.
//! A submission that the program waits for relates the clock of the device to that of the program.

use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::gpu::{Batch, Gpu, GpuError, Queue, Recording, Timestamps};
use crate::input_file;
use crate::output::{OutputError, write_atomically};
use crate::plan::Lane;

use super::error::RunError;
use super::host::Host;
use super::recordings::is_segment;

/// Largest number of recorded submissions: viewers cannot show more.
const MAX_SUBMISSIONS: usize = 200_000;
/// Number of comparisons of the clocks; the closest one counts.
const COMPARISONS: usize = 8;

/// The first bytes of every trace.
const BEGINNING: &[u8] = b"{\"displayTimeUnit\":\"ms\",\"otherData\":{\"submissions_left_out\":";

/// A row of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceRow {
    Device(Lane),
    /// The thread that runs the loop.
    Program,
    Writer(usize),
}

/// An activity, from its start to its end.
struct TraceEvent {
    name: String,
    row: TraceRow,
    start: Instant,
    end: Instant,
}

/// A submission whose timestamps are not read yet.
struct Submission {
    /// The names of its rows: one less than timestamps.
    names: Vec<String>,
    lane: Lane,
    stamps: Timestamps,
}

/// Collects events of one run.
pub struct Trace {
    began: Instant,
    /// A moment on the device's clock and on the program's.
    device_zero: Timestamps,
    program_zero: Instant,
    recorded: Mutex<Recorded>,
}

/// The events and submissions so far.
#[derive(Default)]
struct Recorded {
    events: Vec<TraceEvent>,
    submissions: Vec<Submission>,
    left_out: u64,
}

/// A batch with timestamps before and after each of its rows. On the queue for steps, a recording that is no segment has a row of
/// its own. Other recordings share a row with those beside them.
struct Stamped {
    rows: Vec<Row>,
    /// One more than rows.
    at: Vec<Recording>,
    stamps: Timestamps,
}

struct Row {
    name: String,
    recordings: Range<usize>,
}

impl Stamped {
    fn new(gpu: &Gpu, queue: Queue, name: &str, recordings: &[&Recording]) -> Result<Stamped, GpuError> {
        let mut rows: Vec<Row> = Vec::new();
        let mut after_alone = true;
        for (number, recording) in recordings.iter().enumerate() {
            let is_alone = queue == Queue::Compute && !is_segment(recording);
            match rows.last_mut() {
                Some(row) if !is_alone && !after_alone => row.recordings.end = number + 1,
                _ => rows.push(Row {
                    name: if is_alone { recording.name() } else { name }.to_string(),
                    recordings: number..number + 1,
                }),
            }
            after_alone = is_alone;
        }
        let stamps = gpu.timestamps(rows.len() as u32 + 1)?;
        let at = |index| gpu.record("timestamp", queue, |recorder| recorder.timestamp(&stamps, index));
        Ok(Stamped {
            at: (0..stamps.count()).map(at).collect::<Result<_, _>>()?,
            rows,
            stamps,
        })
    }

    fn recordings<'a>(&'a self, of_batch: &[&'a Recording]) -> Vec<&'a Recording> {
        let mut all = vec![&self.at[0]];
        for (row, after) in self.rows.iter().zip(&self.at[1..]) {
            all.extend(&of_batch[row.recordings.clone()]);
            all.push(after);
        }
        all
    }
}

impl Trace {
    pub fn start(host: &Host) -> Result<Trace, RunError> {
        let gpu = &host.gpu;
        let mut closest: Option<(Duration, Timestamps, Instant)> = None;
        for _ in 0..COMPARISONS {
            let stamps = gpu.timestamps(1)?;
            let recording = gpu.record("clock comparison", Queue::Compute, |recorder| {
                recorder.timestamp(&stamps, 0)
            })?;
            let done = gpu.timeline("clock comparison")?;
            let batch = Batch {
                recordings: vec![&recording],
                signals: vec![(done.clone(), 1)],
                ..Batch::default()
            };
            let before = Instant::now();
            gpu.submit(Queue::Compute, &[batch])?;
            host.wait(&done, 1, "a comparison of clocks")?;
            let took = before.elapsed();
            if closest.as_ref().is_none_or(|(shortest, ..)| took < *shortest) {
                closest = Some((took, stamps, before + took / 2));
            }
        }
        let (_, device_zero, program_zero) =
            closest.ok_or_else(|| RunError::Failed("no comparison of clocks".into()))?;
        Ok(Trace {
            began: Instant::now(),
            device_zero,
            program_zero,
            recorded: Mutex::default(),
        })
    }

    /// Refuses a path at which the trace would replace anything but an earlier trace or an empty file. The error is the cause.
    pub fn check_target(path: &Path) -> Result<(), String> {
        if std::fs::symlink_metadata(path).is_err() {
            return Ok(());
        }
        let (file, size) = input_file::open(path)?;
        let mut start = Vec::new();
        let read = file.take(BEGINNING.len() as u64).read_to_end(&mut start);
        read.map_err(|error| error.to_string())?;
        if size == 0 || start == BEGINNING {
            Ok(())
        } else {
            Err("it does not begin like a trace of this program".into())
        }
    }

    /// A panic of another thread leaves complete entries, so a poisoned lock is valid.
    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Submits batches with timestamps. `name` is the name of rows that share recordings; a row of one recording that is no segment
    /// has the name of that.
    pub fn submit(
        &self,
        gpu: &Gpu,
        lane: Lane,
        queue: Queue,
        name: &str,
        batches: Vec<Batch>,
    ) -> Result<(), GpuError> {
        if self.recorded().submissions.len() >= MAX_SUBMISSIONS {
            self.recorded().left_out += batches.len() as u64;
            return gpu.submit(queue, &batches);
        }
        let stamped: Vec<Stamped> = (batches.iter())
            .map(|batch| Stamped::new(gpu, queue, name, &batch.recordings))
            .collect::<Result<_, _>>()?;
        let with_stamps = batches.into_iter().zip(&stamped).map(|(batch, stamped)| Batch {
            recordings: stamped.recordings(&batch.recordings),
            ..batch
        });
        gpu.submit(queue, &with_stamps.collect::<Vec<_>>())?;
        let submissions = stamped.into_iter().map(|stamped| Submission {
            names: stamped.rows.into_iter().map(|row| row.name).collect(),
            lane,
            stamps: stamped.stamps,
        });
        self.recorded().submissions.extend(submissions);
        Ok(())
    }

    /// Adds an activity of a thread of the program.
    pub fn event(&self, row: TraceRow, name: impl Into<String>, start: Instant, end: Instant) {
        self.recorded().events.push(TraceEvent {
            name: name.into(),
            row,
            start,
            end,
        });
    }

    /// Reads the timestamps of everything that has ended and writes the file.
    pub fn write(&self, path: &Path) -> Result<(), RunError> {
        let submissions = std::mem::take(&mut self.recorded().submissions);
        for submission in submissions {
            let Some(times) = submission.stamps.since(&self.device_zero)? else {
                continue;
            };
            let at = |nanoseconds: f64| self.program_zero + Duration::from_nanos(nanoseconds.max(0.0) as u64);
            for (name, ends) in submission.names.into_iter().zip(times.windows(2)) {
                self.event(TraceRow::Device(submission.lane), name, at(ends[0]), at(ends[1]));
            }
        }
        let recorded = self.recorded();
        let events = &recorded.events;
        let mut rows: Vec<TraceRow> = Vec::new();
        for event in events.iter() {
            if !rows.contains(&event.row) {
                rows.push(event.row);
            }
        }
        rows.sort_by_key(|row| row.number());
        let named = rows.iter().map(|row| {
            json!({"ph": "M", "name": "thread_name", "pid": 1, "tid": row.number(), "args": {"name": row.name()}})
        });
        let times = events.iter().map(|event| self.as_json(event));
        // `check_target` recognises traces by the first key.
        let whole = json!({
            "displayTimeUnit": "ms",
            "otherData": {"submissions_left_out": recorded.left_out},
            "traceEvents": named.chain(times).collect::<Vec<Value>>(),
        });
        let result: Result<_, OutputError> =
            write_atomically(path, |out| Ok(serde_json::to_writer(out, &whole)?));
        result?;
        Ok(())
    }

    fn as_json(&self, event: &TraceEvent) -> Value {
        let microseconds = |moment: Instant| {
            // A moment before the start of the trace counts as its start.
            moment.saturating_duration_since(self.began).as_nanos() as f64 * 1e-3
        };
        let (start, end) = (microseconds(event.start), microseconds(event.end));
        json!({
            "ph": "X", "name": event.name, "cat": event.row.category(), "pid": 1, "tid": event.row.number(),
            "ts": start, "dur": end - start,
        })
    }
}

impl TraceRow {
    fn number(self) -> usize {
        match self {
            TraceRow::Program => 1,
            TraceRow::Device(lane) => 2 + lane as usize,
            TraceRow::Writer(number) => 10 + number,
        }
    }

    fn name(self) -> String {
        match self {
            TraceRow::Program => "program: loop".into(),
            TraceRow::Device(Lane::Step) => "device: steps".into(),
            TraceRow::Device(Lane::Frame) => "device: frames".into(),
            TraceRow::Device(Lane::Download) => "device: downloads".into(),
            TraceRow::Writer(number) => format!("program: writer {number}"),
        }
    }

    fn category(self) -> &'static str {
        match self {
            TraceRow::Device(Lane::Step) => "compute",
            TraceRow::Device(Lane::Frame) => "frame",
            TraceRow::Device(Lane::Download) => "transfer",
            TraceRow::Program => "loop",
            TraceRow::Writer(_) => "write",
        }
    }
}
