//! State shared by the threads: the newest picture, the overlay of the panel, and the state of the simulation.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use sastrugi::screen::Overlay;
use sastrugi::{Error, Snapshot};

use super::details::Details;

/// A picture that the device has drawn or is drawing.
#[derive(Clone)]
pub(super) struct Frame {
    pub picture: Snapshot,
    /// Index of its buffer among the pictures of the simulation.
    pub slot: usize,
}

#[derive(Default)]
struct State {
    /// The newest picture; `None` once the presenter has taken it.
    newest: Option<Frame>,
    /// Slot of the picture that the presenter shows.
    shown: Option<usize>,
    /// True if the window needs the last picture again.
    redraw: bool,
    closed: bool,
    /// Number of pictures that the presenter has taken.
    count: u64,
    /// One line about the run. `problem` is the message of an error, or empty.
    status: String,
    problem: String,
    details: Arc<Details>,
    thread: Option<JoinHandle<Result<(), Error>>>,
    place: Place,
    /// The newest overlay; `None` once the presenter has taken it.
    overlay: Option<Overlay>,
}

/// Position of the picture in the window.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Place {
    /// Size of the window, pixels.
    pub window: [u32; 2],
    /// Width of the panel on the left, pixels.
    pub left: u32,
    /// Visible rectangle of the picture, pixels; `None`: all of it.
    pub part: Option<[[f32; 2]; 2]>,
}

#[derive(Default)]
pub(super) struct Board {
    state: Mutex<State>,
    changed: Condvar,
}

/// A task for the presenter.
pub(super) enum Task {
    /// Show a new picture.
    Show(Frame, Place),
    /// Show the last picture again.
    Again(Place),
    Close,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn keep(&self, thread: JoinHandle<Result<(), Error>>) {
        self.lock().thread = Some(thread);
    }

    /// Waits until the thread of the simulation has ended.
    pub(super) fn join(&self) -> Result<(), Error> {
        let thread = self.lock().thread.take();
        match thread.map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(Error::failed("the thread of the simulation panicked")),
        }
    }

    /// Publishes a picture; replaces one that the presenter has not taken.
    pub(super) fn put(&self, frame: Frame) {
        self.lock().newest = Some(frame);
        self.changed.notify_all();
    }

    /// True if the presenter has taken the last picture.
    pub(super) fn wants(&self) -> bool {
        self.lock().newest.is_none()
    }

    /// A slot that is neither shown nor published.
    pub(super) fn free_slot(&self) -> usize {
        let state = self.lock();
        let used = [state.shown, state.newest.as_ref().map(|frame| frame.slot)];
        (0..3).find(|slot| !used.contains(&Some(*slot))).unwrap_or(0)
    }

    /// Withdraws the published picture. The presenter may still show the last one that it has taken.
    pub(super) fn clear(&self) {
        self.lock().newest = None;
    }

    pub(super) fn place(&self, place: Place) {
        let mut state = self.lock();
        (state.place, state.redraw) = (place, true);
        self.changed.notify_all();
    }

    /// Replaces the overlay, and keeps textures that have not been uploaded.
    pub(super) fn cover(&self, overlay: Overlay) {
        let mut state = self.lock();
        let mut textures = state.overlay.take().unwrap_or_default().textures;
        textures.append(overlay.textures);
        state.overlay = Some(Overlay { textures, ..overlay });
        state.redraw = true;
        self.changed.notify_all();
    }

    /// The newest overlay, if it has changed.
    pub(super) fn take_overlay(&self) -> Option<Overlay> {
        self.lock().overlay.take()
    }

    /// Requests that the last picture is shown again.
    pub(super) fn redraw(&self) {
        self.lock().redraw = true;
        self.changed.notify_all();
    }

    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Waits for the next task.
    pub(super) fn task(&self) -> Task {
        let mut state = self.lock();
        loop {
            if state.closed {
                return Task::Close;
            }
            let place = state.place;
            if !place.window.contains(&0) {
                if let Some(frame) = state.newest.take() {
                    state.redraw = false;
                    state.count += 1;
                    state.shown = Some(frame.slot);
                    return Task::Show(frame, place);
                }
                if std::mem::take(&mut state.redraw) {
                    return Task::Again(place);
                }
            }
            let waited = self.changed.wait_timeout(state, Duration::from_millis(500));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The number of pictures that the presenter has taken.
    pub(super) fn count(&self) -> u64 {
        self.lock().count
    }

    /// Sets the state of the simulation; returns true if it has changed.
    pub(super) fn say(&self, status: String, details: Details) -> bool {
        let mut state = self.lock();
        let new = state.status != status || *state.details != details;
        (state.status, state.details) = (status, Arc::new(details));
        new
    }

    /// Sets the message of a problem; an empty message clears it.
    pub(super) fn complain(&self, problem: &str) {
        self.lock().problem = problem.to_string();
    }

    /// Title of the window: the status, and the first line of the problem.
    pub(super) fn text(&self) -> String {
        let state = self.lock();
        match state.problem.lines().next() {
            None => state.status.clone(),
            Some(problem) => format!("{}, PROBLEM: {problem}", state.status),
        }
    }

    /// The state of the simulation, and the message of the problem or "".
    pub(super) fn details(&self) -> (Arc<Details>, String) {
        let state = self.lock();
        (Arc::clone(&state.details), state.problem.clone())
    }
}
