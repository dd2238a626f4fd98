//! A pass through a list while it is submitted.

use crate::gpu::{Recording, Timeline};
use crate::plan::{Lane, List, LoopPart, Ticket};

/// Work on its way to its queue.
pub(super) enum Work {
    /// A segment, or a portion of one.
    Segment(usize, Portion),
    /// A recording that is no segment, such as a part of an exchange between ranks.
    Alone(Recording),
}

/// Work with what it waits for and signals.
pub(super) struct Queued {
    pub(super) work: Work,
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

/// How far the program may be ahead of the device with the parts of a repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ahead {
    /// By as many parts that may run in vain.
    Parts(usize),
    /// By all parts that are expected to run.
    UpTo(usize),
}

/// The numbers of parts of a repeat that ran: now as far as it is known, the last time, and the time before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PartsThatRan([Option<usize>; 3]);

impl PartsThatRan {
    /// Begins another run. Until something is noted, it counts as equal to the last.
    pub(super) fn begin(&mut self) {
        let [now, last, _] = self.0;
        self.0 = [now, now, last];
    }

    pub(super) fn note(&mut self, ran: usize) {
        self.0[0] = Some(ran);
    }

    /// The smaller of the last two numbers: a part that runs in vain takes longer than a wait for the end of another.
    pub(super) fn expected(self) -> usize {
        let [_, last, before] = self.0;
        last.map_or(0, |last| before.map_or(last, |before| last.min(before)))
    }
}

/// Progress of a repeat with `while` whose parts are submitted one by one.
#[derive(Default)]
pub(super) struct LoopProgress {
    repeat: usize,
    /// The value that the submission of each part signals, and the word with its condition.
    pub(super) submitted: Vec<(u64, usize)>,
    pub(super) ended: bool,
    /// The part before which the condition was read last.
    looked: Option<usize>,
}

impl LoopProgress {
    /// True for the first segment of a repeat.
    pub(super) fn begins(&self, part: LoopPart) -> bool {
        part.number == 0 && (part.repeat != self.repeat || self.looked != Some(0))
    }

    /// The parts, each as in `submitted`, whose end is awaited before another one is submitted. Empty if it need not be known
    /// whether they have ended the repeat, or that was looked at before.
    pub(super) fn awaited(&mut self, part: LoopPart, ahead: Ahead) -> &[(u64, usize)] {
        if part.number == 0 || part.repeat != self.repeat {
            *self = LoopProgress {
                repeat: part.repeat,
                ..LoopProgress::default()
            };
        }
        // A part may have several segments.
        let is_first = self.looked.replace(part.number) != Some(part.number);
        let before = match ahead {
            Ahead::Parts(in_flight) => part.number.saturating_sub(in_flight),
            Ahead::UpTo(expected) if part.number < expected => 0,
            Ahead::UpTo(_) => part.number,
        };
        let looks = is_first && !self.ended;
        self.submitted.get(..before).filter(|_| looks).unwrap_or_default()
    }
}

/// Recordings after which those of a pass are submitted after a wait.
pub(super) const FIRST_FLUSH: usize = 4;

/// One pass through a list, with the segments that are not submitted yet.
pub(super) struct ListPass {
    pub(super) list: List,
    pub(super) lane: Lane,
    /// Steps before the pass.
    pub(super) steps: u64,
    pub(super) timed: bool,
    pub(super) queued: Vec<Queued>,
    /// Length of the queue at which it is submitted: short after a wait, because the device is idle, and then longer and longer.
    pub(super) flush_at: usize,
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
            flush_at: FIRST_FLUSH,
            progress: LoopProgress::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: usize) -> LoopPart {
        LoopPart {
            repeat: 3,
            number,
            condition: 0,
            entry: 0,
            note: number,
        }
    }

    /// The parts that are awaited before each of six, of two segments each.
    fn awaited(ahead: Ahead) -> Vec<usize> {
        let mut progress = LoopProgress::default();
        let mut all = Vec::new();
        for number in 0..6 {
            all.push(progress.awaited(part(number), ahead).len());
            assert!(
                progress.awaited(part(number), ahead).is_empty(),
                "looked at before: part {number}"
            );
            progress.submitted.push((10 + number as u64, number));
        }
        all
    }

    #[test]
    fn program_is_ahead_by_parts_in_flight_or_up_to_the_expected_ones() {
        assert_eq!(awaited(Ahead::Parts(0)), [0, 1, 2, 3, 4, 5]);
        assert_eq!(awaited(Ahead::Parts(1)), [0, 0, 1, 2, 3, 4]);
        assert_eq!(awaited(Ahead::UpTo(0)), [0, 1, 2, 3, 4, 5]);
        assert_eq!(awaited(Ahead::UpTo(4)), [0, 0, 0, 0, 4, 5]);
        assert_eq!(awaited(Ahead::UpTo(9)), [0; 6]);
    }

    #[test]
    fn fewer_parts_are_expected_after_a_run_of_fewer() {
        let mut ran = PartsThatRan::default();
        let mut expected = |parts: Option<usize>| {
            ran.begin();
            let expected = ran.expected();
            parts.into_iter().for_each(|parts| ran.note(parts));
            expected
        };
        let runs = [Some(3), Some(3), Some(4), Some(3), None, Some(5), None, None];
        assert_eq!(runs.map(&mut expected), [0, 3, 3, 3, 3, 3, 3, 5]);
    }

    #[test]
    fn repeat_begins_with_the_first_segment_of_its_first_part() {
        let mut progress = LoopProgress::default();
        let mut begins = |number| {
            let begins = progress.begins(part(number));
            progress.awaited(part(number), Ahead::Parts(1));
            begins
        };
        let found = [0, 0, 1, 1, 2, 0, 0, 1].map(&mut begins);
        assert_eq!(found, [true, false, false, false, false, true, false, false]);
    }

    #[test]
    fn repeat_that_has_ended_awaits_nothing_until_it_starts_again() {
        let mut progress = LoopProgress::default();
        assert!(progress.awaited(part(0), Ahead::Parts(0)).is_empty());
        progress.submitted.push((5, 0));
        assert_eq!(progress.awaited(part(1), Ahead::Parts(0)), [(5, 0)]);
        progress.ended = true;
        assert!(progress.awaited(part(2), Ahead::Parts(0)).is_empty());
        assert!(progress.awaited(part(0), Ahead::Parts(0)).is_empty());
        assert!(!progress.ended && progress.submitted.is_empty());
    }
}
