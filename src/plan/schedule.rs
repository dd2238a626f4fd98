//! Determines the timeline values that a submission waits for, from its accesses and those of earlier submissions.
//!
//! Each queue signals its own timeline with increasing values. A submission waits for another queue only if both access
//! the same item and at least one of them writes. Within a queue, the barriers of the plan keep the order.

use std::collections::HashMap;

use super::barriers::Item;

/// Lanes of work. Each has its own queue if the device has enough queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// Steps.
    Step,
    /// Frame stages.
    Frame,
    /// Downloads.
    Download,
}

pub const LANES: [Lane; 3] = [Lane::Step, Lane::Frame, Lane::Download];

/// One copy of a ringed item.
pub type FieldCopy = (Item, u32);

/// The accesses of one submission.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    pub reads: Vec<FieldCopy>,
    pub writes: Vec<FieldCopy>,
}

impl Touched {
    /// A submission that only reads.
    pub fn reads(copies: Vec<FieldCopy>) -> Touched {
        Touched {
            reads: copies,
            writes: Vec::new(),
        }
    }

    /// A submission that only writes.
    pub fn writes(copies: Vec<FieldCopy>) -> Touched {
        Touched {
            reads: Vec::new(),
            writes: copies,
        }
    }
}

/// The order of a submission: the values of other lanes that it waits for, and the value that it signals on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    pub waits: Vec<(Lane, u64)>,
    pub signal: u64,
}

#[derive(Debug, Default, Clone)]
struct Record {
    write: Option<(Lane, u64)>,
    reads: [u64; LANES.len()],
}

/// Tracks all submissions of a run.
#[derive(Debug, Default)]
pub struct Schedule {
    signalled: [u64; LANES.len()],
    /// The highest value of each lane that each lane has already waited for.
    waited: [[u64; LANES.len()]; LANES.len()],
    records: HashMap<FieldCopy, Record>,
}

impl Schedule {
    /// The last value handed out on a lane.
    pub fn last(&self, lane: Lane) -> u64 {
        self.signalled[lane as usize]
    }

    pub fn submit(&mut self, lane: Lane, touched: &Touched) -> Ticket {
        let own = lane as usize;
        let mut needed = [0; LANES.len()];
        let need = |needed: &mut [u64; LANES.len()], other: usize, value: u64| {
            needed[other] = needed[other].max(value);
        };
        for copy in touched.reads.iter().chain(&touched.writes) {
            if let Some((other, value)) = self.records.get(copy).and_then(|record| record.write) {
                need(&mut needed, other as usize, value);
            }
        }
        for copy in &touched.writes {
            if let Some(record) = self.records.get(copy) {
                (0..LANES.len()).for_each(|other| need(&mut needed, other, record.reads[other]));
            }
        }
        let mut waits = Vec::new();
        for other in LANES {
            let value = needed[other as usize];
            if other != lane && value > self.waited[own][other as usize] {
                self.waited[own][other as usize] = value;
                waits.push((other, value));
            }
        }
        self.signalled[own] += 1;
        let signal = self.signalled[own];
        for copy in &touched.reads {
            self.records.entry(*copy).or_default().reads[own] = signal;
        }
        for copy in &touched.writes {
            *self.records.entry(*copy).or_default() = Record {
                write: Some((lane, signal)),
                reads: [0; LANES.len()],
            };
        }
        Ticket { waits, signal }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn touched(reads: &[Item], writes: &[Item]) -> Touched {
        Touched {
            reads: reads.iter().map(|i| (*i, 0)).collect(),
            writes: writes.iter().map(|i| (*i, 0)).collect(),
        }
    }

    #[test]
    fn cross_lane_hazards_wait_once() {
        let mut schedule = Schedule::default();
        assert_eq!(
            schedule.submit(Lane::Step, &touched(&[], &[1])),
            Ticket {
                waits: vec![],
                signal: 1
            }
        );
        let draw = schedule.submit(Lane::Frame, &touched(&[1], &[2]));
        assert_eq!(
            draw,
            Ticket {
                waits: vec![(Lane::Step, 1)],
                signal: 1
            }
        );
        // Nothing new: no wait. Another item: no wait.
        assert_eq!(schedule.submit(Lane::Frame, &touched(&[1], &[])).waits, []);
        assert_eq!(schedule.submit(Lane::Step, &touched(&[], &[3])).waits, []);
        // The writer of what is still drawn waits for the last reader.
        assert_eq!(
            schedule.submit(Lane::Step, &touched(&[], &[1])).waits,
            [(Lane::Frame, 2)]
        );
        assert_eq!(
            schedule.submit(Lane::Download, &touched(&[2], &[])).waits,
            [(Lane::Frame, 1)]
        );
    }

    #[test]
    fn ring_copies_do_not_conflict() {
        let mut schedule = Schedule::default();
        schedule.submit(
            Lane::Step,
            &Touched {
                reads: vec![],
                writes: vec![(0, 1)],
            },
        );
        schedule.submit(
            Lane::Frame,
            &Touched {
                reads: vec![(0, 1)],
                writes: vec![],
            },
        );
        let next = schedule.submit(
            Lane::Step,
            &Touched {
                reads: vec![(0, 1)],
                writes: vec![(0, 0)],
            },
        );
        assert_eq!(next.waits, []);
    }

    proptest! {
        /// Follows every wait: each conflicting pair on two lanes must be ordered, however the lanes drift.
        #[test]
        fn random_submissions_keep_all_dependencies(
            list in proptest::collection::vec(
                (0usize..3, proptest::collection::vec((0usize..4, 0u32..2), 0..3), proptest::collection::vec((0usize..4, 0u32..2), 0..2)),
                1..60,
            )
        ) {
            let mut schedule = Schedule::default();
            // For each submission: the value of each lane that has certainly ended before it starts.
            let mut seen: Vec<(usize, u64, [u64; 3], Touched)> = Vec::new();
            let mut lane_knows = [[0u64; 3]; 3];
            for (lane, reads, writes) in list {
                let touched = Touched { reads, writes };
                let ticket = schedule.submit(LANES[lane], &touched);
                for (other, value) in &ticket.waits {
                    let ended = seen.iter().find(|(l, v, ..)| *l == *other as usize && v == value).unwrap().2;
                    for i in 0..3 {
                        lane_knows[lane][i] = lane_knows[lane][i].max(ended[i]);
                    }
                    lane_knows[lane][*other as usize] = lane_knows[lane][*other as usize].max(*value);
                }
                for (other, value, _, earlier) in &seen {
                    let conflict = touched.writes.iter().any(|c| earlier.reads.contains(c) || earlier.writes.contains(c))
                        || touched.reads.iter().any(|c| earlier.writes.contains(c));
                    if *other != lane && conflict {
                        prop_assert!(lane_knows[lane][*other] >= *value);
                    }
                }
                let knows = lane_knows[lane];
                seen.push((lane, ticket.signal, knows, touched));
            }
        }
    }
}
