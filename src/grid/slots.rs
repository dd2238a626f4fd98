//! Memory in slots of equal size; chunks of slots are allocated and freed as a whole.

use std::collections::BTreeMap;

/// Consecutive slots of one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotRun {
    pub chunk: u32,
    pub first: u32,
    pub count: u32,
}

#[derive(Debug, Clone, Default)]
struct Chunk {
    /// First slot and length of each run of free slots; runs are not adjacent.
    free: BTreeMap<u32, u32>,
    /// Length of the longest of these runs.
    longest: u32,
}

impl Chunk {
    fn insert(&mut self, mut first: u32, mut count: u32) {
        if let Some((&before, &length)) = self.free.range(..first).next_back() {
            debug_assert!(before + length <= first, "slot {first} is free already");
            if before + length == first {
                self.free.remove(&before);
                (first, count) = (before, count + length);
            }
        }
        debug_assert!(
            self.free.range(first..first + count).next().is_none(),
            "a slot behind {first} is free already"
        );
        if let Some(length) = self.free.remove(&(first + count)) {
            count += length;
        }
        self.free.insert(first, count);
        self.longest = self.longest.max(count);
    }

    /// Takes slots from a run of free slots; false if no run contains them all.
    fn remove(&mut self, first: u32, count: u32) -> bool {
        let run = self
            .free
            .range(..=first)
            .next_back()
            .map(|(&start, &length)| (start, length));
        let Some((start, length)) = run.filter(|(start, length)| first + count <= start + length) else {
            return false;
        };
        self.free.remove(&start);
        if start < first {
            self.free.insert(start, first - start);
        }
        if first + count < start + length {
            self.free.insert(first + count, start + length - first - count);
        }
        if length == self.longest {
            self.longest = self.free.values().copied().max().unwrap_or(0);
        }
        true
    }
}

/// The slots of one grid. The results depend only on earlier calls.
#[derive(Debug, Clone)]
pub struct SlotPool {
    per_chunk: u32,
    limit: u64,
    /// By number; `None` where no memory is allocated.
    chunks: Vec<Option<Chunk>>,
    /// No chunk before this one has free slots.
    first: usize,
    free: u64,
    allocated: u64,
    /// Chunks without a used slot.
    empty: u32,
    grown: Vec<u32>,
}

impl SlotPool {
    /// A pool that may grow to `limit` slots, by chunks of `per_chunk` slots (the last possible one may have fewer).
    pub fn new(per_chunk: u32, limit: u64) -> SlotPool {
        SlotPool {
            per_chunk: per_chunk.max(1),
            limit,
            chunks: Vec::new(),
            first: 0,
            free: 0,
            allocated: 0,
            empty: 0,
            grown: Vec::new(),
        }
    }

    pub fn per_chunk(&self) -> u32 {
        self.per_chunk
    }

    /// Slots of a chunk.
    pub fn slots_of(&self, chunk: u32) -> u32 {
        let before = u64::from(chunk) * u64::from(self.per_chunk);
        self.limit.saturating_sub(before).min(u64::from(self.per_chunk)) as u32
    }

    /// Free slots of all chunks.
    pub fn free(&self) -> u64 {
        self.free
    }

    /// Used and free slots of all chunks.
    #[cfg(feature = "internals")]
    pub fn allocated(&self) -> u64 {
        self.allocated
    }

    /// Numbers of the chunks with memory.
    pub fn chunks(&self) -> impl Iterator<Item = u32> {
        let numbered = self.chunks.iter().enumerate();
        numbered
            .filter(|(_, chunk)| chunk.is_some())
            .map(|(number, _)| number as u32)
    }

    /// Takes `count` slots: the first run that is long enough, or else the longest runs. Adds chunks only if the existing ones
    /// do not have enough free slots. Returns `None` and takes nothing if this exceeds the limit.
    pub fn take_run(&mut self, count: u32) -> Option<Vec<SlotRun>> {
        if u64::from(count) > self.free + (self.limit - self.allocated) {
            return None;
        }
        while self.free < u64::from(count) {
            self.grow();
        }
        let mut runs = Vec::new();
        let mut left = count;
        while left > 0 {
            let Some(run) = self.first_fit(left) else {
                debug_assert!(false, "{left} slots are free and in no chunk");
                break;
            };
            self.claim(run);
            left -= run.count;
            runs.push(run);
        }
        Some(runs)
    }

