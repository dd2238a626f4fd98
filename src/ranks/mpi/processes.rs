//! The transport of messages over MPI.

use std::collections::BTreeSet;
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use ::mpi::environment::processor_name;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::Communicator;

use super::super::failure::Failure;
use super::super::inbox::{Inbox, Message};
use super::super::message::{Header, Route};
use super::super::transport::Transport;
use super::calls::{Open, arrived, receive, send};

/// Kinds of messages, as tags of MPI.
const DATA: i32 = 1;
const FAILED: i32 = 2;
const ENDED: i32 = 3;

/// Time without a message after which a rank sleeps between two looks. MPI moves long messages piece by piece while
/// processes look.
const AWAKE: Duration = Duration::from_millis(100);
const SLEEP: Duration = Duration::from_micros(20);

/// Time limit of the first exchange.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Longest name of a host.
const MAX_NAME: usize = 256;

/// All processes, seen by one of them.
pub struct Processes {
    rank: usize,
    hosts: Vec<String>,
    local_rank: usize,
    /// In the order in which messages of each sender were found.
    receiving: Vec<Open>,
    sending: Vec<Open>,
    inbox: Inbox,
    closed: bool,
}

impl Processes {
    /// The processes of a communicator. Waits for all of them.
    pub fn of(world: &SimpleCommunicator) -> Result<Processes, Failure> {
        let (rank, count) = (world.rank() as usize, world.size() as usize);
        let mut processes = Processes {
            rank,
            hosts: vec![String::new(); count],
            local_rank: 0,
            receiving: Vec::new(),
            sending: Vec::new(),
            inbox: Inbox::new(count),
            closed: false,
        };
        processes.name_hosts()?;
        Ok(processes)
    }

    /// Asks all ranks for the names of their hosts, and derives the local rank. A rank that has all names may have failed
    /// since; it is heard in the next exchange, when all ranks are able to end in order.
    fn name_hosts(&mut self) -> Result<(), Failure> {
        let own = processor_name().unwrap_or_default();
        let mut bytes = own.clone().into_bytes();
        bytes.resize(MAX_NAME, 0);
        let header = Header::new(0, 0, "at the start");
        for to in self.others() {
            self.sending.push(send(to, DATA, header.message(&bytes))?);
        }
        let began = Instant::now();
        for from in self.others() {
            let mut message = None;
            self.wait(began, TIMEOUT, |own| {
                message = own.inbox.next(from);
                Ok(message.is_some())
            })?;
            let message = message.ok_or_else(|| self.silent(from, &header, TIMEOUT))?;
            let mut name = [0; MAX_NAME];
            let route = Route {
                own_rank: self.rank,
                from,
                host: "",
            };
            header.unpack(&message, &mut name, &route)?;
            let length = name.iter().position(|byte| *byte == 0).unwrap_or(MAX_NAME);
            self.hosts[from] = String::from_utf8_lossy(&name[..length]).into_owned();
        }
        self.local_rank = self.hosts[..self.rank]
            .iter()
            .filter(|host| **host == own)
            .count();
        self.hosts[self.rank] = own;
        Ok(())
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let rank = self.rank;
        (0..self.hosts.len()).filter(move |other| *other != rank)
    }

    fn send_to_all(&mut self, tag: i32, bytes: &[u8]) {
        for to in self.others() {
            // Too long a text is no reason to end.
            if let Ok(open) = send(to, tag, bytes.to_vec()) {
                self.sending.push(open);
            }
        }
    }

    /// Receives what has arrived and frees what was sent. False if nothing happened.
    fn progress(&mut self) -> bool {
        let mut happened = false;
        while let Some(found) = arrived() {
            self.receiving.push(receive(found));
        }
        let sending = std::mem::take(&mut self.sending);
        for mut open in sending {
            if open.is_done() {
                open.finished();
                happened = true;
            } else {
                self.sending.push(open);
            }
        }
        // Messages of one sender stay in order, except for failures.
        let mut unfinished = BTreeSet::new();
        for mut open in std::mem::take(&mut self.receiving) {
            let in_order = !unfinished.contains(&open.rank) || open.tag == FAILED;
            if open.is_done() && in_order {
                let (from, tag) = (open.rank, open.tag);
                self.inbox.note(from, message(tag, open.finished()));
                happened = true;
            } else {
                unfinished.insert(open.rank);
                self.receiving.push(open);
            }
        }
        happened
    }

