//! The interface of the carriers of messages.

use std::time::Duration;

use super::failure::Failure;
use super::message::Header;

/// Messages between the ranks of one simulation.
pub trait Transport: Send {
    /// Number of this rank.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn count(&self) -> usize;

    /// Number of this rank among those of its host.
    fn local_rank(&self) -> usize;

    /// Name of the host of a rank; empty if all ranks share a process.
    fn host(&self, rank: usize) -> &str;

    /// Sends to and receives from other ranks at the same time, with at most one message for each rank and direction, and
    /// none to itself. Each message carries the header. Every rank makes the same calls with matching lengths: another
    /// header or length is a failure. `timeout` limits the whole exchange.
    fn exchange(
        &mut self,
        header: &Header,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        timeout: Duration,
    ) -> Result<(), Failure>;

    /// An error if a rank has failed, as far as its report has arrived. Does not wait.
    fn check(&mut self) -> Result<(), Failure>;

    /// Reports to all ranks that this one has failed. Does not wait. Exchanges of all ranks fail from then on.
    fn fail(&mut self, cause: &str);

    /// Reports the end of this rank to all others, and waits for their reports. Returns false if one is missing after the
    /// timeout. No exchange follows.
    #[cfg(feature = "mpi")]
    fn close(&mut self, timeout: Duration) -> bool {
        let _ = timeout;
        true
    }
}
