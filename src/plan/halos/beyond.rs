//! Stages that compute halos: they run beyond their part, so that stages after them need no exchange.
//!
//! An exchange takes as long as a device needs for millions of cells. Fields whose halos a rank computes itself have the
//! same bits there as on their own rank, if all that is read is valid as far. That is exchanged earlier, and deeper, where
//! ranks exchange anyway.

use std::collections::{HashMap, HashSet};

use super::growth::{growth, may_grow};
use super::kept::{self, Kept};
use super::types::WHOLE;
use super::{Effect, Need, StageHalos, stages};
use crate::ir::{Cut, CutGrid, FieldId, List, Pipeline, Share, StageId, Valid};

/// Elements that a stage computes in the time of an exchange without its values, and in that of one value more.
const OF_EXCHANGE: u64 = 1 << 22;
const OF_VALUE: u64 = 5;
/// Iterations of a repeat with `while` that are followed: the last one is like all later ones.
const ITERATIONS: usize = 3;
/// How often that last one counts.
const REPEATED: u64 = 8;
/// Most stages that change for one exchange less.
const MAX_CHANGES: usize = 64;

/// Lets stages of `step` compute halos where that saves exchanges. Call it after the pipeline is cut. All ranks decide alike.
pub fn compute_halos(pipeline: &mut Pipeline) {
    // In dense grids without levels, messages travel while interiors run.
    let has_short_stages = |cut: &Cut| {
        let is_sparse = |grid: &CutGrid| pipeline.resources[grid.id].sparse().is_some();
        (cut.grids.iter()).any(|grid| grid.scale.per != [1; 3] || is_sparse(grid))
    };
    if !pipeline.cut.as_deref().is_some_and(has_short_stages) {
        return;
    }
    part_repeated_stages(pipeline);
    let Some(mut search) = Search::new(pipeline) else {
        return;
    };
    loop {
        search.avoid_all(true);
        search.avoid_all(false);
        if !search.undo() {
            return;
        }
    }
}

/// Gives each entry of `step` a stage of its own, so that it may run farther beyond its part than others. Iterations of a repeat
/// with `while` are alike.
fn part_repeated_stages(pipeline: &mut Pipeline) {
    let mut seen = HashSet::new();
    for number in 0..pipeline.step.len() {
        let entry = &pipeline.step[number];
        let id = entry.stage;
        let is_alike = entry.iteration.is_some() || entry.call.is_some();
        let Some(cut) = pipeline.cut.as_deref_mut() else {
            return;
        };
        if is_alike || !matches!(cut.shares[id], Share::Part { .. }) || seen.insert(id) {
            continue;
        }
        let share = cut.shares[id].clone();
        cut.shares.push(share);
        cut.lined.push(cut.lined.get(id).copied().flatten());
        pipeline.step[number].stage = pipeline.stages.len();
        pipeline.stages.push(pipeline.stages[id].clone());
    }
}

/// An exchange before an entry of the step list.
struct Exchange {
    at: usize,
    /// In the last iteration of a repeat that is followed.
    is_repeated: bool,
    /// A field is exchanged as a whole: stages cannot compute it.
    is_whole: bool,
    /// The values that a rank receives for the halos among them.
    values: u64,
    lacking: Vec<Lacking>,
}

/// A field whose halo an exchange brings.
struct Lacking {
    field: FieldId,
    /// The depth that is wanted.
    depth: u32,
    /// The stage that wrote it, and the number of its entry from 1.
    writer: Option<StageId>,
    at: usize,
}

/// A search for growths of stages that save exchanges.
struct Search<'a> {
    pipeline: &'a mut Pipeline,
    kept: Vec<Kept>,
    halos: Vec<StageHalos>,
}

/// The state of a field in a pass through the step list.
#[derive(Clone, Copy)]
struct State {
    depth: u32,
    writer: Option<StageId>,
    /// The entry at which it was written.
    at: usize,
}

