//! Updates of a sparse grid: reads requests, passes decisions to the device, and binds pages.

use std::time::{Duration, Instant};

use crate::gpu::{Bind, BindEntry, Buffer, Gpu, GpuError, Timeline};
use crate::grid::{BindRun, Changes, OUTSIDE, header};
use crate::ir::PageFields;
use crate::run::error::RunError;
use crate::run::host::Host;
use crate::run::memory::DeviceMemory;
use crate::run::probe::Probe;

use super::{GridPages, Store, Unite, UpdateCost};

impl GridPages {
    /// The requests for the next update, if any are due.
    pub(super) fn due(&self, at_once: bool) -> Option<(u64, u64)> {
        let latency = if at_once { 0 } else { u64::from(self.grid.latency) };
        let oldest = self.collected.front().copied();
        oldest.filter(|(number, _)| number + latency <= self.updates)
    }

    pub(super) fn update(
        &mut self,
        host: &Host,
        probe: &dyn Probe,
        memory: &DeviceMemory,
        at_once: bool,
        (steps, united): (&Timeline, &Unite),
    ) -> Result<Option<(Timeline, u64)>, RunError> {
        probe.before_update(self.updates);
        let started = Instant::now();
        let PageFields {
            snapshot, changes, ..
        } = self.grid.fields;
        let slots = u64::from(self.grid.latency) + 1;
        let decided = match self.due(at_once) {
            Some((number, _)) => {
                self.collected.pop_front();
                let words = self.grid.layout.numbers().div_ceil(32) as usize;
                let from = (number % slots) as usize * words * 4;
                let own = &memory.field(snapshot, 0).bytes()?[from..from + words * 4];
                let bytes = united(&self.name, own)?;
                let requests: Vec<u32> = (bytes.chunks_exact(4))
                    .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                    .collect();
                self.manager.update(&requests).map_err(|full| RunError::Full {
                    grid: self.name.clone(),
                    wanted: full.wanted,
                    wanted_bytes: full.wanted * self.grid.layout.block_bytes,
                    holds: full.budget,
                    holds_bytes: full.budget * self.grid.layout.block_bytes,
                    active: full.active,
                })?
            }
            None => Changes::default(),
        };
        if decided.unserved > 0 && !self.has_dropped {
            self.has_dropped = true;
            self.dropped = Some(decided.unserved);
        }
        let slot = self.updates % slots;
        self.updates += 1;
        self.hand_over(memory.field(changes, 0), slot, &decided)?;
        self.cost = UpdateCost {
            activated: decided.activated.len() as u64,
            deactivated: decided.deactivated.len() as u64,
            decide_ms: 1e3 * started.elapsed().as_secs_f64(),
            ..UpdateCost::default()
        };
        let started = Instant::now();
        let bound = self.bind(&host.gpu, decided, Some(steps))?;
        if let Some((timeline, value)) = bound.as_ref().filter(|_| probe.times_binds()) {
            host.wait(timeline, *value, "a bind of pages")?;
            self.cost.bind_ms = 1e3 * started.elapsed().as_secs_f64();
        }
        Ok(bound)
    }

    /// Writes a decision to the buffer that the device reads.
    fn hand_over(&self, buffer: &Buffer, slot: u64, changes: &Changes) -> Result<(), GpuError> {
        let active = self.manager.active();
        let counts = [active.len(), changes.activated.len(), changes.deactivated.len()].map(|n| n as u64);
        let sub_blocks = u64::from(self.grid.layout.sub_blocks());
        let groups = sub_blocks >> self.per_group;
        let header = header::words(self.updates, counts, sub_blocks, groups);
        let first = slot * header::change_words(self.grid.max_blocks);
        let write = |word: u64, words: &[u32]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            buffer.write(4 * (first + word), &bytes)
        };
        write(0, &header)?;
        let pairs: Vec<u32> = changes
            .activated
            .iter()
            .flat_map(|(block, page)| [*block, *page])
            .collect();
        write(header::WORDS, &pairs)?;
        write(header::WORDS + 2 * self.grid.max_blocks, &changes.deactivated)?;
        if changes.activated.is_empty() && changes.deactivated.is_empty() {
            return Ok(());
        }
        let missing = self.manager.missing();
        let marked: Vec<u32> = (active.iter().zip(&missing))
            .map(|(block, missing)| if *missing == 0 { block | OUTSIDE } else { *block })
            .collect();
        write(header::WORDS + 3 * self.grid.max_blocks, &marked)?;
        write(header::WORDS + 4 * self.grid.max_blocks, &missing)
    }

    pub(super) fn bind(
        &mut self,
        gpu: &Gpu,
        changes: Changes,
        steps: Option<&Timeline>,
    ) -> Result<Option<(Timeline, u64)>, RunError> {
        let Store::Sparse {
            buffer,
            chunks,
            bound,
            binds,
            leaving,
        } = &mut self.store
        else {
            return Ok(None);
        };
        for chunk in &changes.new_chunks {
            let chunk = *chunk as usize;
            chunks.resize_with(chunks.len().max(chunk + 1), || None);
            let bytes = self.manager.chunk_bytes(chunk as u32);
            chunks[chunk] = Some(gpu.page_memory(&format!("{} pages {chunk}", self.name), bytes, buffer)?);
        }
        let granule = self.manager.granule_bytes();
        let entry = |run: &BindRun| BindEntry {
            offset: u64::from(run.first_granule) * granule,
            bytes: u64::from(run.count) * granule,
            memory: run.memory.and_then(|(chunk, slot)| {
                let memory = chunks[chunk as usize].clone()?;
                Some((memory, u64::from(slot) * granule))
            }),
        };
        let entries: Vec<BindEntry> = changes.binds.iter().map(entry).collect();
        if *binds > 0 && bound.wait(*binds, Duration::ZERO)? {
            leaving.clear();
        }
        leaving.extend(
            changes
                .freed_chunks
                .iter()
                .filter_map(|chunk| chunks[*chunk as usize].take()),
        );
        if entries.is_empty() {
            return Ok(None);
        }
        *binds += 1;
        let waits: Vec<(Timeline, u64)> = match steps {
            Some(steps) if self.applied > 0 => vec![(steps.clone(), self.applied)],
            _ => Vec::new(),
        };
        let bind = Bind {
            buffer,
            entries: &entries,
        };
        gpu.bind(&waits, &[bind], &[(bound.clone(), *binds)])?;
        self.cost.entries = entries.len() as u64;
        self.cost.bound_bytes = entries.iter().map(|entry| entry.bytes).sum();
        Ok(Some((bound.clone(), *binds)))
    }
}
