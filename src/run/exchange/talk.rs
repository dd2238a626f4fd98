//! Small messages by which ranks agree on how an exchange is made.

use std::time::Duration;

use crate::ranks::{Failure, Ranks};

/// An agreement with the other ranks of a round.
pub struct Talk<'a> {
    pub what: &'a str,
    pub ranks: &'a Ranks,
    pub peers: &'a [usize],
    pub timeout: Duration,
}

impl Talk<'_> {
    /// True if another rank is on the host of this one.
    pub fn is_near(&self, peer: usize) -> bool {
        self.ranks.host(peer) == self.ranks.host(self.ranks.rank())
    }

    /// Sends each of the other ranks its bytes, and returns what they send.
    pub fn swap<const N: usize>(&self, digest: u64, own: &[[u8; N]]) -> Result<Vec<[u8; N]>, Failure> {
        let mut all = vec![[0; N]; self.peers.len()];
        let sends: Vec<(usize, &[u8])> = (self.peers.iter().zip(own))
            .map(|(to, bytes)| (*to, &bytes[..]))
            .collect();
        let mut receives: Vec<(usize, &mut [u8])> = (self.peers.iter().zip(&mut all))
            .map(|(from, bytes)| (*from, &mut bytes[..]))
            .collect();
        (self.ranks).exchange(self.what, digest, &sends, &mut receives, self.timeout)?;
        Ok(all)
    }
}
