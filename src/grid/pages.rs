//! The page manager of a sparse grid: determines active blocks and their memory from requests.
//!
//! Its decisions depend only on the requests of all updates so far, not on the device or on time, so neither a slow device
//! nor a slow host changes results.

mod bits;
mod policy;
mod state;
mod surrounded;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use super::Layout;
use super::granules::Granules;
use super::slots::SlotPool;
use bits::{get, ones, set};

pub use policy::{Addressing, CHUNK_BYTES, Changes, Full, Policy, WhenFull};
pub use state::PagesState;
use surrounded::Surroundings;

#[derive(Debug, Clone)]
pub struct PageManager {
    layout: Layout,
    policy: Policy,
    mode: Addressing,
    granule_log2: u32,
    updates: u64,
    /// Bitmaps over block numbers.
    active_bits: Vec<u32>,
    waiting_bits: Vec<u32>,
    /// Requested numbers without a block in the domain.
    outside_bits: Vec<u32>,
    active: Vec<u32>,
    /// Active blocks without a request, by the first update without one: the order in which they are deactivated.
    waiting: BTreeSet<(u64, Reverse<u32>)>,
    waiting_since: HashMap<u32, u64>,
    granules: Granules,
    surroundings: Surroundings,
}

/// Changes of blocks that the requests of an update require.
#[derive(Default)]
struct Requests {
    /// Requested and not active.
    wanted: Vec<u32>,
    /// Active and requested until the last update.
    dropped: Vec<u32>,
    /// Waiting, and requested again.
    again: Vec<u32>,
}

impl PageManager {
    pub fn new(layout: &Layout, policy: Policy, mode: Addressing) -> PageManager {
        let number_bits = layout.block_bits.iter().sum();
        let granule_log2 = match mode {
            Addressing::Direct => policy.granule.max(1).ilog2().min(number_bits),
            Addressing::Table => 0,
        };
        // In the worst case, each active block is the only one of its granule.
        let granules = policy
            .budget_blocks
            .min(layout.numbers() >> granule_log2)
            .min(u64::from(u32::MAX));
        let granule_bytes = layout.block_bytes << granule_log2;
        let per_chunk = (policy.chunk_bytes / granule_bytes).clamp(1, u64::from(u32::MAX)) as u32;
        let (max_idle, binds) = match mode {
            Addressing::Direct => ((policy.budget_blocks >> granule_log2) / policy::IDLE_PART, true),
            Addressing::Table => (0, false),
        };
        let words = layout.numbers().div_ceil(32) as usize;
        PageManager {
            granule_log2,
            updates: 0,
            active_bits: vec![0; words],
            waiting_bits: vec![0; words],
            outside_bits: vec![0; words],
            active: Vec::new(),
            waiting: BTreeSet::new(),
            waiting_since: HashMap::new(),
            granules: Granules::new(
                SlotPool::new(per_chunk, granules),
                granule_log2,
                max_idle as usize,
                binds,
            ),
            surroundings: Surroundings::new(layout),
            layout: layout.clone(),
            policy,
            mode,
        }
    }

    /// Processes the requests of one update, a bitmap over block numbers; missing words request nothing. An error
    /// leaves everything unchanged.
    pub fn update(&mut self, requests: &[u32]) -> Result<Changes, Full> {
        let now = self.updates + 1;
        let Requests {
            mut wanted,
            dropped,
            again,
        } = self.compare(requests);
        let mut leaving = self.expired(now, requests, &dropped);
        let room = self.policy.budget_blocks.saturating_sub(self.active.len() as u64);
        let needed = wanted.len() as u64;
        let mut unserved = 0;
        if needed > room {
            if self.policy.when_full == WhenFull::Stop {
                return Err(Full {
                    wanted: (self.active.len() - leaving.len() + wanted.len()) as u64,
                    budget: self.policy.budget_blocks,
                    active: self.active.len() as u64,
                });
            }
            self.evict(needed - room, requests, &dropped, &mut leaving);
            // The blocks with the highest numbers stay unserved.
            unserved = needed - room;
            wanted.truncate(room as usize);
        }
        leaving.sort_unstable();
        self.updates = now;

        let binds = self.granules.occupy(&wanted);
        self.granules.vacate(&leaving, now);
        for block in again.iter().chain(&leaving) {
            if let Some(since) = self.waiting_since.remove(block) {
                self.waiting.remove(&(since, Reverse(*block)));
                set(&mut self.waiting_bits, *block, false);
            }
        }
        for block in dropped
            .into_iter()
            .filter(|block| leaving.binary_search(block).is_err())
        {
            self.waiting.insert((now, Reverse(block)));
            self.waiting_since.insert(block, now);
            set(&mut self.waiting_bits, block, true);
        }
        let changed = !wanted.is_empty() || !leaving.is_empty();
        if changed {
            self.change_active(&wanted, &leaving);
        }
        let paged = wanted
            .iter()
            .filter_map(|block| Some((*block, self.page(*block)?)));
        Ok(Changes {
            activated: paged.collect(),
            deactivated: leaving,
            binds,
            new_chunks: self.granules.pool.take_grown(),
            freed_chunks: self.granules.pool.release_empty(),
            unserved,
            changed,
        })
    }

