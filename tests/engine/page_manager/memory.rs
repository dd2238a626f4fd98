//! Memory as a device has it: chunks, what is bound where, and a word in each block.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sastrugi::grid::{Addressing, Changes, Layout, PageManager};

/// Chunk, slot of it, block of the granule.
type Place = (u32, u32, u32);

const BACKGROUND: u64 = 0;

#[derive(Clone)]
pub struct Memory {
    mode: Addressing,
    granule: u32,
    per_chunk: u32,
    granules: u32,
    chunks: BTreeSet<u32>,
    /// Granule to chunk and slot.
    bound: BTreeMap<u32, (u32, u32)>,
    /// In table mode: page of each active block.
    pages: BTreeMap<u32, u32>,
    words: HashMap<Place, u64>,
    /// Expected contents of each active block.
    expected: BTreeMap<u32, u64>,
    slots_of: Vec<u32>,
    /// In table mode: pages that the last update freed.
    retired: usize,
}

impl Memory {
    pub fn new(layout: &Layout, manager: &PageManager, mode: Addressing) -> Memory {
        let bytes = manager.granule_bytes();
        let slots = |chunk| (manager.chunk_bytes(chunk) / bytes) as u32;
        Memory {
            mode,
            granule: manager.granule(),
            per_chunk: manager.slots_per_chunk(),
            granules: (layout.numbers() / u64::from(manager.granule())) as u32,
            chunks: BTreeSet::new(),
            bound: BTreeMap::new(),
            pages: BTreeMap::new(),
            words: HashMap::new(),
            expected: BTreeMap::new(),
            retired: 0,
            slots_of: (0..).map(slots).take_while(|slots| *slots > 0).collect(),
        }
    }

