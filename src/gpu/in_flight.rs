//! Unfinished work of queues, and the objects that it keeps alive.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::timeline::Timeline;

/// The unfinished work of one Vulkan queue.
///
/// Binds have a separate counter, because Vulkan does not order them with other work on the queue, so a common counter
/// could be raised out of order.
pub(super) struct InFlight {
    pub submissions: Unfinished,
    pub binds: Unfinished,
}

/// One kind of work, numbered from 1 in the order of the calls.
pub(super) struct Unfinished {
    /// Counts finished work.
    done: Timeline,
    added: u64,
    pending: VecDeque<(u64, Pending)>,
}

/// One submission or bind.
pub(super) struct Pending {
    pub waits: Vec<(Timeline, u64)>,
    pub signals: Vec<(Timeline, u64)>,
    /// The objects that it needs until it is done.
    pub used: Vec<Kept>,
}

/// A recording, a sparse buffer or memory of pages, only kept alive.
pub(super) type Kept = Arc<dyn Send + Sync>;

impl InFlight {
    pub(super) fn new(submissions: Timeline, binds: Timeline) -> InFlight {
        InFlight {
            submissions: Unfinished::new(submissions),
            binds: Unfinished::new(binds),
        }
    }

    /// Releases the objects of finished work.
    pub(super) fn release_finished(&mut self) {
        self.submissions.release_finished();
        self.binds.release_finished();
    }

    /// Releases all objects; the device is idle.
    #[cfg(feature = "internals")]
    pub(super) fn release_all(&mut self) {
        self.submissions.pending.clear();
        self.binds.pending.clear();
    }
}

impl Unfinished {
    fn new(done: Timeline) -> Unfinished {
        Unfinished {
            done,
            added: 0,
            pending: VecDeque::new(),
        }
    }

    pub(super) fn done(&self) -> &Timeline {
        &self.done
    }

    /// The number that [`Unfinished::add`] will give.
    pub(super) fn next(&self) -> u64 {
        self.added + 1
    }

    pub(super) fn add(&mut self, pending: Pending) {
        self.added += 1;
        self.pending.push_back((self.added, pending));
    }

    /// On a lost device, nothing is released until the queues are dropped.
    ///
    /// The work that finished last keeps its timelines: the submission thread of Mesa accesses them once more after it
    /// has raised the counter, and no longer uses them when it has started the next submission.
    fn release_finished(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let Ok(done) = self.done.value() else { return };
        while self.pending.front().is_some_and(|(number, _)| *number < done) {
            self.pending.pop_front();
        }
        if let Some((_, last)) = self.pending.front_mut().filter(|(number, _)| *number == done) {
            last.used.clear();
        }
    }

    /// True when the counter has reached the last number; on a lost device it never does.
    fn is_finished(&self) -> bool {
        self.done.value().is_ok_and(|done| done >= self.added)
    }
}

/// Waits until all queues are done. Submissions may wait for values that nothing will signal (after a run that ended
/// with an error): values that no pending submission will raise are raised here. Returns at once when the device is
/// lost.
pub(super) fn drain(queues: &mut [&mut InFlight]) {
    loop {
        let mut pending = Vec::new();
        let mut unfinished = None;
        for in_flight in queues.iter_mut() {
            in_flight.release_finished();
            for kind in [&in_flight.submissions, &in_flight.binds] {
                if !kind.is_finished() {
                    unfinished = Some((kind.done.clone(), kind.added));
                }
                pending.extend(kind.pending.iter().map(|(_, pending)| pending));
            }
        }
        let Some((done, added)) = unfinished else {
            return;
        };
        for (timeline, value) in pending.iter().flat_map(|pending| &pending.waits) {
            let Ok(now) = timeline.value() else { return };
            let comes =
                |(signalled, to): &(Timeline, u64)| signalled.same(timeline) && now < *to && to <= value;
            let abandoned = !pending.iter().flat_map(|pending| &pending.signals).any(comes);
            // Stay below the values that pending submissions will signal.
            if now < *value && abandoned && timeline.signal(*value).is_err() {
                return;
            }
        }
        if done.wait(added, Duration::from_millis(50)).is_err() {
            return;
        }
    }
}