    /// Active blocks, ascending.
    pub fn active(&self) -> &[u32] {
        &self.active
    }

    /// For each active block, ascending, the blocks around it that are not active, as bits, and 0 if there are none.
    pub fn missing(&self) -> Vec<u32> {
        let missing = |block: &u32| self.surroundings.missing(*block, &self.active_bits);
        self.active.iter().map(missing).collect()
    }

    #[cfg(feature = "internals")]
    pub fn active_count(&self) -> u64 {
        self.active.len() as u64
    }

    /// Active blocks, a bitmap over block numbers.
    #[cfg(feature = "internals")]
    pub fn active_bits(&self) -> &[u32] {
        &self.active_bits
    }

    /// The position of an active block, in blocks from the start of the reservation or of the pool.
    pub fn page(&self, block: u32) -> Option<u32> {
        if !get(&self.active_bits, block) {
            return None;
        }
        match self.mode {
            Addressing::Direct => Some(block),
            Addressing::Table => {
                let place = self.granules.of(block)?;
                Some(place.chunk * self.slots_per_chunk() + place.slot)
            }
        }
    }

    /// Number of blocks of a granule, the unit of the numbers in binds.
    #[cfg(feature = "internals")]
    pub fn granule(&self) -> u32 {
        1 << self.granule_log2
    }

    /// Bytes of a granule and of a slot of memory.
    pub fn granule_bytes(&self) -> u64 {
        self.layout.block_bytes << self.granule_log2
    }

    pub fn slots_per_chunk(&self) -> u32 {
        self.granules.pool.per_chunk()
    }

    /// Bytes of a chunk; the last one that the budget allows may be smaller.
    pub fn chunk_bytes(&self, chunk: u32) -> u64 {
        u64::from(self.granules.pool.slots_of(chunk)) * self.granule_bytes()
    }

    /// Bytes of memory of blocks: of active ones, and of inactive ones that still have memory.
    pub fn resident_bytes(&self) -> u64 {
        self.granules.by_number.len() as u64 * self.granule_bytes()
    }

    /// Bytes of all chunks, at most the budget.
    #[cfg(feature = "internals")]
    pub fn allocated_bytes(&self) -> u64 {
        self.granules.pool.allocated() * self.granule_bytes()
    }

    fn compare(&mut self, requests: &[u32]) -> Requests {
        let mut found = Requests::default();
        for word in 0..self.active_bits.len() {
            let requested = requests.get(word).copied().unwrap_or(0);
            let (active, waiting) = (self.active_bits[word], self.waiting_bits[word]);
            let first = 32 * word as u32;
            for bit in ones(requested & !active & !self.outside_bits[word]) {
                if self.layout.contains(first + bit) {
                    found.wanted.push(first + bit);
                } else {
                    self.outside_bits[word] |= 1 << bit;
                }
            }
            if !self.policy.persistent {
                found
                    .dropped
                    .extend(ones(active & !waiting & !requested).map(|bit| first + bit));
                found
                    .again
                    .extend(ones(waiting & requested).map(|bit| first + bit));
            }
        }
        found
    }

    /// Blocks whose waiting time is over.
    fn expired(&self, now: u64, requests: &[u32], dropped: &[u32]) -> Vec<u32> {
        if self.policy.keep == 0 {
            return dropped.to_vec();
        }
        let due = self
            .waiting
            .iter()
            .take_while(|(since, _)| since + u64::from(self.policy.keep) <= now);
        due.map(|(_, Reverse(block))| *block)
            .filter(|block| !get(requests, *block))
            .collect()
    }

    /// Adds waiting blocks to `leaving` until it has `shortage` blocks, or no block waits.
    fn evict(&self, shortage: u64, requests: &[u32], dropped: &[u32], leaving: &mut Vec<u32>) {
        let gone: BTreeSet<u32> = leaving.iter().copied().collect();
        let waiting = self.waiting.iter().map(|(_, Reverse(block))| block);
        let others = (waiting.chain(dropped.iter().rev()))
            .filter(|block| !get(requests, **block) && !gone.contains(block));
        let missing = shortage.saturating_sub(leaving.len() as u64);
        leaving.extend(others.take(missing as usize));
    }

    fn change_active(&mut self, activated: &[u32], deactivated: &[u32]) {
        for block in activated {
            set(&mut self.active_bits, *block, true);
        }
        for block in deactivated {
            set(&mut self.active_bits, *block, false);
        }
        let mut new = activated.iter().copied().peekable();
        let mut active = Vec::with_capacity(self.active.len() + activated.len() - deactivated.len());
        for block in &self.active {
            while let Some(before) = new.next_if(|new| new < block) {
                active.push(before);
            }
            if get(&self.active_bits, *block) {
                active.push(*block);
            }
        }
        active.extend(new);
        self.active = active;
    }
}

#[cfg(test)]
mod tests;
