//! Where the threads meet: the newest finished picture, and the state in words.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::gpu::{Buffer, Timeline};
use crate::run::RunError;

/// A picture that the device has drawn, or is drawing.
#[derive(Clone)]
pub(super) struct Frame {
    pub buffer: Buffer,
    pub size: [u32; 2],
    pub filled: (Timeline, u64),
    /// The buffer's number among those of the simulation.
    pub slot: usize,
}

#[derive(Default)]
struct State {
    /// Nobody has taken it yet.
    newest: Option<Frame>,
    /// The slot that the presenter uses.
    shown: Option<usize>,
    /// The window has changed, or wants its picture again.
    redraw: bool,
    closed: bool,
    /// A line about the run, and one about what is wrong.
    status: String,
    problem: String,
    thread: Option<JoinHandle<Result<(), RunError>>>,
    /// Where the picture is looked at: its size in the window and the part of it that shows.
    window: [u32; 2],
    part: Option<[[f32; 2]; 2]>,
}

#[derive(Default)]
pub(super) struct Board {
    state: Mutex<State>,
    changed: Condvar,
}

/// What the presenter is to do.
pub(super) enum Task {
    /// Show this picture in a window of this size; the part of it, or all.
    Show(Frame, [u32; 2], Option<[[f32; 2]; 2]>),
    /// Show the last one again.
    Again([u32; 2], Option<[[f32; 2]; 2]>),
    Close,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn keep(&self, thread: JoinHandle<Result<(), RunError>>) {
        self.lock().thread = Some(thread);
    }

    /// Waits for the thread of the simulation.
    pub(super) fn join(&self) -> Result<(), RunError> {
        let thread = self.lock().thread.take();
        match thread.map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(RunError::Failed("the thread of the simulation panicked".into())),
        }
    }

    /// Puts a picture up, instead of one that nobody has taken.
    pub(super) fn put(&self, frame: Frame) {
        self.lock().newest = Some(frame);
        self.changed.notify_all();
    }

    /// Whether the last picture has been taken, so that another one is of use.
    pub(super) fn wants(&self) -> bool {
        self.lock().newest.is_none()
    }

    /// A slot that is neither shown nor waiting.
    pub(super) fn free_slot(&self) -> usize {
        let state = self.lock();
        let used = [state.shown, state.newest.as_ref().map(|frame| frame.slot)];
        (0..3).find(|slot| !used.contains(&Some(*slot))).unwrap_or(0)
    }

    /// Takes all pictures down; the presenter shows the last one once more at most.
    pub(super) fn clear(&self) {
        self.lock().newest = None;
    }

    pub(super) fn resize(&self, window: [u32; 2], part: Option<[[f32; 2]; 2]>) {
        let mut state = self.lock();
        (state.window, state.part, state.redraw) = (window, part, true);
        self.changed.notify_all();
    }

    /// Asks for the last picture again.
    pub(super) fn redraw(&self) {
        self.lock().redraw = true;
        self.changed.notify_all();
    }

    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Waits for something to show.
    pub(super) fn task(&self) -> Task {
        let mut state = self.lock();
        loop {
            if state.closed {
                return Task::Close;
            }
            let (window, part) = (state.window, state.part);
            if !window.contains(&0) {
                if let Some(frame) = state.newest.take() {
                    state.redraw = false;
                    state.shown = Some(frame.slot);
                    return Task::Show(frame, window, part);
                }
                if std::mem::take(&mut state.redraw) {
                    return Task::Again(window, part);
                }
            }
            let waited = self.changed.wait_timeout(state, Duration::from_millis(500));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Writes the line about the run; true if it is new.
    pub(super) fn say(&self, status: String) -> bool {
        let mut state = self.lock();
        let new = state.status != status;
        state.status = status;
        new
    }

    /// Writes the line about what is wrong; empty: nothing.
    pub(super) fn complain(&self, problem: &str) {
        self.lock().problem = problem.lines().next().unwrap_or_default().to_string();
    }

    /// Both lines.
    pub(super) fn text(&self) -> String {
        let state = self.lock();
        match state.problem.is_empty() {
            true => state.status.clone(),
            false => format!("{}, PROBLEM: {}", state.status, state.problem),
        }
    }
}
