//! Argument blocks: the memory that the push constants point to, one block per invocation and phase of the rings.

use crate::gpu::{Buffer, BufferKind, Gpu};
use crate::ir::{BLOCK_ALIGNMENT, Invocation, Pipeline, Resource, Slot};
use crate::plan::shadows::At;
use crate::plan::{List, Plan};

use super::error::RunError;
use super::memory::{ClockOf, Memory};
use super::pages::Pages;
use super::races::Races;

/// All argument blocks of a run in one buffer.
pub(crate) struct Arguments {
    pub buffer: Buffer,
    places: Places,
}

/// Offsets of the blocks.
struct Places {
    init: Vec<u64>,
    /// By slot, then invocation.
    step: Vec<Vec<u64>>,
    frame: Vec<Vec<u64>>,
    advance_step: u64,
    advance_frame: u64,
}

/// The contents of all blocks.
struct Blocks {
    bytes: Vec<u8>,
    places: Places,
}

impl Blocks {
    fn new(
        pipeline: &Pipeline,
        plan: &Plan,
        memory: &Memory,
        pages: &Pages,
        races: &Races,
        shuffle: Option<u32>,
    ) -> Blocks {
        let mut bytes = Vec::new();
        let mut block = |content: &[u8]| {
            let offset = bytes.len() as u64;
            bytes.extend_from_slice(content);
            bytes.resize((bytes.len() as u64).next_multiple_of(BLOCK_ALIGNMENT) as usize, 0);
            offset
        };
        let mut list = |list: List, invocations: &[Invocation], slot: u64| -> Vec<u64> {
            let number = |i: usize| (i, &invocations[i]);
            (0..invocations.len())
                .map(number)
                .map(|(i, invocation)| {
                    let shadows = races.table(At {
                        list,
                        number: i,
                        slot: slot as u32,
                    });
                    block(&content(
                        pipeline, plan, memory, pages, list, i, invocation, slot, shadows, shuffle,
                    ))
                })
                .collect()
        };
        let init = list(List::Init, &pipeline.init, 0);
        let slots = u64::from(pipeline.slots());
        let step = (0..slots)
            .map(|slot| list(List::Step, &pipeline.step, slot))
            .collect();
        let frame = (0..slots)
            .map(|slot| list(List::Frame, &pipeline.frame, slot))
            .collect();
        let turn = |of: ClockOf, steps: u32, frames: u32| {
            let mut content = memory.clock(of).address().to_le_bytes().to_vec();
            content.extend(steps.to_le_bytes());
            content.extend(frames.to_le_bytes());
            content
        };
        let advance_step = block(&turn(ClockOf::Step, 1, 0));
        let advance_frame = block(&turn(ClockOf::Frame, pipeline.steps_per_frame, 1));
        Blocks {
            bytes,
            places: Places {
                init,
                step,
                frame,
                advance_step,
                advance_frame,
            },
        }
    }
}

impl Arguments {
    pub(crate) fn new(
        gpu: &Gpu,
        pipeline: &Pipeline,
        plan: &Plan,
        memory: &Memory,
        pages: &Pages,
        races: &Races,
        shuffle: Option<u32>,
    ) -> Result<Arguments, RunError> {
        let blocks = Blocks::new(pipeline, plan, memory, pages, races, shuffle);
        let buffer = gpu.buffer("argument blocks", blocks.bytes.len() as u64, BufferKind::Upload)?;
        buffer.write(0, &blocks.bytes)?;
        Ok(Arguments {
            buffer,
            places: blocks.places,
        })
    }

    /// Writes the values of a pipeline with the same stages into the same places. The device must be idle.
    pub(crate) fn rewrite(
        &self,
        pipeline: &Pipeline,
        plan: &Plan,
        memory: &Memory,
        pages: &Pages,
        races: &Races,
        shuffle: Option<u32>,
    ) -> Result<(), RunError> {
        let blocks = Blocks::new(pipeline, plan, memory, pages, races, shuffle);
        Ok(self.buffer.write(0, &blocks.bytes)?)
    }

