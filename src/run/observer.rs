//! Events of a run, and requests to it while it runs.

/// Something that happened in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Steps begin, after those that were done before. This comes again when the first step is done, because a device may
    /// compile in it, and from a replay.
    Begun {
        /// Steps done so far.
        steps: u64,
    },
    /// A step was submitted: the n-th, counted from 1.
    Step(u64),
    /// A whole frame was submitted: the n-th, counted from 1.
    Frame(u64),
    /// No more steps follow.
    Ended,
    /// What the run does now, if a user would not expect it.
    Note(&'a str),
    /// The device uses another method than the best one, with the same results.
    Notice(&'a str),
    /// Something is wrong that does not stop the run.
    Warning(&'a str),
}

/// A client that follows a run. By default every method does nothing.
pub trait Observer {
    /// Something happened.
    fn event(&mut self, _event: Event) {}

    /// Called after every frame; true ends the run with that frame.
    fn stop(&mut self) -> bool {
        false
    }

    /// Called after every frame; true writes a checkpoint of it. The call clears the request.
    fn checkpoint(&mut self) -> bool {
        false
    }
}

/// Follows nothing and asks for nothing.
pub struct NoObserver;

impl Observer for NoObserver {}
