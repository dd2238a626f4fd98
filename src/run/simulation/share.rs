//! Particles that are cut like a grid, after they were sorted; and sums of ranks.

use std::ops::Range;
use std::time::Duration;

use crate::gpu::{Buffer, BufferKind, Recording};
use crate::ir::{Completed, CutSet, Division, FieldId, Held, Neighbours};
use crate::plan::schedule::{FieldCopy, LANES};
use crate::plan::{Lane, List, Touched, Want};
use crate::ranks::Ranks;

use super::super::error::RunError;
use super::super::planes::Planes;
use super::Simulation;
use super::pass::{ListPass, Portion};

impl Simulation {
    /// Follows a change of a set that a segment of a pass has completed. All ranks must call it.
    pub(super) fn follow_change(&mut self, pass: &mut ListPass, number: usize) -> Result<(), RunError> {
        let pipeline = self.prepared.pipeline.clone();
        let segment = &self.prepared.plan.segments(pass.list)[number];
        let (Some(completed), Some(cut)) = (segment.completes, pipeline.cut.as_deref()) else {
            return Ok(());
        };
        let (Some(last), Some(set)) = (segment.entries().last(), cut.set(completed.set())) else {
            return Ok(());
        };
        let changed = Changed {
            set,
            list: pass.list,
            number,
            last,
            steps: pass.steps,
        };
        match completed {
            Completed::Sort(_) => self.share_particles(pass, &changed),
            Completed::Removal(_) => self.follow_removal(&changed),
            Completed::Emission(_) => self.follow_emission(&changed),
        }
    }

    /// Divides the particles that a segment of a pass has sorted: finds those of this rank, and exchanges them.
    fn share_particles(&mut self, pass: &mut ListPass, changed: &Changed) -> Result<(), RunError> {
        let set = changed.set;
        let wants = self.attributes(changed);
        let buffers = [set.sorted.key, set.sorted.order].map(|field| self.written(changed, field));
        let step = changed.steps + 1;
        let mut planes = self.planes_of(set)?;
        // Its last recording reads what is written for this search.
        self.wait(Lane::Step, planes.used)?;
        // Farther ghosts have lost their neighbours.
        let held = self.held_after(set, set.spent);
        let recording = planes.find(&self.prepared.host, buffers.each_ref(), held)?;
        self.submit_alone(recording, &Touched::default())?;
        self.wait_for_lanes()?;
        let found = planes.found()?;
        let inner = match set.ghosts {
            None => self.move_particles(set, &wants, &found.0, step)?,
            Some(ghosts) => {
                let first: Vec<u64> = found.0.iter().map(|first| u64::from(*first)).collect();
                let (own, moved) = self.divide_particles((set, ghosts), (&first, found.1), step)?;
                self.shift_particles(set, &wants, &held.moves(own, moved))?;
                self.exchange_ghosts(set.set(), &wants, &format!("of particles in step {step}"))?;
                self.inner_of(set, &first, moved)
            }
        };
        self.set_particles(set, inner)?;
        if set.ghosts.is_some() {
            let held = self.held(set);
            let recording = planes.keep(&self.prepared.host, buffers.each_ref(), held)?;
            planes.used = self.submit_alone(recording, &Touched::default())?;
        } else {
            // Particles that have arrived are not sorted yet.
            self.queue_segment(pass, changed.number, Portion::Whole, None);
            self.submit_queued(pass)?;
        }
        if let Some(ranked) = &mut self.ranked {
            ranked.planes.insert(set.set(), planes);
        }
        Ok(())
    }

    /// Writes the particles of this rank into the argument blocks. Those in `inner` need no halo. The device must be idle, except for
    /// exchanges.
    pub(super) fn set_particles(&mut self, set: &CutSet, inner: Range<u64>) -> Result<(), RunError> {
        let held: Vec<Held> = (0..=set.spent).map(|spent| self.held_after(set, spent)).collect();
        let (pipeline, plan) = (&self.prepared.pipeline, &self.prepared.plan);
        (self.prepared.arguments).set_particles(pipeline, plan, set.set(), (&held, inner.clone()))?;
        if let Some(ranked) = &mut self.ranked {
            ranked.inner.insert(set.set(), inner);
        }
        Ok(())
    }

    /// Takes the planes of a set, to be given back later.
    pub(super) fn planes_of(&mut self, set: &CutSet) -> Result<Planes, RunError> {
        let mut all = self.ranked.iter_mut();
        match all.find_map(|ranked| ranked.planes.remove(&set.set())) {
            Some(planes) => Ok(planes),
            None => Planes::new(&self.prepared.host, set),
        }
    }

    /// The attributes of a set after a change.
    pub(super) fn attributes(&self, changed: &Changed) -> Vec<Want> {
        let (plan, pipeline) = (&self.prepared.plan, &self.prepared.pipeline);
        plan.attributes(
            pipeline,
            changed.list,
            changed.number,
            changed.set.set(),
            changed.steps,
        )
    }