    /// Takes specific slots. Returns false and takes nothing if one of them is not free.
    pub fn claim(&mut self, run: SlotRun) -> bool {
        let slots = self.slots_of(run.chunk);
        let Some(Some(chunk)) = self.chunks.get_mut(run.chunk as usize) else {
            return false;
        };
        let was_empty = chunk.longest == slots;
        let in_range = run.first.checked_add(run.count).is_some_and(|end| end <= slots);
        if run.count == 0 || !in_range || !chunk.remove(run.first, run.count) {
            return false;
        }
        self.empty -= u32::from(was_empty);
        self.free -= u64::from(run.count);
        while matches!(self.chunks.get(self.first), Some(chunk) if chunk.as_ref().is_none_or(|c| c.longest == 0))
        {
            self.first += 1;
        }
        true
    }

    /// Frees slots, also parts of a run.
    pub fn give_back(&mut self, run: SlotRun) {
        let slots = self.slots_of(run.chunk);
        let Some(Some(chunk)) = self.chunks.get_mut(run.chunk as usize) else {
            debug_assert!(false, "chunk {} has no memory", run.chunk);
            return;
        };
        chunk.insert(run.first, run.count);
        self.empty += u32::from(chunk.longest == slots);
        self.free += u64::from(run.count);
        self.first = self.first.min(run.chunk as usize);
    }

    /// Chunks that were added since the last call and need memory.
    pub fn take_grown(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.grown)
    }

    /// Removes unused chunks, except the lowest one, which stays as a spare. Their memory can be freed.
    pub fn release_empty(&mut self) -> Vec<u32> {
        let mut released = Vec::new();
        if self.empty < 2 {
            return released;
        }
        let numbers: Vec<u32> = self.chunks().collect();
        let mut spare = true;
        for number in numbers {
            let slots = self.slots_of(number);
            let place = &mut self.chunks[number as usize];
            if place.as_ref().is_none_or(|chunk| chunk.longest < slots) || std::mem::take(&mut spare) {
                continue;
            }
            *place = None;
            self.empty -= 1;
            self.free -= u64::from(slots);
            self.allocated -= u64::from(slots);
            released.push(number);
        }
        released
    }

    /// Adds a chunk with this number. Returns false if it exists or exceeds the limit.
    pub fn allocate(&mut self, number: u32) -> bool {
        let slots = self.slots_of(number);
        if slots == 0 || matches!(self.chunks.get(number as usize), Some(Some(_))) {
            return false;
        }
        let mut chunk = Chunk::default();
        chunk.insert(0, slots);
        if self.chunks.len() <= number as usize {
            self.chunks.resize(number as usize + 1, None);
        }
        self.chunks[number as usize] = Some(chunk);
        self.first = self.first.min(number as usize);
        self.empty += 1;
        self.free += u64::from(slots);
        self.allocated += u64::from(slots);
        self.grown.push(number);
        true
    }

    fn grow(&mut self) {
        let gap = self.chunks.iter().position(Option::is_none);
        let made = self.allocate(gap.unwrap_or(self.chunks.len()) as u32);
        debug_assert!(made, "grown beyond the limit");
    }

    /// The first run of `count` free slots, or else the longest run.
    fn first_fit(&self, count: u32) -> Option<SlotRun> {
        let chunks = || self.chunks.iter().enumerate().skip(self.first);
        let longest = |chunk: &Option<Chunk>| chunk.as_ref().map_or(0, |chunk| chunk.longest);
        let fits = chunks().find(|(_, chunk)| longest(chunk) >= count);
        // Among equal ones, the chunk with the lowest number.
        let (number, chunk) = fits.or_else(|| chunks().rev().max_by_key(|(_, chunk)| longest(chunk)))?;
        let count = count.min(longest(chunk));
        let mut runs = chunk.as_ref()?.free.iter();
        let (&first, _) = runs.find(|(_, length)| **length >= count)?;
        Some(SlotRun {
            chunk: number as u32,
            first,
            count,
        })
    }
}

#[cfg(test)]
mod tests;