impl Search<'_> {
    fn new(pipeline: &mut Pipeline) -> Option<Search<'_>> {
        let stages = pipeline.stages.len();
        pipeline.cut.as_deref_mut()?.beyond = vec![[0; 3]; stages];
        Some(Search {
            halos: stages::of(pipeline)?,
            kept: kept::kept(pipeline),
            pipeline,
        })
    }

    /// The exchanges of a step in the middle of a run, approximately: copies of a field count as one, and the stages of init and
    /// of frames do not count.
    fn exchanges(&self) -> Vec<Exchange> {
        let mut states: HashMap<FieldId, State> = HashMap::new();
        let mut exchanges = Vec::new();
        for pass in 0..2 {
            exchanges = self.pass(&mut states, pass);
            states.values_mut().for_each(|state| state.at = 0);
        }
        exchanges
    }

    fn pass(&self, states: &mut HashMap<FieldId, State>, steps: u64) -> Vec<Exchange> {
        let pipeline = &*self.pipeline;
        let mut exchanges: Vec<Exchange> = Vec::new();
        let (mut start, mut kind) = (0, None);
        for (number, entry) in pipeline.step.iter().enumerate() {
            if entry.call.is_some() || entry.iteration.is_some_and(|of| of.number >= ITERATIONS) {
                continue;
            }
            let stage = &pipeline.stages[entry.stage];
            let memory = |field: FieldId| pipeline.swaps.memory(List::Step, entry.swaps, field, steps);
            let of_entry = (stage.every, stage.first, entry.iteration.map(|of| of.repeat));
            if kind.replace(of_entry) != Some(of_entry) {
                start = number;
            }
            let halos = &self.halos[entry.stage];
            let unmet = |need: &&Need| {
                let state = states.get(&memory(need.field));
                state.is_some_and(|state| match need.valid {
                    Valid::Depth(wanted) => !need.kept && wanted > state.depth,
                    Valid::Lines(_) | Valid::Box(_) | Valid::All => state.depth < WHOLE,
                })
            };
            let unmet: Vec<Need> = halos.needs.iter().filter(unmet).copied().collect();
            if !unmet.is_empty() {
                let written_since = |need: &Need| states[&memory(need.field)].at > start;
                if unmet.iter().any(written_since) {
                    start = number;
                }
                if exchanges.last().is_none_or(|last| last.at != start) {
                    exchanges.push(Exchange {
                        at: start,
                        is_repeated: entry.iteration.is_some_and(|of| of.number + 1 == ITERATIONS),
                        is_whole: false,
                        values: 0,
                        lacking: Vec::new(),
                    });
                }
            }
            for need in unmet {
                let state = states.get_mut(&memory(need.field));
                let Some((state, exchange)) = state.zip(exchanges.last_mut()) else {
                    continue;
                };
                match need.valid {
                    Valid::Depth(wanted) => {
                        exchange.lacking.push(Lacking {
                            field: need.field,
                            depth: wanted,
                            writer: state.writer,
                            at: state.at,
                        });
                        exchange.values += self.values(need.field, wanted);
                        state.depth = wanted;
                    }
                    Valid::Lines(_) => exchange.is_whole = true,
                    Valid::Box(_) | Valid::All => {
                        exchange.is_whole = true;
                        state.depth = WHOLE;
                    }
                }
            }
            for (field, effect) in &halos.effects {
                if let Some(depth) = effect.depth_after() {
                    let state = State {
                        depth,
                        writer: matches!(effect, Effect::Part { .. }).then_some(entry.stage),
                        // Entries count from 1: those of the pass before are older than any.
                        at: number + 1,
                    };
                    states.insert(memory(*field), state);
                }
            }
        }
        exchanges
    }

    /// Tries to do without each exchange, in order.
    fn avoid_all(&mut self, is_repeated: bool) {
        let mut from = 0;
        let is_wanted = |of: &Exchange| !of.is_whole && of.is_repeated == is_repeated;
        while let Some(next) = self.exchanges().iter().find(|of| is_wanted(of) && of.at >= from) {
            if !self.avoid(next.at) {
                from = next.at + 1;
            }
        }
    }

    /// Undoes growths that later ones have made useless. Returns true if that makes the step cheaper.
    fn undo(&mut self) -> bool {
        let (mut cost, mut is_changed) = (self.cost(&self.exchanges()), false);
        for id in 0..self.pipeline.stages.len() {
            let before = self.beyond()[id];
            if before == [0; 3] {
                continue;
            }
            self.set_growth(id, [0; 3]);
            let without = self.cost(&self.exchanges());
            if without < cost {
                (cost, is_changed) = (without, true);
            } else {
                self.set_growth(id, before);
            }
        }
        is_changed
    }

    /// Tries to do without the exchange before an entry, by stages that compute what it brings. Changes nothing if that costs as
    /// much.
    fn avoid(&mut self, at: usize) -> bool {
        let before = (self.beyond().to_vec(), self.halos.clone());
        let first = self.exchanges();
        let cost = self.cost(&first);
        for _ in 0..MAX_CHANGES {
            let now = self.exchanges();
            // Exchanges between the last one that must stay and the entry, and those that the changes have brought.
            let stays = now.iter().rfind(|of| of.at <= at && of.is_whole).map(|of| of.at);
            let is_new = |of: &&Exchange| Some(of.at) > stays || first.iter().all(|old| old.at != of.at);
            let mut others = now.iter().filter(|of| of.at <= at && !of.is_whole);
            let last = others.rfind(is_new);
            let Some(last) = last else {
                if self.cost(&now) < cost {
                    return true;
                }
                break;
            };
            // An earlier exchange can bring what was written before it, unless that one is for other steps.
            let earlier = now.iter().rfind(|of| of.at < last.at).map_or(0, |of| of.at);
            let (late, early): (Vec<_>, Vec<_>) = last.lacking.iter().partition(|of| of.at > earlier);
            let lacking = if late.is_empty() { early } else { late };
            let changes: Option<Vec<_>> = (lacking.iter())
                .map(|of| Some((of.writer?, of.field, of.depth)))
                .collect();
            let grown: Option<Vec<bool>> =
                changes.and_then(|of| of.into_iter().map(|of| self.grow(of)).collect());
            if !grown.is_some_and(|grown| grown.contains(&true)) {
                break;
            }
        }
        self.set_beyond(before.0);
        self.halos = before.1;
        false
    }

    /// Grows a stage so that it writes a field up to a depth. Returns true if it did not do so before, and `None` if it may not,
    /// or would take more than half as many elements again.
    fn grow(&mut self, (id, read, depth): (StageId, FieldId, u32)) -> Option<bool> {
        let pipeline = &*self.pipeline;
        let cut = pipeline.cut.as_deref()?;
        // Swaps give the memory other names.
        let family = pipeline.swaps.family(read);
        let mut written = (self.halos[id].effects.iter()).map(|(field, _)| *field);
        let field = written.find(|field| pipeline.swaps.family(*field) == family)?;
        if !may_grow(pipeline, cut, id, &self.halos[id]) {
            return None;
        }
        let wanted = growth(pipeline, cut, id, field, depth);
        let known = self.beyond()[id];
        let grown: [u64; 3] = std::array::from_fn(|axis| known[axis].max(wanted[axis]));
        if grown == known {
            return Some(false);
        }
        self.set_growth(id, grown);
        let [of_part, grown] = self.sizes(id)?;
        (2 * grown <= 3 * of_part).then_some(true)
    }

    /// Sets by how much a stage runs beyond its part.
    fn set_growth(&mut self, id: StageId, grown: [u64; 3]) {
        let mut beyond = self.beyond().to_vec();
        beyond[id] = grown;
        self.set_beyond(beyond);
        if let Some(cut) = self.pipeline.cut.as_deref() {
            self.halos[id] = stages::of_stage(self.pipeline, cut, id, &self.kept);
        }
    }

    fn beyond(&self) -> &[[u64; 3]] {
        self.pipeline.cut.as_deref().map_or(&[], |cut| &cut.beyond)
    }

    fn set_beyond(&mut self, beyond: Vec<[u64; 3]>) {
        if let Some(cut) = self.pipeline.cut.as_deref_mut() {
            cut.beyond = beyond;
        }
    }

    /// The elements of a stage on the rank with the largest part, and those with its growth.
    fn sizes(&self, id: StageId) -> Option<[u64; 2]> {
        let cut = self.pipeline.cut.as_deref()?;
        let stage = &self.pipeline.stages[id];
        let scaled = cut.partition.scaled(cut.scale_of(stage))?;
        let grow = cut.grow(id)?;
        let beyond = cut.beyond(id);
        let base: [u64; 3] = std::array::from_fn(|axis| grow[axis] - beyond[axis]);
        let largest = |grow: [u64; 3]| {
            let of_rank = |rank| scaled.grown(rank, stage.domain.size, grow).elements();
            (0..scaled.ranks()).map(of_rank).max()
        };
        Some([largest(base)?, largest(grow)?])
    }

    /// The values around the part of a rank, up to a depth.
    fn values(&self, field: FieldId, depth: u32) -> u64 {
        let layout = self.pipeline.layout_of(field);
        let partition = self.pipeline.cut.as_deref().map(|cut| &cut.partition);
        let Some(scaled) = partition.and_then(|partition| partition.scaled(layout.scale)) else {
            return 0;
        };
        let of_rank = |rank| {
            let [part, all] =
                [0, u64::from(depth)].map(|grow| scaled.grown(rank, layout.sides, [grow; 3]).elements());
            all - part
        };
        let most = (0..scaled.ranks()).map(of_rank).max().unwrap_or(0);
        most * u64::from(layout.entries)
    }

    /// The time of a step that exchanges and what they are replaced by take, in elements.
    fn cost(&self, exchanges: &[Exchange]) -> u64 {
        let of_exchange = |of: &Exchange| {
            let times = if of.is_repeated { REPEATED } else { 1 };
            times * (OF_EXCHANGE + OF_VALUE * of.values)
        };
        exchanges.iter().map(of_exchange).sum::<u64>() + self.elements()
    }

    /// The elements that a step computes twice.
    fn elements(&self) -> u64 {
        let more = self.pipeline.step.iter().map(|entry| {
            let stage = &self.pipeline.stages[entry.stage];
            let times = match entry.iteration.map(|of| of.number + 1) {
                None => 1,
                Some(ITERATIONS) => REPEATED,
                Some(_) => 0,
            };
            let is_grown = times > 0 && self.beyond()[entry.stage] != [0; 3];
            let sizes = is_grown.then(|| self.sizes(entry.stage)).flatten();
            let cells = stage
                .tiles
                .map_or(1, |tiles| tiles.per.map(u64::from).iter().product());
            sizes.map_or(0, |[of_part, grown]| times * cells * (grown - of_part))
        });
        more.sum()
    }
}
