//! The thread of a rank that copies long messages from other devices to its own when their signals arrive.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, unbounded};

use crate::gpu::Buffer;
use crate::run::error::RunError;

use super::peers::{Arrival, Peers};

/// Time for which the thread looks for a signal without a pause, and the pause after that.
const AWAKE: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_micros(20);

/// The way of the messages of a round: from other devices to this one.
pub struct Inlet {
    /// The windows of other ranks, with the bytes of their signals.
    pub signals: Vec<(Buffer, u64)>,
    pub direct: Peers,
    /// The copies of even and of odd exchanges.
    pub arrivals: [Vec<Arrival>; 2],
    /// The word in mapped memory of the device that says how many exchanges were copied: the buffer, and its byte.
    pub word: (Buffer, u64),
    pub timeout: Duration,
}

/// The thread, with the exchanges that it expects, in order.
pub struct Relay {
    expected: Option<Sender<(Arc<Inlet>, u32)>>,
    ended: Arc<AtomicBool>,
    failure: Arc<Mutex<Option<RunError>>>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    /// The error is that of the system, which may not start a thread.
    pub fn start() -> std::io::Result<Relay> {
        let (expected, orders) = unbounded();
        let ended = Arc::new(AtomicBool::new(false));
        let failure = Arc::new(Mutex::new(None));
        let (stop, failed) = (Arc::clone(&ended), Arc::clone(&failure));
        let thread = thread::Builder::new().name("relay of halos".into());
        Ok(Relay {
            expected: Some(expected),
            ended,
            failure,
            thread: Some(thread.spawn(move || {
                if let Err(error) = run(&orders, &stop) {
                    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
            })?),
        })
    }

    /// Expects the exchange with a number, counted from 1, after all before it.
    pub fn expect(&self, inlet: &Arc<Inlet>, number: u32) {
        if let Some(expected) = &self.expected {
            // A thread that has ended expects nothing.
            let _ = expected.send((Arc::clone(inlet), number));
        }
    }

    /// The failure that has ended the thread, once.
    pub fn check(&self) -> Result<(), RunError> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        failure.map_or(Ok(()), Err)
    }

    /// Ends the thread, even if it still expects something.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.end();
        self.expected = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Passes all exchanges on, until the run ends.
fn run(orders: &Receiver<(Arc<Inlet>, u32)>, ended: &AtomicBool) -> Result<(), RunError> {
    for (inlet, number) in orders {
        if !pass(&inlet, number, ended)? {
            break;
        }
    }
    Ok(())
}

/// Passes one exchange on; false if the run ends first.
fn pass(inlet: &Inlet, number: u32, ended: &AtomicBool) -> Result<bool, RunError> {
    for (window, byte) in &inlet.signals {
        if !awaited(window, *byte, number, ended) {
            return Ok(false);
        }
    }
    (inlet.direct).copy(&inlet.arrivals[number as usize % 2], inlet.timeout)?;
    let (words, at) = &inlet.word;
    words.write(*at, &number.to_le_bytes())?;
    Ok(true)
}

/// Waits for the signal of another device; false if the run ends first.
fn awaited(window: &Buffer, byte: u64, number: u32, ended: &AtomicBool) -> bool {
    let began = Instant::now();
    // Numbers may wrap around.
    while (window.shared_word(byte)).is_none_or(|found| (found.wrapping_sub(number) as i32) < 0) {
        if ended.load(Ordering::Relaxed) {
            return false;
        }
        if began.elapsed() < AWAKE {
            std::hint::spin_loop();
        } else {
            thread::sleep(PAUSE);
        }
    }
    true
}
