//! A simulation as one of several ranks: exchanges of halos before segments, and whole fields for outputs.

use std::time::Instant;

use crate::gpu::Recording;
use crate::ir::{FieldId, Partition, ResourceId};
use crate::plan::schedule::FieldCopy;
use crate::plan::{Lane, List, Particles, Touched, Want};
use crate::ranks::Ranks;

use super::super::error::RunError;
use super::super::exchange::{Between, Round};
use super::super::probe::Spoil;
use super::super::trace::TraceRow;
use super::Simulation;

impl Simulation {
    /// The exchanges before a segment of a list, in a pass that starts after `steps` steps.
    pub(super) fn wanted(&self, list: List, number: usize, steps: u64) -> Vec<Want> {
        let (plan, pipeline) = (&self.prepared.plan, &self.prepared.pipeline);
        self.ranked.as_ref().map_or(Vec::new(), |ranked| {
            (ranked.halos).wants(pipeline, plan, (list, number), steps)
        })
    }

    /// Notes that a segment was queued.
    pub(super) fn left(&mut self, list: List, number: usize, steps: u64) {
        let (plan, pipeline) = (&self.prepared.plan, &self.prepared.pipeline);
        if let Some(ranked) = &mut self.ranked {
            (ranked.halos).ran(pipeline, plan, &plan.segments(list)[number], steps);
        }
    }

    /// Completes the newest values of fields on rank 0, for outputs and hashes. All ranks must call it.
    pub fn gather(&mut self, fields: &[FieldId]) -> Result<(), RunError> {
        let copies: Vec<FieldCopy> = fields.iter().map(|field| self.newest(*field)).collect();
        self.gather_copies(copies)
    }

    /// Completes the newest values of fields in the part of each rank, for files to which each writes its part. All ranks must
    /// call it.
    pub fn complete_parts(&mut self, fields: &[FieldId]) -> Result<(), RunError> {
        let copies: Vec<FieldCopy> = fields.iter().map(|field| self.newest(*field)).collect();
        let Some(ranked) = &self.ranked else { return Ok(()) };
        let wants = ranked.halos.lacking(&self.prepared.pipeline, copies);
        self.exchange(wants, None, &format!("after step {}", self.steps))
    }

    /// Completes copies of fields on rank 0, which holds all of them.
    pub(super) fn gather_copies(&mut self, copies: Vec<FieldCopy>) -> Result<(), RunError> {
        let Some(ranked) = &self.ranked else { return Ok(()) };
        let wants = ranked.halos.missing(copies);
        // Shares that only rank 0 adds up would count twice later.
        let (shares, others): (Vec<_>, Vec<_>) = wants.into_iter().partition(Want::is_of_shares);
        let what = format!("after step {}", self.steps);
        self.exchange(shares, None, &what)?;
        self.exchange(others, Some(0), &what)
    }

    /// Completes the newest values of a field on all ranks, which must call it.
    pub(super) fn complete(&mut self, field: FieldId) -> Result<(), RunError> {
        let copy = self.newest(field);
        let Some(ranked) = &self.ranked else { return Ok(()) };
        let wants = ranked.halos.missing([copy]);
        self.exchange(wants, None, &format!("after step {}", self.steps))
    }

    /// Notes that the newest values of a field were replaced on all ranks.
    pub(super) fn replaced(&mut self, field: FieldId) {
        let copy = self.newest(field);
        if let Some(ranked) = &mut self.ranked {
            ranked.halos.replaced(copy);
            ranked.constants.clear();
        }
    }

    /// Returns an error if several ranks run the simulation: `what` is not possible then.
    pub(super) fn alone_for(&self, what: &str) -> Result<(), RunError> {
        match self.ranked {
            None => Ok(()),
            Some(_) => Err(RunError::Misuse(format!(
                "a simulation over several ranks does not support {what}"
            ))),
        }
    }

    fn exchange(&mut self, wants: Vec<Want>, to: Option<usize>, what: &str) -> Result<(), RunError> {
        match self.begin_exchange(wants, to)? {
            Some(begun) => self.finish_exchange(begun, what),
            None => Ok(()),
        }
    }

    /// Packs the messages of an exchange with all ranks, or to one alone, and submits their copies out of the device. `None` if
    /// nothing is exchanged. [`Simulation::finish_exchange`] must follow; in between, work may be submitted that neither reads
    /// the halos nor writes what the exchange reads.
    pub(super) fn begin_exchange(
        &mut self,
        wants: Vec<Want>,
        to: Option<usize>,
    ) -> Result<Option<Begun>, RunError> {
        let wants = self.sum_up(wants, to)?;
        if wants.is_empty() {
            return Ok(None);
        }
        let spoil = self.next_spoil();
        let (Some(partition), Some(ranked)) = (self.partition(), &mut self.ranked) else {
            return Ok(None);
        };
        let mut begun = Begun {
            partition,
            spoil,
            wants,
            to,
            rounds: Vec::new(),
        };
        if begun.is_among_all() && spoil != Spoil::Drop {
            let between = begun.between(ranked.ranks.rank(), &ranked.particles);
            let rounds = ranked
                .exchanges
                .rounds(&self.prepared, between, &begun.wants, &ranked.ranks);
            begun.rounds = (rounds?.into_iter())
                .map(|round| Ok((self.pack(&round, &begun.wants)?, round)))
                .collect::<Result<_, RunError>>()?;
        }
        Ok(Some(begun))
    }

