//! Ranks as threads of one process.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, unbounded};

use super::Transport;
use super::failure::Failure;
use super::message::{Header, Route};

/// What one thread sends to another.
enum Message {
    Data(Vec<u8>),
    /// The rank with this number failed.
    Failed(usize, String),
    Ended,
}

/// One of several threads.
pub struct Threads {
    rank: usize,
    outboxes: Vec<Sender<(usize, Message)>>,
    inbox: Receiver<(usize, Message)>,
    /// Messages that have arrived, by sender.
    arrived: Vec<VecDeque<Vec<u8>>>,
    ended: Vec<bool>,
    failed: Option<(usize, String)>,
}

impl Threads {
    /// All threads, in order.
    pub fn all(count: usize) -> Vec<Threads> {
        let (outboxes, inboxes): (Vec<_>, Vec<_>) = (0..count).map(|_| unbounded()).unzip();
        let thread = |(rank, inbox)| Threads {
            rank,
            outboxes: outboxes.clone(),
            inbox,
            arrived: (0..count).map(|_| VecDeque::new()).collect(),
            ended: vec![false; count],
            failed: None,
        };
        inboxes.into_iter().enumerate().map(thread).collect()
    }

    fn send_to_all(&self, message: impl Fn() -> Message) {
        for (to, outbox) in self.outboxes.iter().enumerate() {
            if to != self.rank {
                // A rank that has ended needs no message.
                let _ = outbox.send((self.rank, message()));
            }
        }
    }

    fn note(&mut self, from: usize, message: Message) {
        match message {
            Message::Data(bytes) => self.arrived[from].push_back(bytes),
            Message::Failed(rank, cause) => {
                self.failed.get_or_insert((rank, cause));
                self.ended[from] = true;
            }
            Message::Ended => self.ended[from] = true,
        }
    }

    fn check_failed(&self) -> Result<(), Failure> {
        match &self.failed {
            None => Ok(()),
            Some((rank, cause)) => Err(Failure::Rank {
                rank: *rank,
                host: String::new(),
                cause: cause.clone(),
            }),
        }
    }

    /// The next message of a rank.
    fn message_of(&mut self, from: usize, header: &Header, patience: Duration) -> Result<Vec<u8>, Failure> {
        let deadline = Instant::now() + patience;
        loop {
            while let Ok((from, message)) = self.inbox.try_recv() {
                self.note(from, message);
            }
            self.check_failed()?;
            if let Some(bytes) = self.arrived[from].pop_front() {
                return Ok(bytes);
            }
            let (host, what) = (String::new(), header.what().to_string());
            if self.ended[from] {
                let rank = from;
                return Err(Failure::Ended { rank, host, what });
            }
            match self.inbox.recv_deadline(deadline) {
                Ok((from, message)) => self.note(from, message),
                Err(_) => {
                    return Err(Failure::Silent {
                        rank: from,
                        host,
                        seconds: patience.as_secs(),
                        what,
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
        patience: Duration,
    ) -> Result<(), Failure> {
        self.check_failed()?;
        for (to, bytes) in sends {
            // A rank that has ended is noticed where something of it is missing.
            let _ = self.outboxes[*to].send((self.rank, Message::Data(header.message(bytes))));
        }
        let began = Instant::now();
        for (from, bytes) in receives {
            let message = self.message_of(*from, header, patience.saturating_sub(began.elapsed()))?;
            let route = Route {
                own_rank: self.rank,
                from: *from,
                host: "",
            };
            header.unpack(&message, bytes, &route)?;
        }
        Ok(())
    }

    fn fail(&mut self, cause: &str) {
        if self.failed.is_none() {
            self.failed = Some((self.rank, cause.to_string()));
            self.send_to_all(|| Message::Failed(self.rank, cause.to_string()));
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // A rank that ends because another one failed passes the cause on: it may be the first to arrive.
        match &self.failed {
            Some((rank, cause)) => self.send_to_all(|| Message::Failed(*rank, cause.clone())),
            None => self.send_to_all(|| Message::Ended),
        }
    }
}
