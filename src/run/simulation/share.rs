//! Particles that are cut like a grid, after they were sorted; and sums of ranks.

use std::ops::Range;
use std::time::Duration;

use crate::gpu::{Buffer, BufferKind, Recording};
use crate::ir::{CutSet, Division, FieldId, Held, Neighbours};
use crate::plan::schedule::{FieldCopy, LANES};
use crate::plan::{Lane, Touched, Want};
use crate::ranks::Ranks;

use super::super::error::RunError;
use super::super::planes::Planes;
use super::Simulation;
use super::pass::{ListPass, Portion};

impl Simulation {
    /// Divides the particles that a segment of a pass has sorted: finds those of this rank, and exchanges them. All ranks must call
    /// it.
    pub(super) fn share_particles(&mut self, pass: &mut ListPass, number: usize) -> Result<(), RunError> {
        let (list, steps) = (pass.list, pass.steps);
        let (plan, pipeline) = (&self.prepared.plan, self.prepared.pipeline.clone());
        let segment = &plan.segments(list)[number];
        let (Some(set), Some(cut)) = (segment.sorts, pipeline.cut.as_deref()) else {
            return Ok(());
        };
        let (Some(last), Some(set)) = (segment.entries().last(), cut.set(set)) else {
            return Ok(());
        };
        let wants = plan.attributes(&pipeline, list, number, set.set(), steps);
        let copy = |field: FieldId| self.buffer(plan.copy_of(list, last, field, steps).1);
        let buffers = [copy(set.sorted.key), copy(set.sorted.order)];
        self.wait_for_lanes()?;
        let step = steps + 1;
        let found = self
            .ranked
            .as_mut()
            .and_then(|ranked| ranked.planes.remove(&set.set()));
        let mut planes = match found {
            Some(planes) => planes,
            None => Planes::new(&self.prepared.host, set)?,
        };
        let recording = planes.find(&self.prepared.host, buffers.each_ref(), self.held(set))?;
        let value = self.submit_alone("find planes", recording)?;
        self.wait(Lane::Step, value)?;
        let found = planes.found()?;
        let inner = match set.ghosts {
            None => self.move_particles(set, &wants, &found.0, step)?,
            Some(ghosts) => {
                let inner = self.divide_particles((set, ghosts), found, step)?;
                self.exchange_ghosts(set.set(), &wants, &format!("of particles in step {step}"))?;
                inner
            }
        };
        let held = self.held(set);
        (self.prepared.arguments).set_particles(&pipeline, &self.prepared.plan, set.set(), (held, inner))?;
        if set.ghosts.is_some() {
            let recording = planes.keep(&self.prepared.host, buffers.each_ref(), held)?;
            self.submit_alone("keep planes", recording)?;
        } else {
            // Particles that have arrived are not sorted yet.
            self.queue_segment(pass, number, Portion::Whole, None);
            self.submit_queued(pass)?;
        }
        if let Some(ranked) = &mut self.ranked {
            ranked.planes.insert(set.set(), planes);
        }
        Ok(())
    }

    /// Submits a recording to the lane of steps, and returns its value there.
    pub(super) fn submit_alone(&mut self, name: &str, recording: &Recording) -> Result<u64, RunError> {
        let ticket = self.schedule.submit(Lane::Step, &Touched::default());
        let batch = self.batch(Lane::Step, &ticket.waits, vec![recording], ticket.signal);
        self.submit(Lane::Step, name, vec![batch])?;
        Ok(ticket.signal)
    }

