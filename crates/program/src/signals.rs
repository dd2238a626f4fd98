//! Signals: stop a run, or request a checkpoint.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::signal::*;
use signal_hook::flag;

/// The exit code of an interrupted run.
pub(super) const INTERRUPTED: u8 = 130;

/// Set by signals, read between frames.
#[derive(Default)]
pub(super) struct Signals {
    stop: Arc<AtomicBool>,
    checkpoint: Arc<AtomicBool>,
}

/// A write beyond the limit on the size of files (`ulimit -f`) becomes an error instead of the end of the process.
#[cfg(unix)]
pub(super) fn survive_large_files() {
    // Without the handler the signal ends the process, as before.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

impl Signals {
    /// Ctrl-C and SIGTERM end a run after its frame in flight. A second signal ends it at once, which is safe: files
    /// with their final names are always complete. SIGTERM and SIGUSR1 request a checkpoint. SIGUSR2 is like Ctrl-C: launchers
    /// of MPI pass it on to all ranks, and do not end them.
    pub(super) fn install() -> io::Result<Signals> {
        let signals = Signals::default();
        #[cfg(unix)]
        let ending = [SIGINT, SIGTERM, SIGHUP, SIGUSR2];
        #[cfg(not(unix))]
        let ending = [SIGINT, SIGTERM];
        for signal in ending {
            // The order matters: the first signal must not see the flag that it sets itself.
            flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&signals.stop))?;
            flag::register(signal, Arc::clone(&signals.stop))?;
        }
        flag::register(SIGTERM, Arc::clone(&signals.checkpoint))?;
        #[cfg(unix)]
        flag::register(SIGUSR1, Arc::clone(&signals.checkpoint))?;
        Ok(signals)
    }

    /// The flag that a signal sets to end the run.
    #[cfg(feature = "window")]
    pub(super) fn stopping(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    pub(super) fn stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// True if a checkpoint was requested since the last call.
    pub(super) fn checkpoint(&self) -> bool {
        self.checkpoint.swap(false, Ordering::SeqCst)
    }
}
