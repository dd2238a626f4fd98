//! The ways of messages for which devices wait: see [`super::signals`].

use std::ops::Range;

use crate::gpu::Buffer;
use crate::ranks::Ranks;
use crate::run::error::RunError;
use crate::run::prepared::Prepared;

use super::content::{Content, end, place};
use super::messages::{self, Between, Message};
use super::peers::{Arrival, Peers, stride};
use super::windows::{Windows, half};

/// The longest messages that devices read in memory of the host, in bytes: NVLink copies longer ones sooner.
const SHORT: u64 = 512 << 10;
/// The longest messages for which devices wait. Memory for two of each is kept, and a wait of the host hardly counts beside longer
/// ones.
const LONG: u64 = 64 << 20;

/// The length of the messages of an exchange, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// All ranks send at most [`SHORT`].
    Short,
    /// All ranks send at most [`LONG`].
    Long,
    /// More than that, more than the limit, or several messages.
    TooLong,
}

/// The length of the messages of an exchange, equal on all ranks.
pub fn length(between: Between, content: &Content, limit: u64) -> Length {
    let of_rank = |rank| {
        let rounds = messages::from(Between { rank, ..between }, content.wants);
        match &rounds[..] {
            [] => 0,
            [messages] => end(messages),
            _ => u64::MAX,
        }
    };
    let longest = (0..between.partition.ranks()).map(of_rank).max().unwrap_or(0);
    if longest > limit.min(LONG) {
        Length::TooLong
    } else if longest > SHORT {
        Length::Long
    } else {
        Length::Short
    }
}

/// The memory through which the messages of a round pass.
pub struct Ways {
    windows: Windows,
    /// For long messages; only their signals are in the windows.
    direct: Option<Peers>,
}

/// The messages of another rank.
pub struct Source {
    pub rank: usize,
    /// The buffer in which this device finds them, and their first bytes in even and odd uses.
    pub buffer: Buffer,
    pub here: [u64; 2],
    /// Their bytes in the memory of the sender.
    there: [Range<u64>; 2],
    /// Its window, and the byte of its signal.
    pub window: Buffer,
    pub signal: u64,
}

impl Source {
    /// The copy of a use.
    pub fn arrival(&self, uses: usize) -> Arrival {
        (self.rank, self.there[uses].clone(), self.here[uses])
    }
}

impl Ways {
    /// Agrees with all ranks, which must call it. `None` if some lack memory that all their devices access.
    pub fn open(
        prepared: &Prepared,
        ranks: &Ranks,
        content: &Content,
        length: Length,
    ) -> Result<Option<Ways>, RunError> {
        let gpu = &prepared.host.gpu;
        let (peers, timeout) = (content.peers(), prepared.options.exchange_timeout());
        let [out, into] = [content.outgoing, content.incoming].map(|messages| stride(end(messages)));
        let of_window = |bytes: u64| if peers.is_empty() { 0 } else { bytes + 4 };
        let ways = if length == Length::Short {
            Ways {
                windows: Windows::open_for_kernels(gpu, ranks, &peers, of_window(2 * out), timeout)?,
                direct: None,
            }
        } else {
            Ways {
                windows: Windows::open(gpu, ranks, &peers, of_window(0), timeout)?,
                direct: Some(Peers::open(gpu, ranks, &peers, [out, 2 * into], timeout)?),
            }
        };
        if let Some(window) = ways.windows.own() {
            (prepared.host).run_once("clear signals", |recorder| recorder.fill(window, 0))?;
        }
        let works = peers.iter().all(|rank| ways.reach(*rank));
        let answers = ranks.gather("of windows", &[u8::from(works)], timeout)?;
        Ok((answers.iter().all(|answer| answer == &[1])).then_some(ways))
    }

    fn reach(&self, rank: usize) -> bool {
        let is_direct = self.direct.as_ref().is_none_or(|direct| direct.has(rank));
        self.windows.with(rank).is_some() && is_direct
    }