    /// The memory of a field that a change has written.
    pub(super) fn written(&self, changed: &Changed, field: FieldId) -> Buffer {
        let plan = &self.prepared.plan;
        self.buffer(plan.copy_of(changed.list, changed.last, field, changed.steps).1)
    }

    /// Submits a recording to the lane of steps, and returns its value there.
    pub(super) fn submit_alone(&mut self, recording: &Recording, touched: &Touched) -> Result<u64, RunError> {
        let ticket = self.schedule.submit(Lane::Step, touched);
        let batch = self.batch(Lane::Step, &ticket.waits, vec![recording], ticket.signal);
        self.submit(Lane::Step, recording.name(), vec![batch])?;
        Ok(ticket.signal)
    }

    /// Agrees with all ranks on their particles after a sort or a removal: `first` particles of planes on this rank, and the planes
    /// that a particle has crossed at most. Returns its own particles, and the place to which the first of them must move.
    pub(super) fn divide_particles(
        &mut self,
        (set, ghosts): (&CutSet, u64),
        (first, drift): (&[u64], u32),
        step: u64,
    ) -> Result<(Range<u64>, u64), RunError> {
        let pipeline = self.prepared.pipeline.clone();
        let (Some(ranked), Some(cut)) = (&mut self.ranked, pipeline.cut.as_deref()) else {
            return Ok((0..0, 0));
        };
        let rank = ranked.ranks.rank();
        let ends = &cut.partition.planes[set.axis];
        let own = Neighbours::between(set, ghosts, first, [ends[rank], ends[rank + 1]]);
        let own_particles = own.own_first..own.own_end;
        let what = format!("of particles in step {step}");
        let timeout = self.prepared.options.exchange_timeout();
        let (mut all, drifts): (Vec<_>, Vec<_>) = gather(&ranked.ranks, &what, own, drift, timeout)?
            .into_iter()
            .unzip();
        if pipeline.resources[set.set()].live().is_some() {
            Neighbours::append(&mut all);
        }
        let farthest = drifts.into_iter().map(u64::from).max().unwrap_or(0);
        if farthest > set.drift || !fit(&all, ranked.count(set.set())) {
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
        let place = all[rank].own_first;
        ranked.particles.insert(set.set(), all);
        ranked.divided.insert(set.set());
        Ok((own_particles, place))
    }

    /// The particles that this rank has.
    pub(super) fn held(&self, set: &CutSet) -> Held {
        self.held_after(set, 0)
    }

    /// The particles that are right on this rank when stages have spent so many planes of ghosts.
    fn held_after(&self, set: &CutSet, spent: u64) -> Held {
        let found = self.ranked.as_ref().and_then(|ranked| {
            let all = ranked.particles.get(&set.set())?;
            let rank = ranked.ranks.rank();
            let own = all.get(rank)?;
            let below = rank.checked_sub(1).and_then(|below| all.get(below));
            let above = all.get(rank + 1);
            Some(Held {
                first: below.map_or(own.own_first, |below| below.without(spent)[1]),
                end: above.map_or(own.own_end, |above| above.without(spent)[0]),
                own_first: own.own_first,
                own_end: own.own_end,
                new_first: all.last().map_or(0, |last| last.own_end),
                new_end: ranked.count(set.set()),
            })
        });
        let is_divided = self
            .ranked
            .as_ref()
            .is_some_and(|ranked| ranked.divided.contains(&set.set()));
        let count = self.ranked.as_ref().map_or(0, |ranked| ranked.count(set.set()));
        let rank = self
            .ranked
            .as_ref()
            .map_or([0, 1], |ranked| [ranked.ranks.rank(), ranked.ranks.count()]);
        match found.filter(|_| is_divided) {
            Some(held) => held,
            None => Held::at_start(set, rank, count),
        }
    }

    pub(super) fn buffer(&self, (field, copy): FieldCopy) -> Buffer {
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

/// A change of a set that a segment has completed.
pub(super) struct Changed<'a> {
    pub(super) set: &'a CutSet,
    pub(super) list: List,
    /// The segment.
    pub(super) number: usize,
    /// Its last entry.
    pub(super) last: usize,
    /// Steps before.
    pub(super) steps: u64,
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
    let numbers = numbers.iter().chain(own.spent.as_flattened());
    let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    let all = ranks.gather(what, &bytes, timeout)?;
    let of_rank = |bytes: &Vec<u8>| {
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        let numbers: Vec<u64> = bytes.chunks_exact(8).map(number).collect();
        let next = |at: usize| numbers.get(at).copied().unwrap_or(0);
        let (spent, _) = numbers.get(5..).unwrap_or_default().as_chunks();
        let neighbours = Neighbours {
            own_first: next(0),
            own_end: next(1),
            below_end: next(2),
            above_first: next(3),
            spent: spent.to_vec(),
        };
        (neighbours, next(4) as u32)
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
