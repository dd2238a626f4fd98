//! Where the threads meet: the newest finished picture, what lies over it, and the state of the simulation.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use sastrugi::screen::Overlay;
use sastrugi::{Error, Snapshot};

use super::details::Details;

/// A picture that the device has drawn, or is drawing.
#[derive(Clone)]
pub(super) struct Frame {
    pub picture: Snapshot,
    /// Its number among the pictures of the simulation.
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
    /// Pictures that the presenter has taken.
    count: u64,
    /// A line about the run, and what is wrong.
    status: String,
    problem: String,
    details: Arc<Details>,
    thread: Option<JoinHandle<Result<(), Error>>>,
    place: Place,
    /// Nobody has taken it yet.
    overlay: Option<Overlay>,
}

/// Where the picture is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Place {
    /// The size of the window, pixels.
    pub window: [u32; 2],
    /// Pixels on the left that the panel covers.
    pub left: u32,
    /// The part of the picture that shows, if that is not all of it.
    pub part: Option<[[f32; 2]; 2]>,
}

#[derive(Default)]
pub(super) struct Board {
    state: Mutex<State>,
    changed: Condvar,
}

/// What the presenter is to do.
pub(super) enum Task {
    /// Show this picture.
    Show(Frame, Place),
    /// Show the last one again.
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

    /// Waits for the thread of the simulation.
    pub(super) fn join(&self) -> Result<(), Error> {
        let thread = self.lock().thread.take();
        match thread.map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(Error::failed("the thread of the simulation panicked")),
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

    pub(super) fn place(&self, place: Place) {
        let mut state = self.lock();
        (state.place, state.redraw) = (place, true);
        self.changed.notify_all();
    }

    /// Lays shapes over the picture, instead of those before.
    pub(super) fn cover(&self, overlay: Overlay) {
        let mut state = self.lock();
        let mut textures = state.overlay.take().unwrap_or_default().textures;
        textures.append(overlay.textures);
        state.overlay = Some(Overlay { textures, ..overlay });
        state.redraw = true;
        self.changed.notify_all();
    }

    /// The newest shapes, if they have changed.
    pub(super) fn take_overlay(&self) -> Option<Overlay> {
        self.lock().overlay.take()
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

    /// Writes the state of the simulation; true if it is new.
    pub(super) fn say(&self, status: String, details: Details) -> bool {
        let mut state = self.lock();
        let new = state.status != status || *state.details != details;
        (state.status, state.details) = (status, Arc::new(details));
        new
    }

    /// Writes what is wrong; empty: nothing.
    pub(super) fn complain(&self, problem: &str) {
        self.lock().problem = problem.to_string();
    }

    /// The line about the run, and the first one about what is wrong.
    pub(super) fn text(&self) -> String {
        let state = self.lock();
        match state.problem.lines().next() {
            None => state.status.clone(),
            Some(problem) => format!("{}, PROBLEM: {problem}", state.status),
        }
    }

    /// The state of the simulation, and what is wrong.
    pub(super) fn details(&self) -> (Arc<Details>, String) {
        let state = self.lock();
        (Arc::clone(&state.details), state.problem.clone())
    }
}
