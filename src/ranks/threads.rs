//! Ranks as threads of one process.

use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, unbounded};

use super::failure::Failure;
use super::inbox::{Inbox, Message};
use super::message::{Header, Route};
use super::transport::Transport;

/// One of several threads.
pub struct Threads {
    rank: usize,
    outboxes: Vec<Sender<(usize, Message)>>,
    incoming: Receiver<(usize, Message)>,
    inbox: Inbox,
}

impl Threads {
    /// All threads, in order.
    pub fn all(count: usize) -> Vec<Threads> {
        let (outboxes, incoming): (Vec<_>, Vec<_>) = (0..count).map(|_| unbounded()).unzip();
        let thread = |(rank, incoming)| Threads {
            rank,
            outboxes: outboxes.clone(),
            incoming,
            inbox: Inbox::new(count),
        };
        incoming.into_iter().enumerate().map(thread).collect()
    }

    fn send_to_all(&self, message: impl Fn() -> Message) {
        for (to, outbox) in self.outboxes.iter().enumerate() {
            if to != self.rank {
                // A rank that has ended needs no message.
                let _ = outbox.send((self.rank, message()));
            }
        }
    }

    /// Waits for the next message of a rank.
    fn receive(&mut self, from: usize, what: &str, timeout: Duration) -> Result<Vec<u8>, Failure> {
        let deadline = Instant::now() + timeout;
        loop {
            self.check()?;
            if let Some(bytes) = self.inbox.take(from, what, &[])? {
                return Ok(bytes);
            }
            match self.incoming.recv_deadline(deadline) {
                Ok((from, message)) => self.inbox.note(from, message),
                Err(_) => {
                    return Err(Failure::Silent {
                        rank: from,
                        host: String::new(),
                        seconds: timeout.as_secs(),
                        what: what.to_string(),
                    });
                }
            }
        }
    }
}

impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.outboxes.len()
    }

    fn local_rank(&self) -> usize {
        self.rank
    }

    fn host(&self, _rank: usize) -> &str {
        ""
    }

    fn exchange(
        &mut self,
        header: &Header,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        timeout: Duration,
    ) -> Result<(), Failure> {
        self.inbox.check(&[])?;
        for (to, bytes) in sends {
            // A rank that has ended is noticed where one of its messages is missing.
            let _ = self.outboxes[*to].send((self.rank, Message::Data(header.message(bytes))));
        }
        let began = Instant::now();
        for (from, bytes) in receives {
            let left = timeout.saturating_sub(began.elapsed());
            let message = self.receive(*from, header.what(), left)?;
            let route = Route {
                own_rank: self.rank,
                from: *from,
                host: "",
            };
            header.unpack(&message, bytes, &route)?;
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), Failure> {
        while let Ok((from, message)) = self.incoming.try_recv() {
            self.inbox.note(from, message);
        }
        self.inbox.check(&[])
    }

    fn fail(&mut self, cause: &str) {
        if self.inbox.failed().is_none() {
            let failed = || Message::Failed(self.rank, cause.to_string());
            self.send_to_all(failed);
            self.inbox.note(self.rank, failed());
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // A rank that ends because another one failed passes the cause on: its message may be the first to arrive.
        if let Some((rank, cause)) = self.inbox.failed() {
            self.send_to_all(|| Message::Failed(*rank, cause.clone()));
        }
        self.send_to_all(|| Message::Ended);
    }
}
