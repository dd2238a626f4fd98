//! Particles without ghosts: after each sort, ranks exchange those that have changed parts.

use std::ops::Range;

use crate::gpu::Recording;
use crate::ir::{CutSet, FieldId, Neighbours, Runs};
use crate::particles::live;
use crate::plan::{Lane, Touched, Want};

use super::super::error::RunError;
use super::super::exchange::{Between, Moved};
use super::super::probe::Spoil;
use super::super::state::SimulationState;
use super::Simulation;
use super::ranked::{Leaving, News, digest};

impl Simulation {
    /// Exchanges the particles of a set that this rank has sorted: they are to be sorted once more. `first` are the first particles of
    /// each row, and the end. Returns those whose cells will need no halo. All ranks must call it.
    pub(super) fn move_particles(
        &mut self,
        set: &CutSet,
        wants: &[Want],
        first: &[u32],
        step: u64,
    ) -> Result<Range<u64>, RunError> {
        let what = format!("of particles in step {step}");
        let Some(runs) = self.agree_on_runs(set, first, &what)? else {
            return Ok(0..0);
        };
        self.exchange_runs(set, &runs, wants, &what)?;
        let (Some(partition), Some(ranked)) = (self.partition(), &mut self.ranked) else {
            return Ok(0..0);
        };
        let ranks = 0..ranked.ranks.count();
        let rank = ranked.ranks.rank();
        let all = ranks.map(|rank| Neighbours::alone(runs.own(rank)));
        ranked.particles.insert(set.set(), all.collect());
        ranked.divided.insert(set.set());
        let planes = &partition.planes[set.axis];
        let own = runs.own(rank);
        Ok(inner(set, [planes[rank], planes[rank + 1]], own, |row| {
            runs.first_of(row)
        }))
    }

    /// Divides particles as their last sort did, if a state is between two sorts.
    pub(super) fn divide_as_sorted(&mut self, state: &SimulationState) -> Result<(), RunError> {
        let pipeline = self.prepared.pipeline.clone();
        let (Some(cut), Some(partition)) = (pipeline.cut.as_deref(), self.partition()) else {
            return Ok(());
        };
        for set in &cut.sets {
            let resource = &pipeline.resources[set.set()];
            if let Some(live) = resource.live() {
                let words = self.saved(state, live)?;
                self.set_count(set, words.get(live::COUNT).copied().unwrap_or(0).into());
            }
            if !pipeline.is_between_sorts(set, state.steps) {
                self.set_particles(set, 0..0)?;
                continue;
            }
            let mut keys = self.saved(state, set.sorted.key)?;
            keys.truncate(self.ranked.as_ref().map_or(0, |ranked| ranked.count(set.set())) as usize);
            let Some(first) = set.first_of_rows(&keys) else {
                let set = &resource.name;
                return Err(RunError::Failed(format!(
                    "ranks cannot continue between two sorts of `{set}`: a stage has given particles the keys of other blocks \
                     since\n  help: continue on one rank up to the next sort"
                )));
            };
            let first_of = |row: u64| first[row as usize];
            let planes = &partition.planes[set.axis];
            let own = |ends: &[u64]| match set.ghosts {
                Some(ghosts) => Neighbours::between(set, ghosts, &first, [ends[0], ends[1]]),
                None => Neighbours::alone(first_of(set.row_from(ends[0]))..first_of(set.row_from(ends[1]))),
            };
            let Some(ranked) = &mut self.ranked else { continue };
            let rank = ranked.ranks.rank();
            ranked
                .particles
                .insert(set.set(), planes.windows(2).map(own).collect());
            ranked.divided.insert(set.set());
            let ends = [planes[rank], planes[rank + 1]];
            let own = own(&ends);
            let inner = inner(set, ends, own.own_first..own.own_end, first_of);
            self.set_particles(set, inner)?;
            if set.ghosts.is_some() {
                let mut planes = self.planes_of(set)?;
                planes.moved(&self.prepared.host, &first)?;
                if let Some(ranked) = &mut self.ranked {
                    ranked.planes.insert(set.set(), planes);
                }
            }
        }
        Ok(())
    }

