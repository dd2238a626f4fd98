//! Events of a run, and requests to it while it runs.

/// Something that happened in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Steps begin. The event is repeated after the first step, in which a device may compile, and by a replay.
    Begun {
        /// Steps done so far.
        steps: u64,
    },
    /// A step was submitted: the n-th, counted from 1.
    Step(u64),
    /// A whole frame was submitted: the n-th, counted from 1.
    Frame(u64),
    /// The last step is done.
    Ended,
    /// The run does something that a user may not expect.
    Note(&'a str),
    /// The device uses another method than the best one, with the same results.
    Notice(&'a str),
    /// A problem that does not stop the run.
    Warning(&'a str),
}

/// A client that follows a run. By default every method does nothing.
pub trait Observer {
    /// Called for every event.
    fn event(&mut self, _event: Event) {}

    /// Called after every frame; true ends the run after the frame.
    fn stop(&mut self) -> bool {
        false
    }

    /// Called after every frame; true writes a checkpoint of it. The call clears the request.
    fn checkpoint(&mut self) -> bool {
        false
    }
}

/// Ignores all events and requests nothing.
pub struct NoObserver;

impl Observer for NoObserver {}
