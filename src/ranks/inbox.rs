//! Messages that have arrived at a rank, in the order of each sender.

use std::collections::VecDeque;

use super::failure::Failure;

/// A message between ranks.
pub enum Message {
    /// A part of an exchange: header and content.
    Data(Vec<u8>),
    /// The rank with this number failed.
    Failed(usize, String),
    /// The sender ends: this is its last message.
    Ended,
}

/// The messages for one rank.
#[derive(Debug)]
pub struct Inbox {
    arrived: Vec<VecDeque<Vec<u8>>>,
    ended: Vec<bool>,
    failed: Option<(usize, String)>,
}

impl Inbox {
    /// An empty inbox of one of `count` ranks.
    pub fn new(count: usize) -> Inbox {
        Inbox {
            arrived: (0..count).map(|_| VecDeque::new()).collect(),
            ended: vec![false; count],
            failed: None,
        }
    }

    /// Takes in a message.
    pub fn note(&mut self, from: usize, message: Message) {
        match message {
            Message::Data(bytes) => self.arrived[from].push_back(bytes),
            Message::Failed(rank, cause) => {
                self.failed.get_or_insert((rank, cause));
            }
            Message::Ended => self.ended[from] = true,
        }
    }

    /// The first failure that this rank knows of: the number of the rank that failed, and the cause.
    pub fn failed(&self) -> Option<&(usize, String)> {
        self.failed.as_ref()
    }

    /// True if a rank has sent its last message.
    #[cfg(feature = "mpi")]
    pub fn has_ended(&self, rank: usize) -> bool {
        self.ended[rank]
    }

    /// An error if a rank failed. `hosts` are the names of the hosts by rank; empty if all ranks share a process.
    pub fn check(&self, hosts: &[String]) -> Result<(), Failure> {
        match &self.failed {
            None => Ok(()),
            Some((rank, cause)) => Err(Failure::Rank {
                rank: *rank,
                host: hosts.get(*rank).cloned().unwrap_or_default(),
                cause: cause.clone(),
            }),
        }
    }

    /// The next message of a rank, if it has arrived, whatever failed.
    #[cfg(feature = "mpi")]
    pub fn next(&mut self, from: usize) -> Option<Vec<u8>> {
        self.arrived[from].pop_front()
    }

    /// The next message of a rank in the exchange `what`, if it has arrived.
    pub fn take(&mut self, from: usize, what: &str, hosts: &[String]) -> Result<Option<Vec<u8>>, Failure> {
        self.check(hosts)?;
        match self.arrived[from].pop_front() {
            None if self.ended[from] => Err(Failure::Ended {
                rank: from,
                host: hosts.get(from).cloned().unwrap_or_default(),
                what: what.to_string(),
            }),
            message => Ok(message),
        }
    }
}