    /// Calls a function until it returns true, receiving and sending in between: false if time is up first.
    fn wait(
        &mut self,
        began: Instant,
        timeout: Duration,
        mut done: impl FnMut(&mut Processes) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        let mut last = Instant::now();
        loop {
            if self.progress() {
                last = Instant::now();
            }
            if done(self)? {
                return Ok(true);
            }
            if began.elapsed() > timeout {
                return Ok(false);
            }
            if last.elapsed() < AWAKE {
                yield_now();
            } else {
                sleep(SLEEP);
            }
        }
    }

    fn silent(&self, rank: usize, header: &Header, timeout: Duration) -> Failure {
        Failure::Silent {
            rank,
            host: self.hosts[rank].clone(),
            seconds: timeout.as_secs(),
            what: header.what().to_string(),
        }
    }
}

/// Takes a message apart. A message of failure is the number of the rank that failed, as `u64`, and its cause.
fn message(tag: i32, bytes: Vec<u8>) -> Message {
    match tag {
        DATA => Message::Data(bytes),
        FAILED => {
            let (rank, cause) = bytes.split_first_chunk().unwrap_or((&[0; 8], &[]));
            let cause = String::from_utf8_lossy(cause).into_owned();
            Message::Failed(u64::from_le_bytes(*rank) as usize, cause)
        }
        _ => Message::Ended,
    }
}

impl Transport for Processes {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.hosts.len()
    }

    fn local_rank(&self) -> usize {
        self.local_rank
    }

    fn host(&self, rank: usize) -> &str {
        &self.hosts[rank]
    }

    fn exchange(
        &mut self,
        header: &Header,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        timeout: Duration,
    ) -> Result<(), Failure> {
        if self.closed {
            let cause = "MPI has ended".to_string();
            return Err(Failure::Transport { cause });
        }
        self.inbox.check(&self.hosts)?;
        for (to, bytes) in sends {
            let open = send(*to, DATA, header.message(bytes))?;
            self.sending.push(open);
        }
        let began = Instant::now();
        for (from, bytes) in receives {
            let from = *from;
            let mut message = None;
            let arrived = self.wait(began, timeout, |own| {
                message = own.inbox.take(from, header.what(), &own.hosts)?;
                Ok(message.is_some())
            })?;
            let Some(message) = message.filter(|_| arrived) else {
                return Err(self.silent(from, header, timeout));
            };
            let route = Route {
                own_rank: self.rank,
                from,
                host: &self.hosts[from],
            };
            header.unpack(&message, bytes, &route)?;
        }
        let sent = self.wait(began, timeout, |own| {
            own.inbox.check(&own.hosts)?;
            Ok(own.sending.is_empty())
        })?;
        match self.sending.first() {
            Some(open) if !sent => Err(self.silent(open.rank, header, timeout)),
            _ => Ok(()),
        }
    }

    fn check(&mut self) -> Result<(), Failure> {
        self.progress();
        self.inbox.check(&self.hosts)
    }

    fn fail(&mut self, cause: &str) {
        if self.inbox.failed().is_none() && !self.closed {
            let mut bytes = (self.rank as u64).to_le_bytes().to_vec();
            bytes.extend_from_slice(cause.as_bytes());
            self.send_to_all(FAILED, &bytes);
            self.inbox
                .note(self.rank, Message::Failed(self.rank, cause.to_string()));
            self.progress();
        }
    }

    fn close(&mut self, timeout: Duration) -> bool {
        if !self.closed {
            self.send_to_all(ENDED, &[]);
        }
        self.closed = true;
        // The last message of a rank comes after all others: when each has arrived, no send of any rank is open for long.
        let ended = self.wait(Instant::now(), timeout, |own| {
            let all = own.others().all(|other| own.inbox.has_ended(other));
            Ok(all && own.sending.is_empty() && own.receiving.is_empty())
        });
        ended.unwrap_or(false)
    }
}
