//! What a run tells while it goes, and what it is asked to do meanwhile.

/// Something that happened in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Steps begin, after so many that were done before. A replay begins anew.
    Begun {
        /// Steps done before.
        steps: u64,
    },
    /// A step was submitted: the n-th, counted from 1.
    Step(u64),
    /// All of a frame was submitted: the n-th, counted from 1.
    Frame(u64),
    /// No more steps follow.
    Ended,
    /// What the run does now, where that is not to be expected.
    Note(&'a str),
    /// The device makes do with less than was asked for, with the same results.
    Notice(&'a str),
    /// Something is wrong that does not stop the run.
    Warning(&'a str),
}

/// Whoever follows a run. Every method does nothing unless it is written out.
pub trait Observer {
    /// Something happened.
    fn event(&mut self, _event: Event) {}

    /// Asked after every frame; true ends the run with that frame.
    fn stop(&mut self) -> bool {
        false
    }

    /// Asked after every frame; true keeps a checkpoint of it. Asking takes the request back.
    fn checkpoint(&mut self) -> bool {
        false
    }
}

/// Follows nothing and asks for nothing.
pub struct NoObserver;

impl Observer for NoObserver {}
