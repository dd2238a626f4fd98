//! The kept round of an exchange of ghosts.

use super::round::Round;

/// A round with room for the ghosts of all ranks.
pub struct Ghosts {
    /// The room for those that each rank sends to the ranks below and above.
    pub room: Vec<[u64; 2]>,
    /// `None` while it is in use.
    pub round: Option<Round>,
}

impl Ghosts {
    /// True if it has room for these numbers of ghosts.
    pub fn has_room(&self, counts: &[[u64; 2]]) -> bool {
        let mut pairs = self.room.iter().flatten().zip(counts.iter().flatten());
        self.round.is_some() && pairs.all(|(room, count)| count <= room)
    }
}
