//! The messages of a round, and the ways between its ranks.

use std::ops::Range;

use crate::plan::Want;

use super::messages::Message;

/// Another rank in a round, with the places of its messages in the buffers.
pub struct Peer {
    pub rank: usize,
    pub to: Range<usize>,
    pub from: Range<usize>,
    pub way: Way,
}

/// The way of messages between two ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From device to device.
    Direct,
    /// Through shared memory of the host.
    Window,
    /// By a message between the ranks.
    Message,
}

impl Peer {
    /// True if the device of the receiver reads the messages where they are, so that only news travels.
    pub fn is_shared(&self) -> bool {
        self.way != Way::Message
    }
}

/// The messages of a round to and from all other ranks, and the fields that they serve.
pub struct Content<'a> {
    /// The number of the round in its exchange.
    pub number: usize,
    pub wants: &'a [Want],
    pub outgoing: &'a [Message],
    pub incoming: &'a [Message],
}

impl Content<'_> {
    /// The ranks with messages in any direction, in order.
    pub fn peers(&self) -> Vec<usize> {
        let all = self.outgoing.iter().chain(self.incoming);
        let mut ranks: Vec<usize> = all.map(|message| message.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }
}

/// Bytes of all messages in a buffer.
pub fn end(messages: &[Message]) -> u64 {
    messages.last().map_or(0, |last| last.first + last.bytes)
}

/// The place of the message with a rank in the buffer of all messages.
pub fn place(messages: &[Message], rank: usize) -> Range<usize> {
    let found = messages.iter().find(|message| message.rank == rank);
    found.map_or(0..0, |of| of.first as usize..(of.first + of.bytes) as usize)
}