    /// Sends and receives the messages of an exchange, and unpacks them.
    pub(super) fn finish_exchange(&mut self, mut begun: Begun, what: &str) -> Result<(), RunError> {
        let digest = digest(&begun.wants, begun.to);
        let Some(ranks) = self.ranked.as_ref().map(|ranked| ranked.ranks.clone()) else {
            return Ok(());
        };
        let news = News {
            ranks: &ranks,
            what,
            digest,
        };
        let mut rounds = Vec::new();
        for (leaving, mut round) in std::mem::take(&mut begun.rounds) {
            self.swap(&mut round, leaving, &begun.wants, &news)?;
            rounds.push(round);
        }
        match &mut self.ranked {
            Some(ranked) if begun.repeats() => ranked.exchanges.keep(begun.wants.clone(), rounds),
            _ if begun.is_among_all() => {}
            _ => self.swap_one_by_one(&begun, &news)?,
        }
        if let Some(ranked) = self.ranked.as_mut().filter(|_| begun.to.is_none()) {
            ranked.halos.exchanged(&begun.wants);
        }
        Ok(())
    }

    /// Sends whole fields to one rank, for outputs: each round has buffers of its own, because they would take much memory.
    fn swap_one_by_one(&mut self, begun: &Begun, news: &News) -> Result<(), RunError> {
        if begun.spoil == Spoil::Drop {
            return Ok(());
        }
        let Some(particles) = self.ranked.as_ref().map(|ranked| ranked.particles.clone()) else {
            return Ok(());
        };
        let between = begun.between(news.ranks.rank(), &particles);
        let count = self
            .ranked
            .as_ref()
            .map_or(0, |ranked| ranked.exchanges.count_rounds(between, &begun.wants));
        for number in 0..count {
            let Some(ranked) = &mut self.ranked else { break };
            let round = (ranked.exchanges).round(&self.prepared, between, &begun.wants, number, None);
            let mut round = round?;
            let leaving = self.pack(&round, &begun.wants)?;
            self.swap(&mut round, leaving, &begun.wants, news)?;
        }
        Ok(())
    }

    /// Counts an exchange. Returns the mistake that a test makes in it.
    pub(super) fn next_spoil(&mut self) -> Spoil {
        let Some(ranked) = &mut self.ranked else {
            return Spoil::None;
        };
        let number = ranked.exchanges.count;
        ranked.exchanges.count += 1;
        self.prepared.probe.spoils(number)
    }

    /// Exchanges the particles of a set that are ghosts of other ranks, after a sort.
    pub(super) fn exchange_ghosts(
        &mut self,
        set: ResourceId,
        wants: &[Want],
        what: &str,
    ) -> Result<(), RunError> {
        let limit = self.signal_limit()?;
        let spoil = self.next_spoil();
        let (Some(partition), Some(ranked)) = (self.partition(), &mut self.ranked) else {
            return Ok(());
        };
        let between = Between {
            partition: &partition,
            particles: &ranked.particles,
            rank: ranked.ranks.rank(),
            to: None,
            spoil,
            runs: None,
        };
        if between.spoil == Spoil::Drop {
            return Ok(());
        }
        if limit > 0 && spoil == Spoil::None {
            let (exchanges, ranks) = (&mut ranked.exchanges, &ranked.ranks);
            let signalled = exchanges.ghosts_with_signals(&self.prepared, between, wants, set, ranks)?;
            if let Some(signalled) = signalled {
                let all = signalled.iter().flat_map(|of| [&of.pack, &of.unpack]);
                return self.submit_in_order("exchange ghosts", wants, all.collect());
            }
        }
        match ranked.exchanges.count_rounds_of_ghosts(between, wants, set) {
            0 => return Ok(()),
            1 => {}
            _ => return self.exchange(wants.to_vec(), None, what),
        }
        let ranks = ranked.ranks.clone();
        let mut round = (ranked.exchanges).ghosts(&self.prepared, between, wants, set, &ranks)?;
        let digest = digest(wants, None);
        let leaving = self.pack(&round, wants)?;
        let news = News {
            ranks: &ranks,
            what,
            digest,
        };
        self.swap(&mut round, leaving, wants, &news)?;
        if let Some(ranked) = &mut self.ranked {
            ranked.exchanges.keep_ghosts(set, round);
        }
        Ok(())
    }

