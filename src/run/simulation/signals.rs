//! A simulation as one of several ranks whose devices wait for each other, so that the host does not.

use std::time::{Duration, Instant};

use crate::gpu::{Recording, Timeline};
use crate::plan::{Lane, Touched, Want};

use super::super::error::RunError;
use super::super::exchange::Between;
use super::super::probe::Spoil;
use super::Simulation;

/// Time between two looks for a failure of another rank.
const LOOK: Duration = Duration::from_millis(100);

impl Simulation {
    /// True if devices may wait for each other in an exchange: its messages repeat.
    pub(super) fn may_signal(&self, wants: &[Want]) -> bool {
        self.ranked.as_ref().is_some_and(|ranked| {
            let spoil = self.prepared.probe.spoils(ranked.exchanges.count);
            ranked.exchanges.limit > 0 && spoil == Spoil::None && wants.iter().all(Want::is_of_cells)
        })
    }

    /// True if such an exchange was prepared before. Else, all must be submitted for which other ranks wait.
    pub(super) fn knows_signals(&self, wants: &[Want]) -> bool {
        (self.ranked.as_ref()).is_some_and(|ranked| ranked.exchanges.knows_signals(wants))
    }

    /// The recordings of an exchange: those before and after what may run while messages travel. `None` if the host must wait.
    pub(super) fn signals(&mut self, wants: &[Want]) -> Result<Option<[Vec<Recording>; 2]>, RunError> {
        let (Some(partition), Some(ranked)) = (self.partition(), &mut self.ranked) else {
            return Ok(None);
        };
        let between = Between {
            partition: &partition,
            particles: &ranked.particles,
            rank: ranked.ranks.rank(),
            to: None,
            spoil: Spoil::None,
        };
        let ranks = &ranked.ranks;
        let recordings = (ranked.exchanges).signals(&self.prepared, between, wants, ranks)?;
        if recordings.is_some() {
            ranked.exchanges.count += 1;
            ranked.halos.exchanged(wants);
        }
        Ok(recordings)
    }

    /// Number of parts of a repeat that may be in flight when the next is submitted: ranks whose hosts exchange halos would do
    /// so in vain.
    pub(super) fn parts_in_flight(&self) -> usize {
        let hosts_wait = (self.ranked.as_ref()).is_some_and(|ranked| ranked.exchanges.limit == 0);
        usize::from(!hosts_wait)
    }

    /// Waits for a value while the device may wait for those of other ranks; false if time is up. An error if one of these has
    /// failed.
    pub(super) fn reaches(&self, timeline: &Timeline, value: u64) -> Result<bool, RunError> {
        let Some(ranked) = self.ranked.as_ref().filter(|ranked| ranked.exchanges.limit > 0) else {
            return Ok(false);
        };
        let began = Instant::now();
        while began.elapsed() < self.prepared.options.timeout {
            if timeline.wait(value, LOOK)? {
                return Ok(true);
            }
            ranked.ranks.check()?;
        }
        Ok(false)
    }

    /// What an exchange reads or writes.
    pub(super) fn touched_by(wants: &[Want], writes: bool) -> Touched {
        let copies: Vec<_> = wants.iter().map(|want| want.at).collect();
        let (reads, writes) = if writes { (Vec::new(), copies) } else { (copies, Vec::new()) };
        Touched { reads, writes }
    }

    /// Submits recordings of an exchange at once.
    pub(super) fn submit_halos(&mut self, name: &str, halos: &[Recording], touched: &Touched) -> Result<(), RunError> {
        let ticket = self.schedule.submit(Lane::Step, touched);
        let batch = self.batch(Lane::Step, &ticket.waits, halos.iter().collect(), ticket.signal);
        self.submit(Lane::Step, name, vec![batch])
    }
}
