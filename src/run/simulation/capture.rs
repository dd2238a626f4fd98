//! Captures the state of a simulation while steps go on, and restores it.

use std::collections::HashMap;

use crate::gpu::{Access, Buffer, Queue};
use crate::ir::{FieldId, Home, Invocation};
use crate::plan::schedule::FieldCopy;
use crate::plan::{Lane, List, Touched};

use super::super::error::RunError;
use super::super::memory::ClockOf;
use super::super::state::{LivePart, PartContents, SimulationState, StatePart};
use super::Simulation;

/// The extent of a captured state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Everything that the next step depends on.
    Everything,
    /// The newest copies of the fields in the pipeline file. They do not depend on the type of paging or on ring lengths.
    Visible,
}

/// A state on its way from the device.
pub struct PendingState {
    state: SimulationState,
    /// The value of each lane at which the state is complete.
    awaited: Vec<(Lane, u64)>,
}

impl PendingState {
    /// Number of frames that are done.
    pub fn frames(&self) -> u64 {
        self.state.frames
    }
}

/// One buffer of a captured state.
struct CapturedBuffer<'a> {
    name: String,
    buffer: &'a Buffer,
    /// Item and copy in the schedule.
    item: (usize, u32),
    live: Option<LivePart>,
}

impl Simulation {
    /// Starts to capture the state after everything submitted so far. Steps can go on; on the device, they wait before
    /// they write fields that are not captured yet.
    ///
    /// All ranks must call it; the state is complete on rank 0 alone.
    pub fn capture(&mut self, extent: Extent) -> Result<PendingState, RunError> {
        let mut collected = self.completed(extent)?;
        let mut touched = Touched::default();
        let mut copies: Vec<(Buffer, Buffer)> = Vec::new();
        let mut state = SimulationState {
            steps: self.steps,
            frames: self.frames,
            grids: self.prepared.pages.states(),
            parts: Vec::new(),
        };
        let gpu = &self.prepared.host.gpu;
        let mut memory = std::mem::take(&mut self.staging);
        for source in self.captured_buffers(extent) {
            if let Some(bytes) = collected.remove(&source.item) {
                state.parts.push(StatePart {
                    name: source.name,
                    contents: PartContents::Bytes(bytes),
                    live: source.live,
                });
                continue;
            }
            let name = format!("checkpoint {}", source.name);
            let staging = memory.buffer(gpu, &name, source.buffer.size())?;
            touched.reads.push(source.item);
            copies.push((source.buffer.clone(), staging.clone()));
            state.parts.push(StatePart {
                name: source.name,
                contents: PartContents::Staged(staging),
                live: source.live,
            });
        }
        let recording = self
            .prepared
            .host
            .gpu
            .record("checkpoint", Queue::Transfer, |recorder| {
                for (from, to) in &copies {
                    recorder.copy(from, 0, to, 0, from.size())?;
                }
                recorder.barrier(&[Access::TransferWrite], &[Access::HostRead])
            })?;
        let ticket = self.schedule.submit(Lane::Download, &touched);
        let batch = self.batch(Lane::Download, &ticket.waits, vec![&recording], ticket.signal);
        self.submit(Lane::Download, "checkpoint", vec![batch])?;
        let mut awaited = vec![(Lane::Download, ticket.signal)];
        // A kernel copies the blocks, and transfer queues do not run kernels.
        let blocks = (self.prepared.pages).copies_out(&self.prepared.host.gpu, &mut memory)?;
        self.staging = memory;
        if let Some(blocks) = blocks {
            let mut touched = Touched::default();
            for (_, grid) in self.prepared.pipeline.sparse_grids() {
                let fields = grid.fields.all().into_iter().chain(grid.channels.iter().copied());
                touched.reads.extend(fields.map(|field| (field, 0)));
            }
            let recording =
                self.prepared
                    .host
                    .gpu
                    .record("checkpoint blocks", Queue::Output, |recorder| {
                        self.prepared.pages.hold(recorder)?;
                        blocks.record(recorder)?;
                        recorder.barrier(&[Access::ShaderWrite], &[Access::HostRead])
                    })?;
            let ticket = self.schedule.submit(Lane::Frame, &touched);
            let batch = self.batch(Lane::Frame, &ticket.waits, vec![&recording], ticket.signal);
            self.submit(Lane::Frame, "checkpoint", vec![batch])?;
            awaited.push((Lane::Frame, ticket.signal));
            state.parts.extend(blocks.into_parts());
        }
        Ok(PendingState { state, awaited })
    }

    /// Sends what rank 0 lacks of the state, which it captures meanwhile.
    pub fn contribute(&mut self, extent: Extent) -> Result<(), RunError> {
        self.completed(extent).map(drop)
    }

    /// Completes the state on rank 0. Returns the copies of which no rank holds all: their bytes on rank 0, nothing elsewhere.
    fn completed(&mut self, extent: Extent) -> Result<HashMap<FieldCopy, Vec<u8>>, RunError> {
        if extent == Extent::Everything && self.ranked.is_some() {
            self.unite_pending()?;
        }
        let sources = self.captured_buffers(extent);
        let items: Vec<FieldCopy> = sources.iter().map(|source| source.item).collect();
        // Clocks are no fields.
        let is_partial = |item: &FieldCopy| {
            self.ranked.is_some()
                && item.0 < self.prepared.pipeline.fields.len()
                && self.prepared.pipeline.is_held_in_parts(item.0)
        };
        let (partial, mut whole): (Vec<_>, Vec<_>) = items.into_iter().partition(is_partial);
        let channels = self.prepared.pipeline.sparse_grids();
        whole.extend(channels.flat_map(|(_, grid)| grid.channels.iter().map(|channel| (*channel, 0))));
        self.gather_copies(whole)?;
        let bytes = partial
            .into_iter()
            .map(|item| Ok((item, self.collect(item.0, item, false)?)));
        bytes.collect()
    }