    /// The newest words of a field in a state.
    fn saved(&self, state: &SimulationState, field: FieldId) -> Result<Vec<u32>, RunError> {
        let pipeline = &self.prepared.pipeline;
        let (field, copy) = self.newest(field);
        let name = format!("{}[{copy}]", pipeline.fields[field].name);
        let (words, _) = state.part(&name, pipeline.field_bytes(field))?.as_chunks();
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    fn agree_on_runs(&mut self, set: &CutSet, first: &[u32], what: &str) -> Result<Option<Runs>, RunError> {
        let (Some(partition), Some(ranked)) = (self.partition(), &self.ranked) else {
            return Ok(None);
        };
        let bytes: Vec<u8> = first.iter().flat_map(|first| first.to_le_bytes()).collect();
        let timeout = self.prepared.options.exchange_timeout();
        let of_rank = |bytes: &Vec<u8>| -> Vec<u64> {
            let words = bytes
                .chunks_exact(4)
                .map(|word| word.try_into().unwrap_or_default());
            words.map(|word| u32::from_le_bytes(word).into()).collect()
        };
        let firsts: Vec<Vec<u64>> = ranked
            .ranks
            .gather(what, &bytes, timeout)?
            .iter()
            .map(of_rank)
            .collect();
        let ends = partition.planes[set.axis].iter().skip(1);
        let ends: Vec<u64> = ends.map(|plane| set.row_from(*plane)).collect();
        let runs = Runs::new(&firsts, &ends);
        let (name, count) = {
            let resource = &self.prepared.pipeline.resources[set.set()];
            (&resource.name, resource.elements())
        };
        let found = runs.own(ends.len() - 1).end;
        if found != count {
            return Err(RunError::Failed(format!(
                "{found} of {count} particles of `{name}` have a key below {}, the number of blocks\n  help: see to it that the \
                 kernel before the sort keeps keys in this range",
                set.row * set.rows
            )));
        }
        Ok(Some(runs))
    }

    fn exchange_runs(
        &mut self,
        set: &CutSet,
        runs: &Runs,
        wants: &[Want],
        what: &str,
    ) -> Result<(), RunError> {
        let spoil = self.next_spoil();
        let (Some(partition), Some(ranked)) = (self.partition(), &mut self.ranked) else {
            return Ok(());
        };
        let (ranks, particles) = (ranked.ranks.clone(), ranked.particles.clone());
        let mut kept = ranked.runs.remove(&set.set()).unwrap_or_default();
        let between = Between {
            partition: &partition,
            particles: &particles,
            rank: ranks.rank(),
            to: None,
            spoil,
            runs: Some(runs),
        };
        let rounds = match spoil {
            Spoil::Drop => Vec::new(),
            _ => (ranked.exchanges).runs(&self.prepared, between, wants, &ranks, &mut kept)?,
        };
        let news = News {
            ranks: &ranks,
            what,
            digest: digest(wants, None),
        };
        // All runs are packed before any arrives in their place.
        let packed = rounds
            .into_iter()
            .map(|round| Ok((self.pack(&round, wants)?, round)));
        let packed: Vec<(Leaving, _)> = packed.collect::<Result<_, RunError>>()?;
        if let Some(ranked) = &mut self.ranked {
            let [before, after] = runs.run([between.rank; 2]);
            let moved = Moved {
                from: before.start,
                to: after.start,
                count: before.end - before.start,
            };
            let stays = (ranked.exchanges).stays(&self.prepared, wants, &mut kept, &[moved])?;
            self.submit_in_order("move particles", wants, stays)?;
        }
        let is_single = packed.len() == 1;
        for (leaving, mut round) in packed {
            self.swap(&mut round, leaving, wants, &news)?;
            if is_single {
                kept.keep(round);
            }
        }
        if let Some(ranked) = &mut self.ranked {
            ranked.runs.insert(set.set(), kept);
        }
        Ok(())
    }

    /// Submits recordings that read and write copies of fields.
    pub(super) fn submit_in_order(
        &mut self,
        name: &str,
        wants: &[Want],
        all: Vec<&Recording>,
    ) -> Result<(), RunError> {
        if all.is_empty() {
            return Ok(());
        }
        let copies = || wants.iter().map(|want| want.at).collect();
        let touched = Touched {
            reads: copies(),
            writes: copies(),
        };
        let ticket = self.schedule.submit(Lane::Step, &touched);
        let batch = self.batch(Lane::Step, &ticket.waits, all, ticket.signal);
        self.submit(Lane::Step, name, vec![batch])
    }
}

/// The particles of a part between planes of cells whose cells need no halo.
fn inner(set: &CutSet, planes: [u64; 2], own: Range<u64>, first_of: impl Fn(u64) -> u64) -> Range<u64> {
    let [start, end] = set.inner_rows(planes).map(first_of);
    let start = start.clamp(own.start, own.end);
    start..end.clamp(start, own.end)
}
