//! Displays the progress of a run, and passes requests by signals to it.

use sastrugi::{Event, Observer};

use super::progress::Progress;
use super::signals::Signals;

/// Follows one run.
pub(super) struct Follower<'a> {
    pub progress: Progress,
    pub signals: &'a Signals,
    /// Prints no texts.
    pub quiet: bool,
}

impl Observer for Follower<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Begun { steps } => self.progress.start(steps),
            Event::Step(step) => self.progress.step(step),
            Event::Frame(frame) => self.progress.frame(frame),
            Event::Ended => self.progress.finish(),
            Event::Note(_) | Event::Notice(_) | Event::Warning(_) if self.quiet => {}
            Event::Note(text) => crate::say!("{text}"),
            Event::Notice(text) => crate::say!("notice: {text}"),
            Event::Warning(text) => crate::say!("warning: {text}"),
            _ => {}
        }
    }

    fn stop(&mut self) -> bool {
        self.signals.stop()
    }

    fn checkpoint(&mut self) -> bool {
        self.signals.checkpoint()
    }
}
