//! A simulation as one of several ranks whose devices wait for each other, so that the host does not.

use crate::plan::Want;

use super::super::error::RunError;
use super::super::exchange::{self, Between, Signalled};
use super::super::probe::Spoil;
use super::Simulation;

impl Simulation {
    /// The longest messages for which devices wait for each other, 0 if they never do. All ranks must call it.
    pub(super) fn signal_limit(&mut self) -> Result<u64, RunError> {
        let Some(ranked) = &mut self.ranked else {
            return Ok(0);
        };
        let limit = match ranked.exchanges.limit {
            Some(limit) => limit,
            None => exchange::limit(&self.prepared, &ranked.ranks)?,
        };
        ranked.exchanges.limit = Some(limit);
        Ok(limit)
    }

    /// True if devices may wait for each other in an exchange: its messages repeat. All ranks must call it.
    pub(super) fn may_signal(&mut self, wants: &[Want]) -> Result<bool, RunError> {
        let limit = self.signal_limit()?;
        let spoil = (self.ranked.as_ref()).map(|ranked| self.prepared.probe.spoils(ranked.exchanges.count));
        Ok(limit > 0 && spoil == Some(Spoil::None) && wants.iter().all(Want::repeats))
    }

    /// True if there are such exchanges in this run, as far as it is known.
    pub(super) fn has_signals(&self) -> bool {
        let limit = self.ranked.as_ref().and_then(|ranked| ranked.exchanges.limit);
        limit.is_some_and(|limit| limit > 0)
    }

    /// True if such an exchange was prepared before. Else, all must be submitted for which other ranks wait.
    pub(super) fn knows_signals(&self, wants: &[Want]) -> bool {
        (self.ranked.as_ref()).is_some_and(|ranked| ranked.exchanges.knows_signals(wants))
    }

    /// The recordings of an exchange, `None` if this rank exchanges nothing. An outer `None` if the host must wait.
    pub(super) fn signals(&mut self, wants: &[Want]) -> Result<Option<Option<Signalled>>, RunError> {
        let (Some(partition), Some(ranked)) = (self.partition(), &mut self.ranked) else {
            return Ok(None);
        };
        let between = Between {
            partition: &partition,
            particles: &ranked.particles,
            rank: ranked.ranks.rank(),
            to: None,
            spoil: Spoil::None,
            runs: None,
        };
        let ranks = &ranked.ranks;
        let recordings = (ranked.exchanges).signals(&self.prepared, between, wants, ranks)?;
        if recordings.is_some() {
            ranked.exchanges.count += 1;
            ranked.halos.exchanged(wants);
        }
        Ok(recordings)
    }
}