    /// The buffer for packed messages; `None` if this rank exchanges nothing.
    pub fn packed(&self) -> Option<&Buffer> {
        match self.direct.as_ref().and_then(Peers::buffers) {
            Some([packed, _]) => Some(packed),
            None => self.windows.own(),
        }
    }

    /// The address of the own signal.
    pub fn signal(&self, content: &Content) -> u64 {
        let window = self.windows.own().map_or(0, Buffer::address);
        window + self.signal_after(content.outgoing)
    }

    /// The byte of the signal in a window.
    fn signal_after(&self, messages: &[Message]) -> u64 {
        match self.direct {
            Some(_) => 0,
            None => 2 * stride(end(messages)),
        }
    }

    /// Where this rank finds the messages of others.
    pub fn sources(&self, between: Between, content: &Content) -> Vec<Source> {
        let arrived = (self.direct.as_ref().and_then(Peers::buffers)).map(|[_, arrived]| arrived);
        let source = |rank: usize| {
            let (_, window) = self.windows.with(rank)?;
            let rounds = messages::from(Between { rank, ..between }, content.wants);
            let sent = rounds.into_iter().next().unwrap_or_default();
            let range = place(&sent, between.rank);
            let there = [0, 1].map(|uses| half(&range, stride(end(&sent)), uses));
            let own = place(content.incoming, rank);
            let into = stride(end(content.incoming));
            Some(Source {
                rank,
                buffer: arrived.unwrap_or(window).clone(),
                here: match arrived {
                    Some(_) => [0, 1].map(|uses| half(&own, into, uses).start),
                    None => there.each_ref().map(|range| range.start),
                },
                there,
                window: window.clone(),
                signal: self.signal_after(&sent),
            })
        };
        content.peers().into_iter().filter_map(source).collect()
    }

    /// The windows, which other ranks open as long as they live, and the way of long messages.
    pub fn into_parts(self) -> (Windows, Option<Peers>) {
        (self.windows, self.direct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Layout, Partition, Valid};
    use crate::plan::{Particles, Want};
    use crate::run::probe::Spoil;

    /// The length of an exchange on two ranks of a field with n^3 words.
    fn length_of(n: u64, valid: Valid, limit: u64) -> Length {
        let partition = Partition::new([n; 3], [1, 1, 2], 1);
        let particles = Particles::default();
        let between = Between {
            partition: &partition,
            particles: &particles,
            rank: 0,
            to: None,
            spoil: Spoil::None,
            runs: None,
        };
        let layout = Layout {
            sides: [n; 3],
            entries: 1,
            bytes: 4,
            scale: Default::default(),
            owners: Default::default(),
            division: Default::default(),
        };
        let want = Want {
            at: (0, 0),
            valid,
            owners: Default::default(),
            layout,
        };
        let content = Content {
            number: 0,
            wants: &[want],
            outgoing: &[],
            incoming: &[],
        };
        length(between, &content, limit)
    }

    #[test]
    fn length_depends_on_the_longest_message_of_all_ranks() {
        // Both surfaces of a part: two planes of 256 x 256 words have 512 KiB.
        assert_eq!(length_of(256, Valid::Depth(1), u64::MAX), Length::Short);
        assert_eq!(length_of(260, Valid::Depth(1), u64::MAX), Length::Long);
        assert_eq!(length_of(256, Valid::Depth(2), u64::MAX), Length::Long);
        // Half of a field: 32 MiB, more than 64 MiB, and more than one message.
        assert_eq!(length_of(256, Valid::All, u64::MAX), Length::Long);
        assert_eq!(length_of(336, Valid::All, u64::MAX), Length::TooLong);
        assert_eq!(length_of(1024, Valid::All, u64::MAX), Length::TooLong);
        assert_eq!(length_of(256, Valid::Depth(1), 1000), Length::TooLong);
        assert_eq!(length_of(256, Valid::Depth(1), 0), Length::TooLong);
    }
}
