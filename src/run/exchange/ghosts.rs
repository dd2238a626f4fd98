//! Exchanges of ghosts: their messages differ each time, so that buffers have some more room, and are kept.

use std::collections::BTreeMap;

use crate::ir::{Neighbours, ResourceId};
use crate::plan::{Particles, Want};
use crate::ranks::Ranks;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::Exchanges;
use super::messages::{self, Between};
use super::room::Ghosts;
use super::round::Round;

impl Exchanges {
    /// The number of rounds for ghosts, with room for more.
    pub fn count_rounds_of_ghosts(&self, between: Between, wants: &[Want], set: ResourceId) -> usize {
        let all = between.particles.get(&set).map_or(&[][..], Vec::as_slice);
        let room: Vec<[u64; 2]> = all.iter().map(|of| ghosts(of).map(with_room)).collect();
        let particles = particles_of(set, &room);
        let most = Between {
            particles: &particles,
            ..between
        };
        self.count_rounds(most, wants)
    }

    /// The round for the ghosts of a set. Give it back with [`Exchanges::keep_ghosts`]. All ranks must call it.
    pub fn ghosts(
        &mut self,
        prepared: &Prepared,
        between: Between,
        wants: &[Want],
        set: ResourceId,
        ranks: &Ranks,
    ) -> Result<Round, RunError> {
        let all = between.particles.get(&set).map_or(&[][..], Vec::as_slice);
        let counts: Vec<[u64; 2]> = all.iter().map(ghosts).collect();
        let kept = self.ghosts.remove(&set).filter(|kept| kept.has_room(&counts));
        let (round, room) = match kept {
            Some(Ghosts { room, round }) => (round, room),
            None => (None, counts.iter().map(|counts| counts.map(with_room)).collect()),
        };
        let mut round = match round {
            Some(round) => round,
            None => {
                let particles = particles_of(set, &room);
                let most = Between {
                    particles: &particles,
                    ..between
                };
                self.round(prepared, most, wants, 0, Some(ranks))?
            }
        };
        self.ghosts.insert(set, Ghosts { room, round: None });
        let first = |rounds: Vec<Vec<messages::Message>>| rounds.into_iter().next().unwrap_or_default();
        let outgoing = first(messages::from(between, wants));
        let incoming = first(messages::to(between, wants));
        round.refill(prepared, wants, [&outgoing, &incoming])?;
        Ok(round)
    }

    /// Keeps the round for the next time.
    pub fn keep_ghosts(&mut self, set: ResourceId, round: Round) {
        if let Some(kept) = self.ghosts.get_mut(&set) {
            kept.round = Some(round);
        }
    }
}

/// The numbers of ghosts that a rank sends to the ranks below and above.
fn ghosts(of: &Neighbours) -> [u64; 2] {
    [of.below_end - of.own_first, of.own_end - of.above_first]
}

/// A quarter more, and a minimum.
pub(super) fn with_room(count: u64) -> u64 {
    (count + count / 4).next_multiple_of(1024).max(1024)
}

/// Ranks that send this many ghosts to the ranks below and above.
fn particles_of(set: ResourceId, counts: &[[u64; 2]]) -> Particles {
    let neighbours = counts.iter().map(|[below, above]| Neighbours {
        own_first: 0,
        own_end: below + above,
        below_end: *below,
        above_first: *below,
        spent: Vec::new(),
    });
    BTreeMap::from([(set, neighbours.collect())])
}