    /// Address of the block of an invocation.
    pub(crate) fn of(&self, list: List, slot: u32, invocation: usize) -> u64 {
        let offset = match list {
            List::Init => self.places.init[invocation],
            List::Step => self.places.step[slot as usize][invocation],
            List::Frame => self.places.frame[slot as usize][invocation],
        };
        self.buffer.address() + offset
    }

    /// Address of the argument block of the dispatch that advances the clock of a list.
    pub(crate) fn of_clock(&self, list: List) -> u64 {
        let offset = if list == List::Frame {
            self.places.advance_frame
        } else {
            self.places.advance_step
        };
        self.buffer.address() + offset
    }
}

#[allow(
    clippy::too_many_arguments,
    reason = "one block needs all of it, and nothing else does"
)]
fn content(
    pipeline: &Pipeline,
    plan: &Plan,
    memory: &Memory,
    pages: &Pages,
    list: List,
    number: usize,
    invocation: &Invocation,
    slot: u64,
    shadows: u64,
    shuffle: Option<u32>,
) -> Vec<u8> {
    let clock = if list == List::Frame {
        ClockOf::Frame
    } else {
        ClockOf::Step
    };
    let stage = &pipeline.stages[invocation.stage];
    let mut content = Vec::new();
    let kernel = pipeline.kernel_of(stage);
    for part in kernel.signature.slots() {
        match part {
            Slot::Fault => content.extend(memory.fault(clock).to_le_bytes()),
            Slot::Clock => {
                let clock = stage
                    .clock
                    .map_or(memory.clock(clock), |field| memory.field(field, 0));
                content.extend(clock.address().to_le_bytes());
            }
            Slot::Stage => {
                content.extend((invocation.stage as u32).to_le_bytes());
                content.extend(0u32.to_le_bytes());
            }
            Slot::Read(field) => {
                let field = stage.bindings[field];
                let (copy, _) = plan.copies(list, number, field, slot);
                let field = plan.memory(list, number, field, slot);
                content.extend(memory.field(field, copy).address().to_le_bytes());
            }
            Slot::Write(field) => {
                let field = stage.bindings[field];
                let (_, copy) = plan.copies(list, number, field, slot);
                let field = plan.memory(list, number, field, slot);
                content.extend(memory.field(field, copy).address().to_le_bytes());
            }
            Slot::Pages(grid) => {
                content.extend(pages.address(stage.resources[grid]).to_le_bytes());
            }
            Slot::Domain => content.extend(stage.domain.size.iter().flat_map(|n| (*n as u32).to_le_bytes())),
            Slot::Level(resource) => level(&pipeline.resources[stage.resources[resource]], &mut content),
            Slot::Shuffle => {
                content.resize(content.len().next_multiple_of(4), 0);
                content.extend(shuffle.unwrap_or_default().to_le_bytes());
            }
            Slot::Shadows => {
                content.resize(content.len().next_multiple_of(8), 0);
                content.extend(shadows.to_le_bytes());
            }
            Slot::Argument(argument) => {
                let (_, element) = kernel.signature.arguments[argument];
                let aligned = content.len().next_multiple_of(element.scalar().bytes() as usize);
                content.resize(aligned, 0);
                content.extend(
                    invocation.values[argument]
                        .iter()
                        .flat_map(|word| word.to_le_bytes()),
                );
            }
        }
    }
    content
}

/// Cells, origin and sides of a cell, each along every axis.
fn level(resource: &Resource, into: &mut Vec<u8>) {
    let (Some(lattice), axes) = (resource.lattice(), resource.axes() as usize) else {
        return;
    };
    into.extend((resource.size[..axes].iter()).flat_map(|n| (*n as i32).to_le_bytes()));
    for numbers in [lattice.origin, lattice.spacing] {
        into.extend((numbers[..axes].iter()).flat_map(|number| (*number as f32).to_le_bytes()));
    }
}
