//! A simulation as one of several ranks: exchanges of halos before segments, and whole fields for outputs.

use crate::ir::{FieldId, Partition};
use crate::plan::schedule::FieldCopy;
use crate::plan::{Lane, List, Touched, Want};
use crate::ranks::Ranks;

use super::super::error::RunError;
use super::super::exchange::{Between, Round};
use super::super::probe::Spoil;
use super::Simulation;
use super::rank::Ranked;

impl Simulation {
    /// The exchanges before a segment of a list, in a pass that starts after `steps` steps.
    pub(super) fn wanted(&self, list: List, number: usize, steps: u64) -> Vec<Want> {
        let (plan, pipeline) = (&self.prepared.plan, &self.prepared.pipeline);
        self.ranked.as_ref().map_or(Vec::new(), |ranked| {
            (ranked.halos).wants(pipeline, plan, &plan.segments(list)[number], steps)
        })
    }

    /// Notes that a segment was queued.
    pub(super) fn left(&mut self, list: List, number: usize, steps: u64) {
        let (plan, pipeline) = (&self.prepared.plan, &self.prepared.pipeline);
        if let Some(ranked) = &mut self.ranked {
            (ranked.halos).ran(pipeline, plan, &plan.segments(list)[number], steps);
        }
    }

    /// Exchanges halos with all ranks. `what` names the exchange in messages.
    pub(super) fn exchange(&mut self, wants: Vec<Want>, what: &str) -> Result<(), RunError> {
        self.exchange_with(wants, None, what)
    }

    /// Completes the newest values of fields on rank 0, for outputs and hashes. All ranks must call it.
    pub fn gather(&mut self, fields: &[FieldId]) -> Result<(), RunError> {
        let copies: Vec<FieldCopy> = fields.iter().map(|field| self.newest(*field)).collect();
        self.gather_copies(copies)
    }

    /// Completes copies of fields on rank 0.
    pub(super) fn gather_copies(&mut self, copies: Vec<FieldCopy>) -> Result<(), RunError> {
        let Some(ranked) = &self.ranked else { return Ok(()) };
        let wants = ranked.halos.missing(copies);
        self.exchange_with(wants, Some(0), &format!("after step {}", self.steps))
    }

    /// Completes the newest values of a field on all ranks, which must call it.
    pub(super) fn complete(&mut self, field: FieldId) -> Result<(), RunError> {
        let copy = self.newest(field);
        let Some(ranked) = &self.ranked else { return Ok(()) };
        let wants = ranked.halos.missing([copy]);
        self.exchange(wants, &format!("after step {}", self.steps))
    }

    /// Notes that the newest values of a field were replaced on all ranks.
    pub(super) fn replaced(&mut self, field: FieldId) {
        let copy = self.newest(field);
        if let Some(ranked) = &mut self.ranked {
            let whole = ranked.halos.missing([copy]);
            ranked.halos.exchanged(&whole);
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

    fn exchange_with(&mut self, wants: Vec<Want>, to: Option<usize>, what: &str) -> Result<(), RunError> {
        if wants.is_empty() {
            return Ok(());
        }
        // Taken while the rest of the simulation is in use.
        let Some(mut ranked) = self.ranked.take() else {
            return Ok(());
        };
        let exchanged = self.run_exchange(&mut ranked, &wants, to, what);
        if to.is_none() {
            ranked.halos.exchanged(&wants);
        }
        self.ranked = Some(ranked);
        exchanged
    }

    fn run_exchange(
        &mut self,
        ranked: &mut Ranked,
        wants: &[Want],
        to: Option<usize>,
        what: &str,
    ) -> Result<(), RunError> {
        let Some(partition) = self.partition() else {
            return Ok(());
        };
        let number = ranked.exchanges.count;
        ranked.exchanges.count += 1;
        let spoil = self.prepared.probe.spoils(number);
        if spoil == Spoil::Drop {
            return Ok(());
        }
        let between = Between {
            partition: &partition,
            rank: ranked.ranks.rank(),
            to,
            spoil,
        };
        let mut rounds = ranked.exchanges.rounds(&self.prepared, between, wants)?;
        let digest = digest(wants, to);
        for round in &mut rounds {
            self.run_round(&ranked.ranks, round, wants, what, digest)?;
        }
        ranked.exchanges.keep(between, wants.to_vec(), rounds);
        Ok(())
    }

    fn partition(&self) -> Option<Partition> {
        let cut = self.prepared.pipeline.cut.as_ref()?;
        Some(cut.partition.clone())
    }

    /// Packs, sends and receives, and unpacks.
    fn run_round(
        &mut self,
        ranks: &Ranks,
        round: &mut Round,
        wants: &[Want],
        what: &str,
        digest: u64,
    ) -> Result<(), RunError> {
        let copies = || wants.iter().map(|want| want.at).collect::<Vec<_>>();
        if !round.sends.is_empty() {
            let packed = self.schedule.submit(
                Lane::Step,
                &Touched {
                    reads: copies(),
                    writes: Vec::new(),
                },
            );
            let batch = self.batch(Lane::Step, &packed.waits, vec![&round.pack], packed.signal);
            self.submit(Lane::Step, "pack halos", vec![batch])?;
            self.wait(Lane::Step, packed.signal)?;
        }
        let outgoing = round.outgoing.bytes()?;
        let sends: Vec<(usize, &[u8])> = (round.sends.iter())
            .map(|(to, range)| (*to, &outgoing[range.clone()]))
            .collect();
        let mut received: Vec<(usize, Vec<u8>)> = (round.receives.iter())
            .map(|(from, range)| (*from, vec![0; range.len()]))
            .collect();
        let mut receives: Vec<(usize, &mut [u8])> = (received.iter_mut())
            .map(|(from, bytes)| (*from, bytes.as_mut_slice()))
            .collect();
        let timeout = self.prepared.options.timeout;
        ranks.exchange(what, digest, &sends, &mut receives, timeout)?;
        if round.receives.is_empty() {
            return Ok(());
        }
        // The last unpacking may still read the buffer.
        self.wait(Lane::Step, round.unpacked)?;
        for ((_, range), (_, bytes)) in round.receives.iter().zip(&received) {
            round.incoming.write(range.start as u64, bytes)?;
        }
        let unpacked = self.schedule.submit(
            Lane::Step,
            &Touched {
                reads: Vec::new(),
                writes: copies(),
            },
        );
        let batch = self.batch(Lane::Step, &unpacked.waits, vec![&round.unpack], unpacked.signal);
        self.submit(Lane::Step, "unpack halos", vec![batch])?;
        round.unpacked = unpacked.signal;
        Ok(())
    }
}

/// A number that differs between different exchanges.
fn digest(wants: &[Want], to: Option<usize>) -> u64 {
    let hash = blake3::hash(format!("{wants:?} {to:?}").as_bytes());
    u64::from_le_bytes(std::array::from_fn(|byte| hash.as_bytes()[byte]))
}