    /// Waits until a state is complete.
    pub fn captured(&self, pending: PendingState) -> Result<SimulationState, RunError> {
        for (lane, value) in pending.awaited {
            self.wait(lane, value)?;
        }
        Ok(pending.state)
    }

    /// Restores a state of the same pipeline. It is an error if the state does not fit; the simulation cannot be used
    /// then.
    pub(super) fn restore(&mut self, state: &SimulationState) -> Result<(), RunError> {
        (self.steps, self.frames) = (state.steps, state.frames);
        let fields = self.prepared.pipeline.fields.iter().enumerate();
        let given = fields.filter(|(_, field)| {
            let copy = format!("{}[0]", field.name);
            state.parts.iter().any(|part| part.name == copy)
        });
        self.given = given
            .map(|(id, _)| id)
            .filter(|id| !self.is_written(*id))
            .collect();
        let mut uploads: Vec<(Buffer, &[u8])> = Vec::new();
        for source in self.captured_buffers(Extent::Everything) {
            // Only called groups write this field, and the saved simulation did not have them.
            let is_missing = !state.parts.iter().any(|part| part.name == source.name);
            if is_missing
                && source.item.0 < self.prepared.pipeline.fields.len()
                && !self.is_written_by_lists(source.item.0)
            {
                continue;
            }
            let bytes = state.part(&source.name, source.buffer.size())?;
            uploads.push((source.buffer.clone(), bytes));
        }
        for (buffer, bytes) in uploads {
            self.prepared.host.upload(&buffer, bytes)?;
        }
        self.prepared.pages.restore(&self.prepared.host, state)?;
        self.divide_as_sorted(state)
    }

    fn captured_buffers(&self, extent: Extent) -> Vec<CapturedBuffer<'_>> {
        let mut sources = Vec::new();
        for (field, description) in self.prepared.pipeline.fields.iter().enumerate() {
            if !self.is_state(field, extent) {
                continue;
            }
            let copies: Vec<(FieldId, u32)> = match extent {
                Extent::Everything => (0..description.ring).map(|copy| (field, copy)).collect(),
                Extent::Visible => vec![self.newest(field)],
            };
            sources.extend(copies.into_iter().map(|(memory, copy)| CapturedBuffer {
                name: match extent {
                    Extent::Everything => format!("{}[{copy}]", description.name),
                    Extent::Visible => description.name.clone(),
                },
                buffer: self.prepared.memory.field(memory, copy),
                item: (memory, copy),
                live: self.live_part(field).filter(|_| extent == Extent::Visible),
            }));
        }
        let clocks = [
            ("step clock", ClockOf::Step, List::Step),
            ("frame clock", ClockOf::Frame, List::Frame),
        ];
        if extent == Extent::Everything {
            for (name, of, list) in clocks {
                let touched = self.prepared.plan.touched_by_clock(list);
                sources.extend(touched.writes.into_iter().map(|item| CapturedBuffer {
                    name: name.to_string(),
                    buffer: self.prepared.memory.clock(of),
                    item,
                    live: None,
                }));
            }
        }
        sources
    }

    /// Set for an attribute of a set whose number of particles changes.
    fn live_part(&self, field: FieldId) -> Option<LivePart> {
        let pipeline = &self.prepared.pipeline;
        let count = pipeline.resource_of(field).live()?;
        let attribute = &pipeline.fields[field];
        Some(LivePart {
            count: pipeline.fields[count].name.clone(),
            entries: attribute.entries() as usize,
            bytes: attribute.element.bytes() as usize,
        })
    }

    /// Returns true if stages write a field, and not only for outputs.
    fn is_written(&self, field: FieldId) -> bool {
        self.is_written_in(field, |_| true)
    }

    /// Returns true if entries other than calls write a field, and not only for outputs.
    fn is_written_by_lists(&self, field: FieldId) -> bool {
        self.is_written_in(field, |entry| entry.call.is_none())
    }

    fn is_written_in(&self, field: FieldId, counts: impl Fn(&Invocation) -> bool) -> bool {
        let lists = [
            &self.prepared.pipeline.init,
            &self.prepared.pipeline.step,
            &self.prepared.pipeline.frame,
        ];
        (lists.into_iter().flatten())
            .filter(|entry| counts(entry))
            .any(|invocation| {
                let stage = &self.prepared.pipeline.stages[invocation.stage];
                let swaps = &self.prepared.pipeline.swaps;
                stage.computes_state() && stage.writes().iter().any(|written| swaps.share(*written, field))
            })
    }

    /// Returns true if a field belongs to the state: stages or clients write it.
    fn is_state(&self, field: FieldId, extent: Extent) -> bool {
        let home = self.prepared.pipeline.fields[field].home;
        let engines =
            (self.prepared.pipeline.sparse_grids()).any(|(_, grid)| grid.fields.all().contains(&field));
        (self.given.contains(&field) || self.is_written(field))
            && !self.prepared.pipeline.is_scratch(field)
            && match home {
                Home::Pages | Home::HostWrites => false,
                Home::Device | Home::HostReads => extent == Extent::Everything || !engines,
            }
    }
}
