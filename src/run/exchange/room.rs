//! The kept rounds of an exchange of ghosts.

use super::round::Round;
use super::signal_round::SignalRound;

/// Rounds with room for the ghosts of all ranks.
pub struct Ghosts<R> {
    /// The room for those that each rank sends to the ranks below and above.
    pub room: Vec<[u64; 2]>,
    pub round: R,
}

/// `None` while it is in use.
pub type HostGhosts = Ghosts<Option<Round>>;

/// `None` if devices cannot wait for each other.
pub type SignalGhosts = Ghosts<Option<SignalRound>>;

impl<R> Ghosts<R> {
    /// True if there is room for these numbers of ghosts.
    pub fn has_room(&self, counts: &[[u64; 2]]) -> bool {
        let mut pairs = self.room.iter().flatten().zip(counts.iter().flatten());
        pairs.all(|(room, count)| count <= room)
    }
}
