//! Memory of the blocks of a sparse grid: granules of blocks, each bound to one slot of memory.
//!
//! If blocks are addressed through a table, a granule is one block, its slot is its page, and nothing is bound.

use std::collections::{BTreeSet, HashMap};

use super::slots::{SlotPool, SlotRun};

/// Consecutive granules that are bound to consecutive memory, or unbound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BindRun {
    pub first_granule: u32,
    pub count: u32,
    /// Chunk, and the first slot in it; `None` to unbind.
    pub memory: Option<(u32, u32)>,
}

/// A granule that has memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Granule {
    pub chunk: u32,
    pub slot: u32,
    /// Active blocks.
    pub blocks: u32,
    /// The update that freed its last block, if it has none.
    pub retired: Option<u64>,
}

#[derive(Debug, Clone)]
pub(super) struct Granules {
    pub pool: SlotPool,
    pub by_number: HashMap<u32, Granule>,
    granule_log2: u32,
    /// Granules without an active block, oldest first. They keep their memory, so that blocks that return need no bind, until
    /// the memory is needed elsewhere or too many granules are idle.
    idle: BTreeSet<(u64, u32)>,
    max_idle: usize,
    binds: bool,
}

impl Granules {
    pub(super) fn new(pool: SlotPool, granule_log2: u32, max_idle: usize, binds: bool) -> Granules {
        Granules {
            pool,
            by_number: HashMap::new(),
            granule_log2,
            idle: BTreeSet::new(),
            max_idle,
            binds,
        }
    }

    pub(super) fn of(&self, block: u32) -> Option<&Granule> {
        self.by_number.get(&(block >> self.granule_log2))
    }

    /// The granules of ascending `blocks` that have no active blocks.
    pub(super) fn unoccupied(&self, blocks: &[u32]) -> Vec<u32> {
        let mut granules: Vec<u32> = blocks.iter().map(|block| block >> self.granule_log2).collect();
        granules.dedup();
        granules.retain(|granule| self.by_number.get(granule).is_none_or(|found| found.blocks == 0));
        granules
    }

    /// Binds memory to the granules of ascending `blocks`. These granules and those in use must fit in the pool.
    pub(super) fn occupy(&mut self, blocks: &[u32]) -> Vec<BindRun> {
        let mut new = Vec::new();
        for granule in self.unoccupied(blocks) {
            match self.by_number.get_mut(&granule) {
                Some(found) => {
                    if let Some(retired) = found.retired.take() {
                        self.idle.remove(&(retired, granule));
                    }
                }
                None => new.push(granule),
            }
        }
        let mut binds = self.release(new.len() as u64);
        let mut rest = new.as_slice();
        while let [first, ..] = rest {
            let count = (0..)
                .zip(rest)
                .take_while(|(n, granule)| first + n == **granule)
                .count();
            let (row, others) = rest.split_at(count);
            rest = others;
            let Some(runs) = self.pool.take_run(count as u32) else {
                debug_assert!(false, "no room for {count} granules");
                continue;
            };
            let slots = runs
                .iter()
                .flat_map(|run| (run.first..run.first + run.count).map(|slot| (run.chunk, slot)));
            for (granule, (chunk, slot)) in row.iter().zip(slots) {
                let bound = Granule {
                    chunk,
                    slot,
                    blocks: 0,
                    retired: None,
                };
                self.by_number.insert(*granule, bound);
                binds.push(BindRun {
                    first_granule: *granule,
                    count: 1,
                    memory: Some((chunk, slot)),
                });
            }
        }
        for block in blocks {
            if let Some(granule) = self.by_number.get_mut(&(block >> self.granule_log2)) {
                granule.blocks += 1;
            }
        }
        if self.binds { merged(binds) } else { Vec::new() }
    }

    /// Removes blocks. Granules without an active block are idle from the next update on.
    pub(super) fn vacate(&mut self, blocks: &[u32], now: u64) {
        for block in blocks {
            let number = block >> self.granule_log2;
            if let Some(granule) = self.by_number.get_mut(&number) {
                granule.blocks -= 1;
                if granule.blocks == 0 {
                    granule.retired = Some(now);
                    self.idle.insert((now, number));
                }
            }
        }
    }

    /// Takes memory from idle granules, oldest first, if `wanted` granules need it or too many are idle. If too many
    /// are idle, half of them lose it, so that the binds of several updates become one.
    fn release(&mut self, wanted: u64) -> Vec<BindRun> {
        let needed = wanted
            .saturating_sub(self.pool.free())
            .min(self.idle.len() as u64) as usize;
        let surplus = match self.idle.len() {
            idle if idle > self.max_idle => idle - self.max_idle / 2,
            _ => 0,
        };
        let mut released: Vec<u32> = (0..needed.max(surplus))
            .filter_map(|_| self.idle.pop_first())
            .map(|(_, granule)| granule)
            .collect();
        released.sort_unstable();
        for number in &released {
            if let Some(granule) = self.by_number.remove(number) {
                self.pool.give_back(SlotRun {
                    chunk: granule.chunk,
                    first: granule.slot,
                    count: 1,
                });
            }
        }
        let unbind = |first_granule| BindRun {
            first_granule,
            count: 1,
            memory: None,
        };
        released.into_iter().map(unbind).collect()
    }

    /// Restores granules, and returns the binds for them. It is an error if they contradict each other.
    pub(super) fn restore(&mut self, granules: &[(u32, Granule)]) -> Result<Vec<BindRun>, String> {
        let mut binds = Vec::new();
        for (number, granule) in granules {
            let run = SlotRun {
                chunk: granule.chunk,
                first: granule.slot,
                count: 1,
            };
            let memory = format!("slot {} of chunk {}", granule.slot, granule.chunk);
            if !self.pool.claim(run) {
                return Err(format!("{memory} of granule {number} does not exist or is taken"));
            }
            if granule.retired.is_some() != (granule.blocks == 0)
                || self.by_number.insert(*number, *granule).is_some()
            {
                return Err(format!(
                    "granule {number} occurs twice, or is neither idle nor in use"
                ));
            }
            self.idle
                .extend(granule.retired.map(|retired| (retired, *number)));
            let memory = Some((granule.chunk, granule.slot));
            binds.push(BindRun {
                first_granule: *number,
                count: 1,
                memory,
            });
        }
        Ok(if self.binds { merged(binds) } else { Vec::new() })
    }
}

/// Joins adjacent binds of consecutive memory, and adjacent unbinds.
fn merged(binds: Vec<BindRun>) -> Vec<BindRun> {
    let mut runs: Vec<BindRun> = Vec::new();
    for bind in binds {
        if let Some(last) = runs.last_mut() {
            let follows = last.first_granule + last.count == bind.first_granule;
            let next = last.memory.map(|(chunk, slot)| (chunk, slot + last.count));
            if follows && next == bind.memory {
                last.count += bind.count;
                continue;
            }
        }
        runs.push(bind);
    }
    runs
}
