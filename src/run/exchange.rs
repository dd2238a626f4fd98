//! Exchanges of halos between ranks: messages that a kernel packs and unpacks.

mod collect;
mod messages;
mod pieces;
mod round;
mod windows;

use std::collections::HashMap;

use crate::ir::Valid;
use crate::plan::Want;
use crate::ranks::Ranks;

use super::error::RunError;
use super::prepared::Prepared;
pub use collect::{bytes_of, pieces_of_part, place};
pub use messages::Between;
use messages::Message;
use pieces::Movers;
use round::Content;
pub use round::Round;
#[cfg(feature = "internals")]
pub use windows::Windows;

/// The exchanges of a run. Those that repeat are kept with their buffers.
#[derive(Default)]
pub struct Exchanges {
    movers: Movers,
    kept: HashMap<Vec<Want>, Vec<Round>>,
    /// Number of exchanges so far.
    pub count: u64,
}

impl Exchanges {
    /// The rounds of an exchange that serves `wants`. Give them back with [`Exchanges::keep`]. All ranks must call it.
    pub fn rounds(
        &mut self,
        prepared: &Prepared,
        between: Between,
        wants: &[Want],
        ranks: &Ranks,
    ) -> Result<Vec<Round>, RunError> {
        let repeats = between.repeats();
        if repeats && let Some(rounds) = self.kept.remove(wants) {
            return Ok(rounds);
        }
        let outgoing = messages::from(between, wants);
        let incoming = messages::to(between, wants);
        for messages in outgoing.iter().chain(&incoming) {
            self.movers.compile(&prepared.host.gpu, wants, messages)?;
        }
        // Whole fields travel rarely, and would keep much memory.
        let are_halos = wants.iter().all(|want| want.valid != Valid::All);
        let ranks = (repeats && are_halos).then_some(ranks);
        let of_round = |messages: &[Vec<Message>], round: usize| messages.get(round).cloned().unwrap_or_default();
        (0..messages::rounds(between, wants))
            .map(|number| {
                let content = Content {
                    number,
                    wants,
                    outgoing: &of_round(&outgoing, number),
                    incoming: &of_round(&incoming, number),
                };
                Round::new(prepared, &self.movers, between, &content, ranks)
            })
            .collect()
    }

    /// Keeps the rounds of an exchange for the next time.
    pub fn keep(&mut self, between: Between, wants: Vec<Want>, rounds: Vec<Round>) {
        if between.repeats() {
            self.kept.insert(wants, rounds);
        }
    }
}