    /// Exchanges the packed messages of a round, and unpacks them.
    pub(super) fn swap(
        &mut self,
        round: &mut Round,
        leaving: Leaving,
        wants: &[Want],
        news: &News,
    ) -> Result<(), RunError> {
        // The copies of the last use have read what is overwritten now.
        self.wait(Lane::Download, leaving.copied_out.max(round.copied_in))?;
        if round.is_direct() {
            self.wait(Lane::Step, leaving.packed.max(round.unpacked))?;
        }
        let timeout = self.prepared.options.exchange_timeout();
        round.swap(news.ranks, news.what, news.digest, timeout)?;
        self.copy_directly(round)?;
        self.unpack(round, wants)
    }

    pub(super) fn partition(&self) -> Option<Partition> {
        let cut = self.prepared.pipeline.cut.as_ref()?;
        Some(cut.partition.clone())
    }

    /// Submits packing and the copies out of the device.
    pub(super) fn pack(&mut self, round: &Round, wants: &[Want]) -> Result<Leaving, RunError> {
        if !round.sends() {
            return Ok(Leaving::default());
        }
        let reads = wants.iter().map(|want| want.at).collect();
        let packed = self.submit_alone(round.pack(), &Touched::reads(reads))?;
        let after = (Lane::Step, packed);
        let copied_out = match round.copies_out() {
            Some(copies) => self.copy(copies, after)?,
            None => 0,
        };
        Ok(Leaving { packed, copied_out })
    }

    /// Copies messages from other devices without the host, and waits for the end.
    fn copy_directly(&self, round: &Round) -> Result<(), RunError> {
        if !round.is_direct() {
            return Ok(());
        }
        let began = Instant::now();
        round.copy_directly(self.prepared.options.timeout)?;
        if let Some(trace) = &self.trace {
            trace.event(TraceRow::Program, "copy halos directly", began, Instant::now());
        }
        Ok(())
    }

    /// Submits the copies of messages into the device, and unpacking.
    fn unpack(&mut self, round: &mut Round, wants: &[Want]) -> Result<(), RunError> {
        if !round.receives() {
            round.used(0, 0);
            return Ok(());
        }
        let copied = match round.copies_in() {
            Some(copies) => self.copy(copies, (Lane::Step, round.unpacked))?,
            None => 0,
        };
        let writes = wants.iter().map(|want| want.at).collect();
        let mut unpacked = self.schedule.submit(Lane::Step, &Touched::writes(writes));
        if copied > 0 {
            unpacked.waits.push((Lane::Download, copied));
        }
        let batch = self.batch(Lane::Step, &unpacked.waits, vec![round.unpack()], unpacked.signal);
        self.submit(Lane::Step, round.unpack().name(), vec![batch])?;
        round.used(copied, unpacked.signal);
        Ok(())
    }

    /// Submits copies of messages after a value of another lane. Returns their value of the download lane.
    fn copy(&mut self, copies: &Recording, after: (Lane, u64)) -> Result<u64, RunError> {
        let ticket = self.schedule.submit(Lane::Download, &Touched::default());
        let batch = self.batch(Lane::Download, &[after], vec![copies], ticket.signal);
        self.submit(Lane::Download, copies.name(), vec![batch])?;
        Ok(ticket.signal)
    }
}

/// An exchange whose messages are packed.
pub(super) struct Begun {
    partition: Partition,
    spoil: Spoil,
    wants: Vec<Want>,
    /// The only rank that receives, or all.
    to: Option<usize>,
    rounds: Vec<(Leaving, Round)>,
}

/// The values of lanes when messages are packed, and when they have left the device. 0 if there is nothing to wait for.
#[derive(Default)]
pub(super) struct Leaving {
    packed: u64,
    copied_out: u64,
}

/// How an exchange appears to the ranks.
pub(super) struct News<'a> {
    pub(super) ranks: &'a Ranks,
    pub(super) what: &'a str,
    pub(super) digest: u64,
}

impl Begun {
    /// True for an exchange among all ranks, which steps repeat.
    fn is_among_all(&self) -> bool {
        self.to.is_none()
    }

    /// True if steps repeat it with equal messages and without a mistake of a test.
    fn repeats(&self) -> bool {
        self.is_among_all() && self.spoil == Spoil::None && self.wants.iter().all(Want::repeats)
    }

    fn between<'a>(&'a self, rank: usize, particles: &'a Particles) -> Between<'a> {
        Between {
            partition: &self.partition,
            particles,
            rank,
            to: self.to,
            spoil: self.spoil,
            runs: None,
        }
    }
}

/// A number that differs between different exchanges.
pub(super) fn digest(wants: &[Want], to: Option<usize>) -> u64 {
    let hash = blake3::hash(format!("{wants:?} {to:?}").as_bytes());
    u64::from_le_bytes(std::array::from_fn(|byte| hash.as_bytes()[byte]))
}
