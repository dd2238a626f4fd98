//! A pass through a list while it is submitted.

use crate::gpu::Timeline;
use crate::plan::{Lane, List, LoopPart, Ticket};

/// A segment, or a portion of one, on its way to its queue.
pub(super) struct Queued {
    pub(super) segment: usize,
    pub(super) portion: Portion,
    pub(super) ticket: Ticket,
    /// The bind of pages that it must wait for.
    pub(super) bound: Option<(Timeline, u64)>,
}

/// A portion of a segment whose dispatch may be divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Portion {
    Whole,
    /// As far as the interior.
    First,
    Rest,
}

/// Progress of a repeat with `while` whose parts are submitted one by one.
#[derive(Default)]
pub(super) struct LoopProgress {
    repeat: usize,
    /// The value that the submission of each part signals, and the word with its condition.
    pub(super) submitted: Vec<(u64, usize)>,
    pub(super) ended: bool,
}

impl LoopProgress {
    /// The value to wait for before a part is submitted, and the word to read then. `in_flight` is the number of later
    /// parts that may still run then.
    pub(super) fn awaited(&mut self, part: LoopPart, in_flight: usize) -> Option<(u64, usize)> {
        if part.number == 0 || part.repeat != self.repeat {
            *self = LoopProgress {
                repeat: part.repeat,
                ..LoopProgress::default()
            };
        }
        let before = part.number.checked_sub(1 + in_flight).filter(|_| !self.ended)?;
        self.submitted.get(before).copied()
    }
}

/// One pass through a list, with the segments that are not submitted yet.
pub(super) struct ListPass {
    pub(super) list: List,
    pub(super) lane: Lane,
    /// Steps before the pass.
    pub(super) steps: u64,
    pub(super) timed: bool,
    pub(super) queued: Vec<Queued>,
    /// Progress of the repeat whose parts come next.
    pub(super) progress: LoopProgress,
}

impl ListPass {
    pub(super) fn new(list: List, lane: Lane, steps: u64, timed: bool) -> ListPass {
        ListPass {
            list,
            lane,
            steps,
            timed,
            queued: Vec::new(),
            progress: LoopProgress::default(),
        }
    }
}
