//! Why ranks cannot continue together.

use std::fmt::{self, Display};

/// Why an exchange failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A rank failed, and said why.
    #[error("{} failed: {cause}", name(*rank, host))]
    Rank {
        rank: usize,
        host: String,
        cause: String,
    },

    /// A rank ended without a word.
    #[error("{} ended, in the exchange {what}", name(*rank, host))]
    Ended { rank: usize, host: String, what: String },

    /// A rank sent nothing in time, or received nothing of what was sent to it.
    #[error(
        "{} did not answer for {seconds} s, in the exchange {what}\n  help: it may hang; raise --timeout if it is only slow",
        name(*rank, host)
    )]
    Silent {
        rank: usize,
        host: String,
        seconds: u64,
        what: String,
    },

    /// Ranks make different exchanges.
    #[error("{} exchanges {theirs}, rank {own_rank} {own}: they no longer compute the same", name(*rank, host))]
    Mismatch {
        rank: usize,
        host: String,
        theirs: String,
        own_rank: usize,
        own: String,
    },

    /// A message has another length than the receiver expects.
    #[error(
        "{} sent {sent} bytes to rank {own_rank}, which expects {expected}, in the exchange {what}",
        name(*rank, host)
    )]
    Length {
        rank: usize,
        host: String,
        sent: u64,
        own_rank: usize,
        expected: u64,
        what: String,
    },

    /// The messages themselves failed.
    #[error("messages between ranks failed: {cause}")]
    Transport { cause: String },
}

/// A rank as text. Ranks that share a process have no host.
pub(super) fn name(rank: usize, host: &str) -> String {
    match host {
        "" => format!("rank {rank}"),
        host => format!("rank {rank} on {host}"),
    }
}

/// An error that all ranks know of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreed<E> {
    /// The error of this rank.
    Own(E),
    /// The error of another rank, or of the agreement.
    Other(Failure),
}

impl<E: Display> Display for Agreed<E> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Agreed::Own(error) => error.fmt(f),
            Agreed::Other(failure) => failure.fmt(f),
        }
    }
}