    /// The memory of a manager that was restored to where this one is: nothing is there, and what is retired is.
    pub fn empty(&self) -> Memory {
        Memory {
            chunks: BTreeSet::new(),
            bound: BTreeMap::new(),
            pages: BTreeMap::new(),
            words: HashMap::new(),
            expected: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// The memory of a block; an error if it has none.
    fn place(&self, block: u32) -> Result<Place, String> {
        let (chunk, slot) = match self.mode {
            Addressing::Direct => self.bound.get(&(block / self.granule)).copied(),
            Addressing::Table => self
                .pages
                .get(&block)
                .map(|page| (page / self.per_chunk, page % self.per_chunk)),
        }
        .ok_or_else(|| format!("block {block} has no memory"))?;
        self.exists(chunk, slot)?;
        Ok((chunk, slot, block % self.granule))
    }

    fn exists(&self, chunk: u32, slot: u32) -> Result<(), String> {
        let there = self.chunks.contains(&chunk) && slot < self.slots_of[chunk as usize];
        there
            .then_some(())
            .ok_or_else(|| format!("slot {slot} of chunk {chunk} has no memory"))
    }

    fn bind(&mut self, changes: &Changes) -> Result<(), String> {
        let runs = |bound: bool| {
            changes
                .binds
                .iter()
                .filter(move |bind| bind.memory.is_some() == bound)
        };
        let mut touched = BTreeSet::new();
        for run in runs(false).chain(runs(true)) {
            for n in 0..run.count {
                let granule = run.first_granule + n;
                if granule >= self.granules || !touched.insert(granule) {
                    return Err(format!("granule {granule} is no granule or in two binds"));
                }
                match run.memory {
                    Some((chunk, slot)) => {
                        self.exists(chunk, slot + n)?;
                        if self.bound.insert(granule, (chunk, slot + n)).is_some() {
                            return Err(format!("granule {granule} is bound twice"));
                        }
                    }
                    None if self.bound.remove(&granule).is_none() => {
                        return Err(format!("granule {granule} is unbound twice"));
                    }
                    None => {}
                }
            }
        }
        let slots: BTreeSet<_> = self.bound.values().collect();
        if slots.len() < self.bound.len() {
            return Err("a slot is bound twice".into());
        }
        Ok(())
    }

    pub fn update(&mut self, changes: &Changes, manager: &PageManager, stamp: u64) -> Result<(), String> {
        self.retired = changes.deactivated.len();
        self.apply(changes, manager, stamp)
    }

    /// Does what an update asks for, and checks what every active block holds before and after.
    pub fn apply(&mut self, changes: &Changes, manager: &PageManager, stamp: u64) -> Result<(), String> {
        for chunk in &changes.new_chunks {
            if !self.chunks.insert(*chunk) {
                return Err(format!("chunk {chunk} is made twice"));
            }
        }
        // Commands before this update may run until after its binds, and write to what was active.
        let late: Vec<(u32, Place)> = (self.expected.keys())
            .map(|block| Ok((*block, self.place(*block)?)))
            .collect::<Result<_, String>>()?;
        self.bind(changes)?;
        if self.mode == Addressing::Direct
            && let Some((block, _)) = late
                .iter()
                .find(|(block, place)| self.place(*block).as_ref() != Ok(place))
        {
            return Err(format!("block {block} lost memory that is still in use"));
        }
        for chunk in &changes.freed_chunks {
            if !self.chunks.remove(chunk) {
                return Err(format!("chunk {chunk} is freed twice"));
            }
        }
        for (block, page) in &changes.activated {
            if self.expected.contains_key(block) {
                return Err(format!("block {block} is activated twice"));
            }
            if self.mode == Addressing::Table {
                self.pages.insert(*block, *page);
            } else if page != block {
                return Err(format!("block {block} lies at {page}"));
            }
            let place = self.place(*block)?;
            self.words.insert(place, BACKGROUND);
            self.expected.insert(*block, BACKGROUND);
        }
        for block in &changes.deactivated {
            if self.expected.remove(block).is_none() {
                return Err(format!("block {block} is freed twice"));
            }
            self.pages.remove(block);
        }
        for (block, place) in &late {
            if !self.expected.contains_key(block) {
                self.words.insert(*place, u64::MAX);
            }
        }
        self.check(changes, manager)?;
        let blocks: Vec<u32> = self.expected.keys().copied().collect();
        for (n, block) in (0..).zip(blocks) {
            let place = self.place(block)?;
            self.words.insert(place, stamp.wrapping_add(n));
            self.expected.insert(block, stamp.wrapping_add(n));
        }
        self.check(changes, manager)
    }

    fn check(&self, changes: &Changes, manager: &PageManager) -> Result<(), String> {
        let active: Vec<u32> = self.expected.keys().copied().collect();
        if active != manager.active() {
            return Err(format!("active {:?}, told {active:?}", manager.active()));
        }
        let told: Vec<u32> = manager
            .active_bits()
            .iter()
            .zip(0..)
            .flat_map(|(word, n)| {
                (0..32)
                    .filter(move |bit| word >> bit & 1 == 1)
                    .map(move |bit| 32 * n + bit)
            })
            .collect();
        if told != active
            || changes.changed != (!changes.activated.is_empty() || !changes.deactivated.is_empty())
        {
            return Err("the bitmap of active blocks, or the flag of changes, is wrong".into());
        }
        let mut places = BTreeSet::new();
        for (block, expected) in &self.expected {
            let place = self.place(*block)?;
            if !places.insert(place) {
                return Err(format!("block {block} shares its memory"));
            }
            let page = if self.mode == Addressing::Direct {
                *block
            } else {
                self.pages[block]
            };
            if manager.page(*block) != Some(page) {
                return Err(format!(
                    "block {block} has page {:?}, not {page}",
                    manager.page(*block)
                ));
            }
            let found = self.words.get(&place);
            if found != Some(expected) {
                return Err(format!("block {block} holds {found:?}, not {expected}"));
            }
        }
        for (chunk, slot) in self.bound.values() {
            self.exists(*chunk, *slot)?;
        }
        let allocated: u32 = self
            .chunks
            .iter()
            .map(|chunk| self.slots_of[*chunk as usize])
            .sum();
        let (bytes, resident) = (manager.granule_bytes(), manager.resident_bytes());
        let bound = match self.mode {
            Addressing::Direct => self.bound.len(),
            Addressing::Table => self.pages.len() + self.retired,
        };
        if resident != bound as u64 * bytes || manager.allocated_bytes() != u64::from(allocated) * bytes {
            return Err(format!("{resident} bytes are resident, in {} granules", bound));
        }
        Ok(())
    }

    /// An error where blocks lie elsewhere in `other`.
    pub fn same_places(&self, other: &Memory) -> Result<(), String> {
        let same = (self.bound == other.bound) && self.pages == other.pages && self.chunks == other.chunks;
        same.then_some(())
            .ok_or_else(|| "the restored manager has other places".into())
    }
}