    /// Agrees with all ranks on their particles after a sort: `first` particles of planes, and the planes that a particle has
    /// crossed at most. Returns those of this rank that need no halo.
    fn divide_particles(
        &mut self,
        (set, ghosts): (&CutSet, u64),
        (first, drift): (Vec<u32>, u32),
        step: u64,
    ) -> Result<Range<u64>, RunError> {
        let pipeline = self.prepared.pipeline.clone();
        let (Some(ranked), Some(cut)) = (&mut self.ranked, pipeline.cut.as_deref()) else {
            return Ok(0..0);
        };
        let rank = ranked.ranks.rank();
        let ends = &cut.partition.planes[set.axis];
        let first_of = |plane: u64| u64::from(first[set.row_from(plane) as usize]);
        let (low, high) = (ends[rank], ends[rank + 1]);
        let (own_first, own_end) = (first_of(low), first_of(high));
        let own = Neighbours {
            own_first,
            own_end,
            below_end: first_of(low + ghosts).min(own_end),
            above_first: first_of(high.saturating_sub(ghosts)).max(own_first),
        };
        let what = format!("of particles in step {step}");
        let timeout = self.prepared.options.exchange_timeout();
        let (all, drifts): (Vec<_>, Vec<_>) = gather(&ranked.ranks, &what, own, drift, timeout)?
            .into_iter()
            .unzip();
        let farthest = drifts.into_iter().map(u64::from).max().unwrap_or(0);
        let count = pipeline.resources[set.set()].elements();
        if farthest > set.drift || !fit(&all, count) {
            let name = &pipeline.resources[set.set()].name;
            let moved = if farthest > set.drift {
                format!("by {farthest} cells")
            } else {
                "farther than ranks look".into()
            };
            return Err(RunError::Failed(format!(
                "a particle of `{name}` has moved {moved} until the sort in step {step}; ranks allow {} between two sorts\n  help: \
                 raise `drift` of the sort, or sort more often",
                set.drift
            )));
        }
        ranked.particles.insert(set.set(), all);
        ranked.divided.insert(set.set());
        let [start, end] = set
            .inner_rows([low, high])
            .map(|row| u64::from(first[row as usize]).min(own_end));
        Ok(start..end.max(start))
    }

    /// The particles that this rank has.
    pub(super) fn held(&self, set: &CutSet) -> Held {
        let found = self.ranked.as_ref().and_then(|ranked| {
            let all = ranked.particles.get(&set.set())?;
            let rank = ranked.ranks.rank();
            let own = all.get(rank)?;
            let below = rank.checked_sub(1).and_then(|below| all.get(below));
            let above = all.get(rank + 1);
            Some(Held {
                first: below.map_or(own.own_first, |below| below.above_first),
                end: above.map_or(own.own_end, |above| above.below_end),
                own_first: own.own_first,
                own_end: own.own_end,
            })
        });
        let is_divided = self
            .ranked
            .as_ref()
            .is_some_and(|ranked| ranked.divided.contains(&set.set()));
        let count = self.prepared.pipeline.resources[set.set()].elements();
        let rank = self
            .ranked
            .as_ref()
            .map_or([0, 1], |ranked| [ranked.ranks.rank(), ranked.ranks.count()]);
        match found.filter(|_| is_divided) {
            Some(held) => held,
            None => Held::at_start(set, rank, count),
        }
    }

    fn buffer(&self, (field, copy): FieldCopy) -> Buffer {
        self.prepared.memory.field(field, copy).clone()
    }

    pub(super) fn wait_for_lanes(&self) -> Result<(), RunError> {
        LANES
            .into_iter()
            .try_for_each(|lane| self.wait(lane, self.schedule.last(lane)))
    }

    /// The fields of which every rank has a part of the sum: all of it is on rank 0 at the start, and after each exchange.
    pub(super) fn divide_sums(&mut self) -> Result<(), RunError> {
        let pipeline = self.prepared.pipeline.clone();
        let Some(cut) = pipeline.cut.as_deref().filter(|cut| cut.rank > 0) else {
            return Ok(());
        };
        if !cut.sums.is_empty() {
            self.wait_for_lanes()?;
        }
        for field in &cut.sums {
            let buffer = self.buffer((*field, 0));
            let zeros = vec![0; pipeline.field_bytes(*field) as usize];
            self.prepared.host.upload(&buffer, &zeros)?;
        }
        Ok(())
    }

