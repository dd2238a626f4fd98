//! ffmpeg as a child process that cannot block a run: a watcher ends it, with its children, when it has made no
//! progress for too long.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::log::lock;

/// Number of bytes at the end of ffmpeg's messages that an error repeats.
const MESSAGE_BYTES: usize = 2000;
/// Time between two checks of a process that should end or make progress.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Bytes passed to ffmpeg at once, so that a large frame counts as progress part by part.
const MAX_WRITE_BYTES: usize = 1 << 16;
/// Time limit for the messages of a process that has ended: a child of it may keep the stream open.
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(2);

/// The time since which a wait for ffmpeg lasts; `None` while nothing waits for it.
type Waiting = Arc<Mutex<Option<Instant>>>;

/// A running ffmpeg, which reads from [`Ffmpeg::pixels`].
pub(super) struct Ffmpeg {
    child: Arc<Mutex<Child>>,
    pub(super) pixels: Option<Pixels>,
    messages: Receiver<String>,
    waiting: Waiting,
    hung: Arc<AtomicBool>,
    /// Dropped with the process, which ends the watcher.
    _alive: Sender<()>,
}

/// The standard input of ffmpeg.
pub(super) struct Pixels {
    stream: ChildStdin,
    waiting: Waiting,
}

impl Write for Pixels {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *lock(&self.waiting) = Some(Instant::now());
        let written = self.stream.write(&bytes[..bytes.len().min(MAX_WRITE_BYTES)]);
        *lock(&self.waiting) = None;
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Ffmpeg {
    /// Starts ffmpeg. It is ended when it neither reads nor changes `file` for the time of `timeout`, while something
    /// waits for it.
    pub(super) fn start(mut command: Command, file: PathBuf, timeout: Duration) -> io::Result<Ffmpeg> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = in_own_group(&mut command).spawn()?;
        let (stream, pixels) = (child.stderr.take(), child.stdin.take());
        let (waiting, hung) = (Waiting::default(), Arc::new(AtomicBool::new(false)));
        let (sender, messages) = bounded(1);
        let (alive, end) = bounded(0);
        let child = Arc::new(Mutex::new(child));
        let started = Ffmpeg {
            child: Arc::clone(&child),
            pixels: pixels.map(|stream| Pixels {
                stream,
                waiting: Arc::clone(&waiting),
            }),
            messages,
            waiting: Arc::clone(&waiting),
            hung: Arc::clone(&hung),
            _alive: alive,
        };
        if let Some(stream) = stream {
            let read = move || drop(sender.send(last_messages(stream)));
            thread::Builder::new()
                .name("messages of ffmpeg".into())
                .spawn(read)?;
        }
        let watch = move || watch(&end, &child, &waiting, &hung, &file, timeout);
        thread::Builder::new()
            .name("watch of ffmpeg".into())
            .spawn(watch)?;
        Ok(started)
    }

    /// Closes its input and waits for its end.
    pub(super) fn wait(&mut self) -> io::Result<ExitStatus> {
        self.pixels = None;
        *lock(&self.waiting) = Some(Instant::now());
        loop {
            if let Some(status) = lock(&self.child).try_wait()? {
                *lock(&self.waiting) = None;
                return Ok(status);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// True if the watcher has ended it.
    pub(super) fn has_hung(&self) -> bool {
        self.hung.load(Ordering::Acquire)
    }

    /// The end of its messages, once it has ended.
    pub(super) fn last_messages(&self) -> String {
        self.messages.recv_timeout(MESSAGE_TIMEOUT).unwrap_or_default()
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        self.pixels = None;
        // Has no effect after a normal end; after an error the file is not needed.
        end(&mut lock(&self.child));
    }
}

/// Ends a process that something has waited for longer than `timeout`, unless its file changes.
fn watch(
    ended: &Receiver<()>,
    child: &Mutex<Child>,
    waiting: &Mutex<Option<Instant>>,
    hung: &AtomicBool,
    file: &PathBuf,
    timeout: Duration,
) {
    let state = || -> Option<(u64, SystemTime)> {
        let found = std::fs::metadata(file).ok()?;
        Some((found.len(), found.modified().ok()?))
    };
    let mut last = (state(), Instant::now());
    while ended.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        let since = *lock(waiting);
        if since.is_none_or(|since| since.max(last.1).elapsed() < timeout) {
            continue;
        }
        let now = state();
        if now != last.0 {
            last = (now, Instant::now());
            continue;
        }
        hung.store(true, Ordering::Release);
        return end(&mut lock(child));
    }
}

/// Runs a command that should end at once, and ends it after the time of `timeout`, which gives `None`.
pub(super) fn status(command: &mut Command, timeout: Duration) -> io::Result<Option<ExitStatus>> {
    let mut child = in_own_group(command).spawn()?;
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > timeout {
            end(&mut child);
            return Ok(None);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Ctrl-C in a terminal reaches the whole process group, but the thread of the film must end the piece. A group of its own
/// also names its children, if it is a script.
fn in_own_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Ends a process that still runs, with its children.
fn end(child: &mut Child) {
    if !matches!(child.try_wait(), Ok(None)) {
        return;
    }
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Reads a stream to its end and returns the last part.
fn last_messages(mut stream: impl Read) -> String {
    let mut kept: Vec<u8> = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        let surplus = kept.len().saturating_sub(MESSAGE_BYTES);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
