//! One message between each two ranks, for which their devices wait: see [`super::signals`].

use std::sync::Arc;

use crate::gpu::{Buffer, BufferKind, ComputePipeline};
use crate::plan::Want;
use crate::ranks::Ranks;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::content::Content;
use super::messages::{Between, Message};
use super::pieces::Movers;
use super::relay::{Inlet, Relay};
use super::signal_parts::{COPIED, ENDED, Parts, Signalled, Use, words, words_bytes};
use super::signal_ways::{Length, Ways};
use super::windows::Windows;

/// An exchange that steps repeat.
pub struct SignalRound {
    /// Even and odd ones. `None` if this rank exchanges nothing.
    of_uses: Option<[Use; 2]>,
    uses: u32,
    words: Buffer,
    /// The way of long messages.
    inlet: Option<Arc<Inlet>>,
    /// Other ranks open its memory as long as it lives.
    _windows: Windows,
}

impl SignalRound {
    /// Prepares an exchange with one round. `None` if ranks lack memory that all their devices access. All ranks must call it.
    pub fn new(
        prepared: &Prepared,
        movers: &Movers,
        post: &ComputePipeline,
        between: Between,
        (content, length): (&Content, Length),
        ranks: &Ranks,
    ) -> Result<Option<SignalRound>, RunError> {
        let Some(ways) = Ways::open(prepared, ranks, content, length)? else {
            return Ok(None);
        };
        let sources = ways.sources(between, content);
        let gpu = &prepared.host.gpu;
        let own = gpu.buffer("words of signals", words_bytes(sources.len()), BufferKind::Upload)?;
        let awaited: Vec<u64> = match length {
            Length::Short => (sources.iter())
                .map(|source| source.window.address() + source.signal)
                .collect(),
            _ => vec![own.address() + COPIED],
        };
        own.write(0, &words(ways.signal(content), &awaited))?;
        let record = |packed| {
            let parts = Parts {
                prepared,
                movers,
                post,
                content,
                sources: &sources,
                packed,
                words: &own,
            };
            Ok::<_, RunError>([parts.of_use(0)?, parts.of_use(1)?])
        };
        let of_uses = ways.packed().map(record).transpose()?;
        let (windows, direct) = ways.into_parts();
        let inlet = direct.map(|direct| Inlet {
            signals: (sources.iter())
                .map(|source| (source.window.clone(), source.signal))
                .collect(),
            direct,
            arrivals: [0, 1].map(|uses| sources.iter().map(|source| source.arrival(uses)).collect()),
            word: (own.clone(), COPIED),
            timeout: prepared.options.timeout,
        });
        Ok(Some(SignalRound {
            of_uses,
            uses: 0,
            words: own,
            inlet: inlet.map(Arc::new),
            _windows: windows,
        }))
    }

    /// Takes other pieces for the next use, of messages that leave and that arrive: of the same wants, at most as many and as long. The
    /// last use but one must have ended.
    pub fn refill(&self, prepared: &Prepared, wants: &[Want], all: [&[Message]; 2]) -> Result<(), RunError> {
        let next = self.uses.wrapping_add(1) as usize % 2;
        (self.of_uses.iter()).try_for_each(|of_uses| of_uses[next].refill(prepared, wants, all))
    }

    /// The recordings of the next use: what may run while messages travel belongs between them. `None` if this rank exchanges
    /// nothing.
    pub fn take(&mut self, relay: &Relay) -> Option<Signalled> {
        self.uses = self.uses.wrapping_add(1);
        if let Some(inlet) = &self.inlet {
            relay.expect(inlet, self.uses);
        }
        let of_uses = self.of_uses.as_ref()?;
        Some(of_uses[self.uses as usize % 2].recordings.clone())
    }

    /// Ends all waits of the device, of this use and of later ones.
    pub fn end(&self) {
        // A device that is lost waits for nothing.
        let _ = self.words.write(ENDED, &1u32.to_le_bytes());
    }

    #[cfg(feature = "internals")]
    pub fn uses(&self) -> u64 {
        self.uses.into()
    }
}
