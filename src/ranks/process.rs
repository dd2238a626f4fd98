//! One rank: exchange, gathering and agreement, on any transport.

use std::fmt::{self, Display};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::failure::{self, Agreed, Failure};
use super::message::Header;
use super::threads::Threads;
use super::transport::Transport;

/// This process among the ranks of a simulation. Clones share it.
#[derive(Clone)]
pub struct Ranks {
    inner: Arc<Mutex<Inner>>,
    rank: usize,
    count: usize,
}

struct Inner {
    transport: Box<dyn Transport>,
    /// Number of exchanges so far.
    sequence: u64,
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.count)
    }
}

impl Ranks {
    /// The rank of a transport.
    pub fn new(transport: Box<dyn Transport>) -> Ranks {
        let (rank, count) = (transport.rank(), transport.count());
        let inner = Inner {
            transport,
            sequence: 0,
        };
        Ranks {
            inner: Arc::new(Mutex::new(inner)),
            rank,
            count,
        }
    }

    /// Ranks as threads of this process, in order: one for each thread. For tests, and for several devices.
    pub fn threads(count: usize) -> Vec<Ranks> {
        let transports = Threads::all(count).into_iter();
        transports
            .map(|transport| Ranks::new(Box::new(transport)))
            .collect()
    }

    /// Number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks.
    pub fn count(&self) -> usize {
        self.count
    }

    /// True for rank 0, which writes all files but parts of those of outputs.
    pub fn is_root(&self) -> bool {
        self.rank == 0
    }

    /// Number of this rank among those of its host, from 0. It selects a device.
    pub fn local_rank(&self) -> usize {
        self.lock().transport.local_rank()
    }

    /// Name of the host of a rank; empty if all ranks share a process.
    pub fn host(&self, rank: usize) -> String {
        self.lock().transport.host(rank).to_string()
    }

    /// A rank as text: `rank 1 on node7`.
    pub fn name(&self, rank: usize) -> String {
        failure::name(rank, self.lock().transport.host(rank))
    }

    /// Sends to and receives from other ranks, by number, at the same time: at most one message for each rank and
    /// direction, and none to itself. A rank without messages must call this too, because calls are counted.
    ///
    /// `what` is for messages (`before `smooth` of step 12`); `digest` is a hash of all that determines the exchange. Both
    /// are compared where a message arrives. `timeout` limits the whole exchange.
    pub fn exchange(
        &self,
        what: &str,
        digest: u64,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        timeout: Duration,
    ) -> Result<(), Failure> {
        let mut inner = self.lock();
        inner.sequence += 1;
        let header = Header::new(inner.sequence, digest, what);
        inner.transport.exchange(&header, sends, receives, timeout)
    }

    /// The bytes of all ranks, in order, on every rank. They are small: texts, sizes. Two exchanges: lengths, bytes.
    pub fn gather(&self, what: &str, own: &[u8], timeout: Duration) -> Result<Vec<Vec<u8>>, Failure> {
        let length = (own.len() as u64).to_le_bytes();
        let lengths = self.exchange_all(what, 1, &length, vec![8; self.count], timeout)?;
        let lengths = lengths.iter().map(|bytes| {
            let bytes = bytes.as_slice().try_into().unwrap_or_default();
            u64::from_le_bytes(bytes) as usize
        });
        let lengths = lengths.collect();
        self.exchange_all(what, 2, own, lengths, timeout)
    }

    /// Sends `own` to all ranks, and receives the given number of bytes from each.
    fn exchange_all(
        &self,
        what: &str,
        digest: u64,
        own: &[u8],
        lengths: Vec<usize>,
        timeout: Duration,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let mut all: Vec<Vec<u8>> = lengths.into_iter().map(|length| vec![0; length]).collect();
        let others = |rank: &usize| *rank != self.rank;
        let sends: Vec<_> = (0..self.count).filter(others).map(|to| (to, own)).collect();
        let mut receives: Vec<_> = (all.iter_mut().enumerate())
            .filter(|(from, _)| others(from))
            .map(|(from, bytes)| (from, bytes.as_mut_slice()))
            .collect();
        self.exchange(what, digest, &sends, &mut receives, timeout)?;
        all[self.rank] = own.to_vec();
        Ok(all)
    }

    /// Compares how ranks got on: an error of one is an error on all. A rank with an error gets its own back; the others
    /// get the first error by rank, as a failure of that rank. All ranks call this.
    pub fn agree<T, E: Display>(
        &self,
        what: &str,
        own: Result<T, E>,
        timeout: Duration,
    ) -> Result<T, Agreed<E>> {
        let text = match &own {
            Ok(_) => String::new(),
            // An error without a text is an error too.
            Err(error) => format!("!{error}"),
        };
        let all = self.gather(what, text.as_bytes(), timeout);
        let own = own.map_err(Agreed::Own)?;
        let all = all.map_err(Agreed::Other)?;
        match all.iter().enumerate().find(|(_, text)| !text.is_empty()) {
            None => Ok(own),
            Some((rank, text)) => Err(Agreed::Other(Failure::Rank {
                rank,
                host: self.host(rank),
                cause: String::from_utf8_lossy(&text[1..]).into_owned(),
            })),
        }
    }

    /// An error if a rank has failed, as far as its report has arrived. Does not wait.
    pub fn check(&self) -> Result<(), Failure> {
        self.lock().transport.check()
    }

    /// Reports to all ranks that this one has failed, and why. Does not wait. A rank that waits in an exchange, or enters one
    /// later, gets a failure of this rank.
    pub fn fail(&self, cause: &str) {
        self.lock().transport.fail(cause);
    }

    /// Reports the end of this rank to all others, and waits for their reports. Returns false if one is missing after the
    /// timeout.
    #[cfg(feature = "mpi")]
    pub(super) fn close(&self, timeout: Duration) -> bool {
        self.lock().transport.close(timeout)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
