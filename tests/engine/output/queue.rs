//! The bounded queue: what waits, what is alive, what comes back.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use sastrugi::output::*;

use super::super::common;
use super::{job, names, noise};

/// Lets threads through once opened.
#[derive(Default)]
pub struct Gate(Mutex<bool>, Condvar);

impl Gate {
    pub fn open(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }

    pub fn wait(&self) {
        let opened = self.1.wait_while(self.0.lock().unwrap(), |open| !*open).unwrap();
        drop(opened);
    }
}

/// Counts how many of it are alive; its bytes can be had only through the gate, like those of a slow disk.
struct Slow {
    gate: Arc<Gate>,
    alive: Arc<AtomicUsize>,
    data: Vec<u8>,
}

impl Slow {
    fn new(gate: &Arc<Gate>, alive: &Arc<AtomicUsize>) -> Slow {
        alive.fetch_add(1, Ordering::SeqCst);
        Slow {
            gate: gate.clone(),
            alive: alive.clone(),
            data: noise(1, 64),
        }
    }
}

impl Payload for Slow {
    fn part(&self, _number: usize) -> &[u8] {
        self.gate.wait();
        &self.data
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs `body` and fails, rather than hang, when it does not come back.
pub fn within_seconds<T: Send + 'static>(seconds: u64, body: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(body()));
    receiver
        .recv_timeout(Duration::from_secs(seconds))
        .expect("came back in time, without a panic")
}

#[test]
fn full_queue_blocks_the_caller_and_bounds_memory() {
    for (threads, capacity) in [(1, 0), (1, 2), (3, 2)] {
        let directory = tempfile::tempdir().unwrap();
        let (gate, alive) = (Arc::new(Gate::default()), Arc::new(AtomicUsize::new(0)));
        let submitted = Arc::new(AtomicUsize::new(0));
        let caller = {
            let (gate, alive, submitted) = (gate.clone(), alive.clone(), submitted.clone());
            let path = directory.path().to_owned();
            std::thread::spawn(move || {
                let writers = Writers::start(threads, capacity).unwrap();
                let mut most = 0;
                for frame in 0..20 {
                    let payload = Slow::new(&gate, &alive);
                    most = most.max(alive.load(Ordering::SeqCst));
                    writers.submit(job(&path, frame, payload, 64)).unwrap();
                    submitted.fetch_add(1, Ordering::SeqCst);
                }
                (most, writers.finish().unwrap().len())
            })
        };
        // All that fits is taken; after that the caller stands still however long one waits.
        let room = threads + capacity;
        while submitted.load(Ordering::SeqCst) < room {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(
            submitted.load(Ordering::SeqCst),
            room,
            "{threads} threads, room for {capacity}"
        );
        assert_eq!(
            alive.load(Ordering::SeqCst),
            room + 1,
            "and the one that the caller holds"
        );
        gate.open();
        let (most, written) = within_seconds(20, move || caller.join().unwrap());
        assert_eq!(written, 20);
        assert!(
            most <= room + 1,
            "{most} payloads were alive, {} allowed",
            room + 1
        );
        assert_eq!(
            alive.load(Ordering::SeqCst),
            0,
            "every buffer went back to its pool"
        );
    }
}

#[test]
fn error_unblocks_a_waiting_caller() {
    let directory = tempfile::tempdir().unwrap();
    let gone = directory.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let (gate, alive) = (Arc::new(Gate::default()), Arc::new(AtomicUsize::new(0)));
    let caller = {
        let (gate, alive, gone) = (gate.clone(), alive.clone(), gone.clone());
        std::thread::spawn(move || {
            let writers = Writers::start(1, 1).unwrap();
            let first_refusal = (0..100).find_map(|frame| {
                writers
                    .submit(job(&gone, frame, Slow::new(&gate, &alive), 64))
                    .err()
                    .map(|e| (frame, e))
            });
            let (frame, error) = first_refusal.expect("an error before the last frame");
            assert_eq!(
                writers.check().unwrap_err().to_string(),
                error.to_string(),
                "the first error is kept"
            );
            assert_eq!(writers.finish().unwrap_err().to_string(), error.to_string());
            (frame, error.to_string())
        })
    };
    while alive.load(Ordering::SeqCst) < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::fs::remove_dir(&gone).unwrap();
    gate.open();
    let (frame, error) = within_seconds(20, move || caller.join().unwrap());
    assert!(
        frame <= 4,
        "the caller learnt it with frame {frame}, soon after the first failed"
    );
    assert!(
        error.contains("data.0000.npy") && error.contains("directory was removed"),
        "{error}"
    );
    assert_eq!(alive.load(Ordering::SeqCst), 0, "unwritten buffers went back too");
}

#[test]
fn dropping_the_writers_flushes_the_queue() {
    let directory = tempfile::tempdir().unwrap();
    let writers = Writers::start(2, 8).unwrap();
    for frame in 0..8 {
        writers
            .submit(job(directory.path(), frame, noise(frame, 1000), 1000))
            .unwrap();
    }
    drop(writers);
    let expected: Vec<_> = (0..8).map(|frame| format!("data.{frame:04}.npy")).collect();
    assert_eq!(names(directory.path()), expected);
}

#[test]
fn written_lists_files_and_join_closes_the_queue() {
    let directory = tempfile::tempdir().unwrap();
    let mut writers = Writers::start(3, 2).unwrap();
    for frame in [3, 0, 2, 1] {
        writers
            .submit(job(directory.path(), frame, noise(frame, 9), 9))
            .unwrap();
    }
    writers.join().unwrap();
    assert_eq!(
        writers.written().iter().map(|w| w.frame).collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
    let error = writers
        .submit(job(directory.path(), 4, noise(4, 9), 9))
        .unwrap_err();
    assert!(matches!(error, OutputError::Finished { frame: 4, .. }), "{error}");
}

/// Writers of files have the numbers 0 and 1; each film has a further one, which is its row in a trace.
#[test]
fn films_are_written_by_threads_of_their_own_where_possible() {
    let version = std::process::Command::new("ffmpeg").arg("-version").output();
    if version.is_err() {
        return common::skip("ffmpeg is not here");
    }
    let directory = tempfile::tempdir().unwrap();
    let mut writers = Writers::start(2, 2).unwrap();
    let content = Arc::new(Content::array(Format::Mp4, Scalar::Colour, 4, &[16, 16]));
    for output in ["first", "second", "third", "fourth"] {
        let frame = Job {
            output: output.into(),
            frame: 0,
            path: frame_path(directory.path(), output, 0, "mp4"),
            content: content.clone(),
            payload: Box::new(noise(1, 4 * 16 * 16)),
        };
        writers.submit(frame).unwrap();
    }
    writers.join().unwrap();
    let mut threads: Vec<usize> = writers.written().iter().map(|file| file.thread).collect();
    threads.sort();
    assert_eq!(threads, [2, 3, 4, 5]);
    let files = ["first", "fourth", "second", "third"].map(|output| format!("{output}.0000.mp4"));
    assert_eq!(names(directory.path()), files);
}
