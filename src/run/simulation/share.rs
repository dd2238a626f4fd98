//! Particles that are cut like a grid, after they were sorted; and sums of ranks.

use crate::gpu::{Buffer, BufferKind, Recording};
use crate::ir::{CutSet, Division, FieldId, Held, Neighbours};
use crate::plan::schedule::{FieldCopy, LANES};
use crate::plan::{Lane, List, Touched, Want};
use crate::ranks::Ranks;

use super::super::error::RunError;
use super::super::planes::Planes;
use super::Simulation;

impl Simulation {
    /// Divides the particles that a segment has sorted: finds those of this rank, and exchanges ghosts. All ranks must call it.
    pub(super) fn share_particles(&mut self, list: List, number: usize, steps: u64) -> Result<(), RunError> {
        let (plan, pipeline) = (&self.prepared.plan, self.prepared.pipeline.clone());
        let segment = &plan.segments(list)[number];
        let (Some(set), Some(cut)) = (segment.sorts, pipeline.cut.as_deref()) else {
            return Ok(());
        };
        let (Some(last), Some(set)) = (segment.entries().last(), cut.set(set)) else {
            return Ok(());
        };
        let wants = plan.ghosts(&pipeline, list, number, set.set(), steps);
        let copy = |field: FieldId| plan.copy_of(list, last, field, steps).1;
        let copies = [copy(set.sorted.key), copy(set.sorted.order)];
        self.wait_for_lanes()?;
        let what = format!("of particles in step {}", steps + 1);
        let before = self.held(set);
        let neighbours = self.find_neighbours(set, copies, before, &what)?;
        if let Some(ranked) = &mut self.ranked {
            ranked.particles.insert(set.set(), neighbours);
        }
        self.exchange_ghosts(set.set(), &wants, &what)?;
        let held = self.held(set);
        let inner = self
            .ranked
            .as_ref()
            .and_then(|ranked| ranked.inner.get(&set.set()).cloned());
        let run_over = (held, inner.unwrap_or(0..0));
        (self.prepared.arguments).set_particles(&pipeline, &self.prepared.plan, set.set(), run_over)?;
        let buffers = copies.map(|copy| self.buffer(copy));
        let Some(mut planes) = self
            .ranked
            .as_mut()
            .and_then(|ranked| ranked.planes.remove(&set.set()))
        else {
            return Ok(());
        };
        let recording = planes.keep(&self.prepared.host, buffers.each_ref(), held)?;
        self.submit_alone("keep planes", recording)?;
        if let Some(ranked) = &mut self.ranked {
            ranked.planes.insert(set.set(), planes);
        }
        Ok(())
    }

    /// Submits a recording to the lane of steps, and returns its value there.
    fn submit_alone(&mut self, name: &str, recording: &Recording) -> Result<u64, RunError> {
        let ticket = self.schedule.submit(Lane::Step, &Touched::default());
        let batch = self.batch(Lane::Step, &ticket.waits, vec![recording], ticket.signal);
        self.submit(Lane::Step, name, vec![batch])?;
        Ok(ticket.signal)
    }

    /// The particles of all ranks after a sort of those that they had before.
    fn find_neighbours(
        &mut self,
        set: &CutSet,
        copies: [FieldCopy; 2],
        before: Held,
        what: &str,
    ) -> Result<Vec<Neighbours>, RunError> {
        let buffers = copies.map(|copy| self.buffer(copy));
        let host = self.prepared.host.clone();
        let pipeline = self.prepared.pipeline.clone();
        let kept = (self.ranked.as_mut()).and_then(|ranked| ranked.planes.remove(&set.set()));
        let mut found = match kept {
            Some(planes) => planes,
            None => Planes::new(&host, set)?,
        };
        let recording = found.find(&host, buffers.each_ref(), before)?;
        let value = self.submit_alone("find planes", recording)?;
        self.wait(Lane::Step, value)?;
        let (planes, drift) = found.found()?;
        let (Some(ranked), Some(cut)) = (&mut self.ranked, pipeline.cut.as_deref()) else {
            return Ok(Vec::new());
        };
        ranked.planes.insert(set.set(), found);
        let rank = ranked.ranks.rank();
        let ends = &cut.partition.planes[set.axis];
        let first_of = |plane: u64| u64::from(planes[plane.min(set.planes) as usize]);
        let (low, high) = (ends[rank], ends[rank + 1]);
        let (own_first, own_end) = (first_of(low), first_of(high));
        let own = Neighbours {
            own_first,
            own_end,
            below_end: first_of(low + set.ghosts).min(own_end),
            above_first: first_of(high.saturating_sub(set.ghosts)).max(own_first),
        };
        let inner = first_of(low + set.margin).min(own_end);
        let inner = inner..first_of(high.saturating_sub(set.margin)).max(inner);
        ranked.inner.insert(set.set(), inner);
        let count = pipeline.resources[set.set()].elements();
        let timeout = self.prepared.options.exchange_timeout();
        let all = gather(&ranked.ranks, what, own, drift, timeout)?;
        let farthest = all.iter().map(|(_, drift)| u64::from(*drift)).max().unwrap_or(0);
        let all: Vec<Neighbours> = all.into_iter().map(|(neighbours, _)| neighbours).collect();
        let starts = all.iter().map(|own| own.own_first).chain([count]);
        let ends = [0].into_iter().chain(all.iter().map(|own| own.own_end));
        let fit = starts.zip(ends).all(|(start, end)| start == end);
        if farthest > set.drift || !fit {
            let name = &pipeline.resources[set.set()].name;
            let moved = if farthest > set.drift {
                format!("by {farthest} cells")
            } else {
                "farther than ranks look".into()
            };
            return Err(RunError::Failed(format!(
                "a particle of `{name}` has moved {moved} between two sorts, before {what}; ranks allow {}\n  help: raise \
                 `drift` of the sort, or sort more often",
                set.drift
            )));
        }
        Ok(all)
    }

    /// The particles that this rank has.
    fn held(&self, set: &CutSet) -> Held {
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
            .is_some_and(|ranked| ranked.planes.contains_key(&set.set()));
        let count = self.prepared.pipeline.resources[set.set()].elements();
        match found.filter(|_| is_divided) {
            Some(held) => held,
            None => Held::at_start(self.rank(), count),
        }
    }

    fn rank(&self) -> usize {
        self.ranked.as_ref().map_or(0, |ranked| ranked.ranks.rank())
    }

    fn buffer(&self, (field, copy): FieldCopy) -> Buffer {
        self.prepared.memory.field(field, copy).clone()
    }

    fn wait_for_lanes(&self) -> Result<(), RunError> {
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
            all.iter().for_each(|of_rank| add_words(&mut total, of_rank));
        }
        host.upload(&buffer, &total)
    }
}

/// Adds integers of 32 bits, modulo 2^32.
fn add_words(total: &mut [u8], summand: &[u8]) {
    for (sum, word) in total.chunks_exact_mut(4).zip(summand.chunks_exact(4)) {
        let word_of = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap_or_default());
        let added = word_of(sum).wrapping_add(word_of(word));
        sum.copy_from_slice(&added.to_le_bytes());
    }
}

/// The particles and the drift of all ranks.
fn gather(
    ranks: &Ranks,
    what: &str,
    own: Neighbours,
    drift: u32,
    timeout: std::time::Duration,
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
