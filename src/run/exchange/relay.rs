//! The thread of a rank that passes messages and signals of other devices on to its own.
//!
//! A device that looks at memory of the host again and again sees the same values from its cache (measured on NVIDIA H100 with
//! driver 580), but it sees what the host writes into memory of the device. So this thread looks for signals, which arrive in
//! memory of the host while the kernels of the sender still run, and copies the messages.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, unbounded};

use crate::gpu::{Buffer, GpuError};

/// Time for which the thread looks for a signal without a pause, and the pause after that.
const AWAKE: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_micros(20);

/// The message of one other rank: its window, the byte of its signal, and for even and odd exchanges the bytes of the message
/// and its place among those that arrive.
pub struct Source {
    pub window: Buffer,
    pub signal: u64,
    pub messages: [(Range<u64>, u64); 2],
}

/// The way of the messages of a round: from the windows of other ranks into memory of the device.
pub struct Inlet {
    pub sources: Vec<Source>,
    /// Mapped memory of the device for the messages, in two halves.
    pub arrived: Buffer,
    /// The word in mapped memory of the device that says how many exchanges have arrived: the buffer, and its byte.
    pub word: (Buffer, u64),
}

/// The thread, with the exchanges that it expects, in order.
pub struct Relay {
    expected: Option<Sender<(Arc<Inlet>, u32)>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    /// The error is that of the system, which may not start a thread.
    pub fn start() -> std::io::Result<Relay> {
        let (expected, orders) = unbounded();
        let ended = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&ended);
        let thread = thread::Builder::new().name("relay of halos".into());
        Ok(Relay {
            expected: Some(expected),
            ended,
            thread: Some(thread.spawn(move || run(&orders, &stop))?),
        })
    }

    /// Expects the exchange with a number, counted from 1, after all before it.
    pub fn expect(&self, inlet: &Arc<Inlet>, number: u32) {
        if let Some(expected) = &self.expected {
            // A thread that has ended expects nothing.
            let _ = expected.send((Arc::clone(inlet), number));
        }
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

fn run(orders: &Receiver<(Arc<Inlet>, u32)>, ended: &AtomicBool) {
    for (inlet, number) in orders {
        // After an error, which means misuse, the device waits until the time of the run is up.
        if !matches!(pass(&inlet, number, ended), Ok(true)) {
            return;
        }
    }
}

/// Passes one exchange on; false if the run ends first.
fn pass(inlet: &Inlet, number: u32, ended: &AtomicBool) -> Result<bool, GpuError> {
    for source in &inlet.sources {
        if !awaited(source, number, ended) {
            return Ok(false);
        }
        let (range, at) = &source.messages[number as usize % 2];
        inlet.arrived.write_from(*at, &source.window, range.clone())?;
    }
    let (words, at) = &inlet.word;
    words.write(*at, &number.to_le_bytes())?;
    Ok(true)
}

/// Waits for the signal of another device; false if the run ends first.
fn awaited(source: &Source, number: u32, ended: &AtomicBool) -> bool {
    let began = Instant::now();
    // Numbers may wrap around.
    while (source.window.shared_word(source.signal))
        .is_none_or(|found| (found.wrapping_sub(number) as i32) < 0)
    {
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
