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
pub struct Arguments {
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

/// The sources of the contents of argument blocks.
#[derive(Clone, Copy)]
pub struct ArgumentInputs<'a> {
    pub pipeline: &'a Pipeline,
    pub plan: &'a Plan,
    pub memory: &'a Memory,
    pub pages: &'a Pages,
    pub races: &'a Races,
    /// The seed of the order of workgroups.
    pub shuffle: Option<u32>,
}

/// The contents of all blocks.
struct Blocks {
    bytes: Vec<u8>,
    places: Places,
}

impl Blocks {
    fn new(inputs: ArgumentInputs) -> Blocks {
        let pipeline = inputs.pipeline;
        let mut bytes = Vec::new();
        let mut block = |content: &[u8]| {
            let offset = bytes.len() as u64;
            bytes.extend_from_slice(content);
            bytes.resize((bytes.len() as u64).next_multiple_of(BLOCK_ALIGNMENT) as usize, 0);
            offset
        };
        let mut list = |list: List, invocations: &[Invocation], slot: u64| -> Vec<u64> {
            let numbered = invocations.iter().enumerate();
            numbered
                .map(|(number, invocation)| block(&inputs.content(list, number, invocation, slot)))
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
            let mut content = inputs.memory.clock(of).address().to_le_bytes().to_vec();
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
    pub fn new(gpu: &Gpu, inputs: ArgumentInputs) -> Result<Arguments, RunError> {
        let blocks = Blocks::new(inputs);
        let buffer = gpu.buffer("argument blocks", blocks.bytes.len() as u64, BufferKind::Upload)?;
        buffer.write(0, &blocks.bytes)?;
        Ok(Arguments {
            buffer,
            places: blocks.places,
        })
    }

    /// Writes the values of a pipeline with the same stages into the same places. The device must be idle.
    pub fn rewrite(&self, inputs: ArgumentInputs) -> Result<(), RunError> {
        let blocks = Blocks::new(inputs);
        Ok(self.buffer.write(0, &blocks.bytes)?)
    }

    /// Address of the block of an invocation.
    pub fn of(&self, list: List, slot: u32, invocation: usize) -> u64 {
        let offset = match list {
            List::Init => self.places.init[invocation],
            List::Step => self.places.step[slot as usize][invocation],
            List::Frame => self.places.frame[slot as usize][invocation],
        };
        self.buffer.address() + offset
    }

    /// Address of the argument block of the dispatch that advances the clock of a list.
    pub fn of_clock(&self, list: List) -> u64 {
        let offset = if list == List::Frame {
            self.places.advance_frame
        } else {
            self.places.advance_step
        };
        self.buffer.address() + offset
    }
}

impl ArgumentInputs<'_> {
    /// The block of an invocation, which is number `number` of its list.
    fn content(&self, list: List, number: usize, invocation: &Invocation, slot: u64) -> Vec<u8> {
        let ArgumentInputs {
            pipeline,
            plan,
            memory,
            pages,
            ..
        } = self;
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
                Slot::Domain => {
                    content.extend(stage.domain.size.iter().flat_map(|n| (*n as u32).to_le_bytes()))
                }
                Slot::Level(resource) => level(&pipeline.resources[stage.resources[resource]], &mut content),
                Slot::Shuffle => {
                    content.resize(content.len().next_multiple_of(4), 0);
                    content.extend(self.shuffle.unwrap_or_default().to_le_bytes());
                }
                Slot::Shadows => {
                    content.resize(content.len().next_multiple_of(8), 0);
                    let at = At {
                        list,
                        number,
                        slot: slot as u32,
                    };
                    content.extend(self.races.table(at).to_le_bytes());
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