    /// Sums up the fields among `wants` of which every rank has a part. Returns the others.
    pub(super) fn sum_up(&mut self, wants: Vec<Want>, to: Option<usize>) -> Result<Vec<Want>, RunError> {
        let is_sum = |want: &Want| want.layout.division == Division::Sum;
        let (sums, others): (Vec<_>, Vec<_>) = wants.into_iter().partition(is_sum);
        for want in &sums {
            self.sum(want.at)?;
        }
        if let Some(ranked) = self.ranked.as_mut().filter(|_| to.is_none()) {
            ranked.halos.exchanged(&sums);
        }
        Ok(others)
    }

    fn sum(&mut self, at: FieldCopy) -> Result<(), RunError> {
        let Some(ranks) = self.ranked.as_ref().map(|ranked| ranked.ranks.clone()) else {
            return Ok(());
        };
        self.wait_for_lanes()?;
        let (buffer, host) = (self.buffer(at), self.prepared.host.clone());
        let bytes = self.prepared.pipeline.field_bytes(at.0);
        let read = host.gpu.buffer("sum of a rank", bytes, BufferKind::Download)?;
        host.run_once("read a sum", |recorder| {
            recorder.copy(&buffer, 0, &read, 0, bytes)
        })?;
        let what = format!("of `{}`", self.prepared.pipeline.fields[at.0].name);
        let all = ranks.gather(&what, read.bytes()?, self.prepared.options.exchange_timeout())?;
        let mut total = vec![0; bytes as usize];
        if ranks.is_root() {
            let carries = self.prepared.pipeline.carries(at.0);
            all.iter()
                .for_each(|of_rank| add_words(&mut total, of_rank, carries));
        }
        host.upload(&buffer, &total)
    }
}

/// True if the particles of each rank begin where those of the rank below end, and none is missing.
fn fit(all: &[Neighbours], count: u64) -> bool {
    let starts = all.iter().map(|own| own.own_first).chain([count]);
    let ends = [0].into_iter().chain(all.iter().map(|own| own.own_end));
    starts.zip(ends).all(|(start, end)| start == end)
}

/// Adds integers of 32 bits, modulo 2^32. If each second one counts the overflows of the one before, a sum that overflows
/// carries into it.
fn add_words(total: &mut [u8], summand: &[u8], carries: bool) {
    let word_of = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap_or_default());
    let words = total.chunks_exact_mut(4).zip(summand.chunks_exact(4));
    let mut carry = false;
    for (number, (sum, word)) in words.enumerate() {
        let carried = u32::from(carry && number % 2 == 1);
        let (added, overflows) = word_of(sum).overflowing_add(word_of(word));
        sum.copy_from_slice(&added.wrapping_add(carried).to_le_bytes());
        carry = carries && overflows;
    }
}

/// The particles and the drift of all ranks.
fn gather(
    ranks: &Ranks,
    what: &str,
    own: Neighbours,
    drift: u32,
    timeout: Duration,
) -> Result<Vec<(Neighbours, u32)>, RunError> {
    let numbers = [
        own.own_first,
        own.own_end,
        own.below_end,
        own.above_first,
        drift.into(),
    ];
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let all = ranks.gather(what, &bytes, timeout)?;
    let of_rank = |bytes: &Vec<u8>| {
        let mut numbers = bytes.chunks_exact(8);
        let mut next = || {
            let number = numbers.next().and_then(|bytes| bytes.try_into().ok());
            number.map_or(0, u64::from_le_bytes)
        };
        let neighbours = Neighbours {
            own_first: next(),
            own_end: next(),
            below_end: next(),
            above_first: next(),
        };
        (neighbours, next() as u32)
    };
    Ok(all.iter().map(of_rank).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_carry_into_second_words_where_stated() {
        let bytes = |words: &[u32]| {
            words
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        let sum = |carries| {
            let mut total = bytes(&[u32::MAX - 1, 7, u32::MAX, u32::MAX, 5]);
            add_words(&mut total, &bytes(&[3, 1, 1, 1, 6]), carries);
            total
        };
        assert_eq!(sum(true), bytes(&[1, 9, 0, 1, 11]));
        assert_eq!(sum(false), bytes(&[1, 8, 0, 0, 11]));
    }
}
