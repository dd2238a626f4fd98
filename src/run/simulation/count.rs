//! Sets of particles whose number changes, on ranks.

use std::ops::Range;

use crate::gpu::BufferKind;
use crate::ir::{CutSet, Neighbours};
use crate::particles::live;
use crate::plan::Want;

use super::super::error::RunError;
use super::super::exchange::Moved;
use super::super::probe::Spoil;
use super::Simulation;
use super::share::Changed;

impl Simulation {
    /// After new particles became live: all ranks have made the same ones.
    pub(super) fn follow_emission(&mut self, changed: &Changed) -> Result<(), RunError> {
        self.wait_for_lanes()?;
        let words = self.live_words(changed)?;
        self.set_count(changed.set, u64::from(words[live::COUNT]));
        let inner = self
            .ranked
            .as_ref()
            .and_then(|ranked| ranked.inner.get(&changed.set.set()));
        let inner = inner.cloned().unwrap_or(0..0);
        self.set_particles(changed.set, inner)
    }

    /// After each rank has removed particles, its copies of those of others as well: all particles take the indices of one rank.
    pub(super) fn follow_removal(&mut self, changed: &Changed) -> Result<(), RunError> {
        self.wait_for_lanes()?;
        let (set, pipeline) = (changed.set, self.prepared.pipeline.clone());
        let words = self.live_words(changed)?;
        let (kept, refused) = (u64::from(words[live::COUNT]), words[live::REFUSED]);
        let is_divided = |set| {
            self.ranked
                .as_ref()
                .is_some_and(|ranked| ranked.divided.contains(&set))
        };
        let Some(ghosts) = set.ghosts.filter(|_| is_divided(set.set())) else {
            // Every rank has all.
            self.set_count(set, kept);
            return self.set_particles(set, 0..0);
        };
        let held = self.held(set);
        let kept = held.first..held.first + kept;
        let order = self.written(changed, set.sorted.order);
        let mut planes = self.planes_of(set)?;
        let first = planes.kept(&self.prepared.host, &order, kept.clone())?;
        let step = changed.steps + 1;
        let total = self.total(set, &first, step)?;
        self.set_count(set, total);
        let (own, place) = self.divide_particles((set, ghosts), (&first, 0), step)?;
        let held = self.held(set);
        if [held.first + own.start, held.end - held.first] != [kept.start + place, kept.end - kept.start] {
            let name = &pipeline.resources[set.set()].name;
            return Err(RunError::Failed(format!(
                "ranks have removed different copies of particles of `{name}` in step {step}\n  help: see to it that the mark of a \
                 particle depends on it alone, and on fields that are valid there"
            )));
        }
        let wants = self.attributes(changed);
        self.shift_particles(set, &wants, &[[kept.start, held.first, kept.end - kept.start]])?;
        let moved: Vec<u64> = first
            .iter()
            .map(|first| first - kept.start + held.first)
            .collect();
        planes.moved(&self.prepared.host, &moved)?;
        if let Some(ranked) = &mut self.ranked {
            ranked.planes.insert(set.set(), planes);
        }
        if let Some(field) = pipeline.resources[set.set()].live() {
            let bytes: Vec<u8> = (live::words(total as u32, refused, 0).iter())
                .flat_map(|word| word.to_le_bytes())
                .collect();
            self.prepared.host.upload(&self.written(changed, field), &bytes)?;
        }
        let inner = self.inner_of(set, &first, place);
        self.set_particles(set, inner)
    }

    /// Moves runs of particles of this rank: from, to and count of each.
    pub(super) fn shift_particles(
        &mut self,
        set: &CutSet,
        wants: &[Want],
        runs: &[[u64; 3]],
    ) -> Result<(), RunError> {
        let moved = |[from, to, count]: &[u64; 3]| Moved {
            from: *from,
            to: *to,
            count: *count,
        };
        let moved: Vec<Moved> = runs.iter().map(moved).collect();
        let Some(ranked) = &mut self.ranked else {
            return Ok(());
        };
        if self.prepared.probe.spoils(ranked.exchanges.count) == Spoil::Unmoved {
            return Ok(());
        }
        let mut kept = ranked.runs.remove(&set.set()).unwrap_or_default();
        let stays = (ranked.exchanges).stays(&self.prepared, wants, &mut kept, &moved)?;
        self.submit_in_order("move particles", wants, stays)?;
        if let Some(ranked) = &mut self.ranked {
            ranked.runs.insert(set.set(), kept);
        }
        Ok(())
    }

    /// The particles of this rank that need no halo, if its first own one is at a place. `first` are those of each row, before it
    /// took this place.
    pub(super) fn inner_of(&self, set: &CutSet, first: &[u64], place: u64) -> Range<u64> {
        let (Some(partition), Some(ranked)) = (self.partition(), &self.ranked) else {
            return 0..0;
        };
        let rank = ranked.ranks.rank();
        let ends = &partition.planes[set.axis];
        let planes = [ends[rank], ends[rank + 1]];
        let own = planes.map(|plane| first[set.row_from(plane) as usize]);
        let inner = set
            .inner_rows(planes)
            .map(|row| first[row as usize].clamp(own[0], own[1]));
        let [start, end] = inner.map(|index| place + (index - own[0]));
        start..end.max(start)
    }

    /// The number of particles on all ranks, from the first ones of each row on this rank.
    fn total(&self, set: &CutSet, first: &[u64], step: u64) -> Result<u64, RunError> {
        let (Some(partition), Some(ranked)) = (self.partition(), &self.ranked) else {
            return Ok(0);
        };
        let rank = ranked.ranks.rank();
        let ends = &partition.planes[set.axis];
        let [start, end] = [ends[rank], ends[rank + 1]].map(|plane| first[set.row_from(plane) as usize]);
        let what = format!("of the number of particles in step {step}");
        let timeout = self.prepared.options.exchange_timeout();
        let all = ranked
            .ranks
            .gather(&what, &(end - start).to_le_bytes(), timeout)?;
        let number = |bytes: &Vec<u8>| bytes.as_slice().try_into().map_or(0, u64::from_le_bytes);
        Ok(all.iter().map(number).sum())
    }

    /// Sets the number of particles of a set on all ranks. Before the first sort, every rank has all.
    pub(super) fn set_count(&mut self, set: &CutSet, count: u64) {
        let Some(ranked) = &mut self.ranked else { return };
        ranked.counts.insert(set.set(), count);
        if !ranked.divided.contains(&set.set()) {
            let ranks = ranked.ranks.count();
            let all = (0..ranks).map(|rank| Neighbours::at_start(set, [rank, ranks], count));
            ranked.particles.insert(set.set(), all.collect());
        }
    }

    /// The live count of a set after a change, as the device has left it.
    fn live_words(&self, changed: &Changed) -> Result<Vec<u32>, RunError> {
        let Some(field) = self.prepared.pipeline.resources[changed.set.set()].live() else {
            return Ok(vec![0; live::WORDS as usize]);
        };
        let (buffer, host) = (self.written(changed, field), &self.prepared.host);
        let bytes = 4 * live::WORDS;
        let read = host
            .gpu
            .buffer("live count to read", bytes, BufferKind::Download)?;
        host.run_once("read a live count", |recorder| {
            recorder.copy(&buffer, 0, &read, 0, bytes)
        })?;
        let words = read.bytes()?.chunks_exact(4);
        Ok(words
            .map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()))
            .collect())
    }
}
