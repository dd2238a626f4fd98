//! Exchanges of ghosts: their messages differ each time, so that buffers have some more room, and are kept.

use std::collections::BTreeMap;

use crate::ir::{Neighbours, ResourceId};
use crate::plan::{Particles, Want};
use crate::ranks::Ranks;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::messages::{self, Between, Message};
use super::room::Ghosts;
use super::round::Round;
use super::signal_parts::Signalled;
use super::{Exchanges, relay_of};

impl Exchanges {
    /// The number of rounds for ghosts, with room for more.
    pub fn count_rounds_of_ghosts(&self, between: Between, wants: &[Want], set: ResourceId) -> usize {
        let particles = particles_of(set, &room_for(&counts(between, set)));
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
        let counts = counts(between, set);
        let kept = self.ghosts.remove(&set).filter(|kept| kept.has_room(&counts));
        let (round, room) = match kept {
            Some(Ghosts { room, round }) => (round, room),
            None => (None, room_for(&counts)),
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
        let [outgoing, incoming] = messages_now(between, wants);
        round.refill(prepared, wants, [&outgoing, &incoming])?;
        Ok(round)
    }

    /// The recordings that exchange the ghosts of a set, if devices wait for each other; `None` if this rank exchanges nothing. An
    /// outer `None` if the host must wait. All ranks must call it, and the device must be done with the last exchange.
    pub fn ghosts_with_signals(
        &mut self,
        prepared: &Prepared,
        between: Between,
        wants: &[Want],
        set: ResourceId,
        ranks: &Ranks,
    ) -> Result<Option<Option<Signalled>>, RunError> {
        let counts = counts(between, set);
        let kept = self.signal_ghosts.remove(&set);
        let mut kept = match kept.filter(|kept| kept.has_room(&counts)) {
            Some(kept) => kept,
            None => {
                let room = room_for(&counts);
                let particles = particles_of(set, &room);
                let most = Between {
                    particles: &particles,
                    ..between
                };
                let round = self.signal_round(prepared, most, wants, ranks)?;
                Ghosts { room, round }
            }
        };
        let recordings = match &mut kept.round {
            Some(round) => {
                let [outgoing, incoming] = messages_now(between, wants);
                round.refill(prepared, wants, [&outgoing, &incoming])?;
                Some(round.take(relay_of(&mut self.relay)?))
            }
            None => None,
        };
        self.signal_ghosts.insert(set, kept);
        Ok(recordings)
    }

    /// Keeps the round for the next time.
    pub fn keep_ghosts(&mut self, set: ResourceId, round: Round) {
        if let Some(kept) = self.ghosts.get_mut(&set) {
            kept.round = Some(round);
        }
    }
}

/// The numbers of ghosts that each rank sends to the ranks below and above.
fn counts(between: Between, set: ResourceId) -> Vec<[u64; 2]> {
    let all = between.particles.get(&set).map_or(&[][..], Vec::as_slice);
    let ghosts = |of: &Neighbours| [of.below_end - of.own_first, of.own_end - of.above_first];
    all.iter().map(ghosts).collect()
}

fn room_for(counts: &[[u64; 2]]) -> Vec<[u64; 2]> {
    counts.iter().map(|counts| counts.map(with_room)).collect()
}

/// The messages that leave and that arrive, without room for more.
fn messages_now(between: Between, wants: &[Want]) -> [Vec<Message>; 2] {
    let rounds = [messages::from(between, wants), messages::to(between, wants)];
    rounds.map(|rounds| rounds.into_iter().next().unwrap_or_default())
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
