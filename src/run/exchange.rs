//! Exchanges of halos between ranks: messages that a kernel packs and unpacks.

mod collect;
mod content;
mod copies;
mod ghosts;
mod hand_over;
mod messages;
mod paged;
mod peers;
mod piece_blocks;
mod pieces;
mod relay;
mod room;
mod round;
mod runs;
mod signal_parts;
mod signal_round;
mod signal_ways;
mod signals;
mod talk;
mod windows;

use std::collections::HashMap;

use crate::gpu::ComputePipeline;
use crate::ir::ResourceId;
use crate::plan::Want;
use crate::plan::schedule::FieldCopy;
use crate::ranks::Ranks;

use super::built_in::built_in;
use super::error::RunError;
use super::prepared::Prepared;
use super::probe::Spoil;
pub use collect::{bytes_of, pieces_of_part, place};
use content::Content;
pub use messages::Between;
use messages::Message;
use pieces::{Movers, Moves};
use relay::Relay;
use room::{HostGhosts, SignalGhosts};
pub use round::Round;
pub use runs::{KeptRuns, Moved};
pub use signal_parts::Signalled;
use signal_round::SignalRound;
use signal_ways::{Length, length};
pub use signals::limit;
#[cfg(feature = "internals")]
pub use {peers::Peers, windows::Windows};

/// The exchanges of a run. Those among all ranks repeat: they are kept with their buffers.
#[derive(Default)]
pub struct Exchanges {
    movers: Movers,
    kept: HashMap<Vec<Want>, Vec<Round>>,
    /// By set, the rounds that exchange ghosts.
    ghosts: HashMap<ResourceId, HostGhosts>,
    signal_ghosts: HashMap<ResourceId, SignalGhosts>,
    /// By copy of a field and address of a staging buffer, the copy of the part that this rank writes.
    staged: HashMap<(FieldCopy, u64), Moves>,
    /// The exchanges in which devices wait for each other; `None` for those in which they cannot.
    signals: HashMap<Vec<Want>, Option<SignalRound>>,
    /// The kernel that writes signals.
    post: Option<ComputePipeline>,
    relay: Option<Relay>,
    /// The largest messages of these exchanges, in bytes; 0 if there are none, and `None` before the first exchange.
    pub limit: Option<u64>,
    /// Number of exchanges so far.
    pub count: u64,
}

impl Exchanges {
    /// The rounds of an exchange among all ranks that serves `wants`. Give them back with [`Exchanges::keep`]. All ranks must call it.
    pub fn rounds(
        &mut self,
        prepared: &Prepared,
        between: Between,
        wants: &[Want],
        ranks: &Ranks,
    ) -> Result<Vec<Round>, RunError> {
        let repeats = between.spoil == Spoil::None && wants.iter().all(Want::repeats);
        if repeats && let Some(rounds) = self.kept.remove(wants) {
            return Ok(rounds);
        }
        let ranks = repeats.then_some(ranks);
        (0..self.count_rounds(between, wants))
            .map(|number| self.round(prepared, between, wants, number, ranks))
            .collect()
    }

    /// The number of rounds of an exchange, equal on all ranks.
    pub fn count_rounds(&self, between: Between, wants: &[Want]) -> usize {
        messages::rounds(between, wants)
    }

    /// One round of an exchange. With `ranks`, messages on one host go through shared memory, and all ranks must call it.
    pub fn round(
        &mut self,
        prepared: &Prepared,
        between: Between,
        wants: &[Want],
        number: usize,
        ranks: Option<&Ranks>,
    ) -> Result<Round, RunError> {
        let [outgoing, incoming] = &self.messages(prepared, between, wants, number)?;
        let content = Content {
            number,
            wants,
            outgoing,
            incoming,
        };
        Round::new(prepared, &self.movers, between, &content, ranks)
    }

    /// The messages of a round from and to this rank. Compiles the kernels that move them.
    fn messages(
        &mut self,
        prepared: &Prepared,
        between: Between,
        wants: &[Want],
        number: usize,
    ) -> Result<[Vec<Message>; 2], RunError> {
        let all = [messages::from(between, wants), messages::to(between, wants)];
        let of_round = all.map(|rounds| rounds.into_iter().nth(number).unwrap_or_default());
        for messages in &of_round {
            self.movers.compile(prepared, wants, messages)?;
        }
        Ok(of_round)
    }

    /// True if the exchange was prepared by [`Exchanges::signals`].
    pub fn knows_signals(&self, wants: &[Want]) -> bool {
        self.signals.contains_key(wants)
    }

    /// The recordings of an exchange in which devices wait for each other, `None` if this rank exchanges nothing. An outer `None`
    /// if that is not possible. All ranks must call it.
    pub fn signals(
        &mut self,
        prepared: &Prepared,
        between: Between,
        wants: &[Want],
        ranks: &Ranks,
    ) -> Result<Option<Option<Signalled>>, RunError> {
        if !self.signals.contains_key(wants) {
            let round = self.signal_round(prepared, between, wants, ranks)?;
            self.signals.insert(wants.to_vec(), round);
        }
        let Some(Some(round)) = self.signals.get_mut(wants) else {
            return Ok(None);
        };
        Ok(Some(round.take(relay_of(&mut self.relay)?)))
    }

    fn signal_round(
        &mut self,
        prepared: &Prepared,
        between: Between,
        wants: &[Want],
        ranks: &Ranks,
    ) -> Result<Option<SignalRound>, RunError> {
        let [outgoing, incoming] = &self.messages(prepared, between, wants, 0)?;
        let content = Content {
            number: 0,
            wants,
            outgoing,
            incoming,
        };
        let length = length(between, &content, self.limit.unwrap_or(0));
        if length == Length::TooLong {
            return Ok(None);
        }
        let post = match self.post.take() {
            Some(post) => post,
            None => {
                let text = include_bytes!("post_signal.comp");
                built_in(&prepared.host.gpu, "post_signal", text)?
            }
        };
        let post = self.post.insert(post);
        SignalRound::new(prepared, &self.movers, post, between, (&content, length), ranks)
    }

    /// Number of exchanges so far in which devices waited for each other.
    #[cfg(feature = "internals")]
    pub fn signals_sent(&self) -> u64 {
        self.signal_rounds().map(SignalRound::uses).sum()
    }

    /// An error if messages can no longer arrive for which the device waits.
    pub fn check(&self) -> Result<(), RunError> {
        self.relay.iter().try_for_each(Relay::check)
    }

    /// Ends all waits of the device for others.
    pub fn end_waits(&self) {
        self.relay.iter().for_each(Relay::end);
        self.signal_rounds().for_each(SignalRound::end);
    }

    fn signal_rounds(&self) -> impl Iterator<Item = &SignalRound> {
        let ghosts = self.signal_ghosts.values().map(|ghosts| &ghosts.round);
        self.signals.values().chain(ghosts).flatten()
    }

    /// Keeps the rounds of an exchange for the next time.
    pub fn keep(&mut self, wants: Vec<Want>, rounds: Vec<Round>) {
        self.kept.insert(wants, rounds);
    }
}

/// The thread for long messages, which starts when it is needed.
fn relay_of(relay: &mut Option<Relay>) -> Result<&Relay, RunError> {
    let started = match relay.take() {
        Some(relay) => relay,
        None => {
            Relay::start().map_err(|error| RunError::Failed(format!("cannot start a thread: {error}")))?
        }
    };
    Ok(relay.insert(started))
}
