//! Exchanges of halos between ranks: messages that a kernel packs and unpacks.

mod collect;
mod content;
mod copies;
mod ghosts;
mod messages;
mod paged;
mod peers;
mod pieces;
mod room;
mod round;
mod runs;
mod talk;
mod windows;

use std::collections::HashMap;

use crate::ir::ResourceId;

use crate::plan::Want;
use crate::plan::schedule::FieldCopy;
use crate::ranks::Ranks;

use super::error::RunError;
use super::prepared::Prepared;
use super::probe::Spoil;
pub use collect::{bytes_of, pieces_of_part, place};
use content::Content;
pub use messages::Between;
use messages::Message;
use pieces::{Movers, Moves};
use room::Ghosts;
pub use round::Round;
pub use runs::{KeptRuns, Moved};
#[cfg(feature = "internals")]
pub use {peers::Peers, windows::Windows};

/// The exchanges of a run. Those among all ranks repeat: they are kept with their buffers.
#[derive(Default)]
pub struct Exchanges {
    movers: Movers,
    kept: HashMap<Vec<Want>, Vec<Round>>,
    /// By set, the round that exchanges ghosts.
    ghosts: HashMap<ResourceId, Ghosts>,
    /// By copy of a field and address of a staging buffer, the copy of the part that this rank writes.
    staged: HashMap<(FieldCopy, u64), Moves>,
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
        let of_round = |mut messages: Vec<Vec<Message>>| {
            if number < messages.len() {
                messages.swap_remove(number)
            } else {
                Vec::new()
            }
        };
        let content = Content {
            number,
            wants,
            outgoing: &of_round(messages::from(between, wants)),
            incoming: &of_round(messages::to(between, wants)),
        };
        for messages in [content.outgoing, content.incoming] {
            self.movers.compile(prepared, wants, messages)?;
        }
        Round::new(prepared, &self.movers, between, &content, ranks)
    }

    /// Keeps the rounds of an exchange for the next time.
    pub fn keep(&mut self, wants: Vec<Want>, rounds: Vec<Round>) {
        self.kept.insert(wants, rounds);
    }
}
