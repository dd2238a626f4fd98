//! Argument blocks: the memory that the push constants point to, one block per invocation and phase of the rings.

use std::ops::Range;

use crate::gpu::{Buffer, BufferKind, Gpu};
use crate::ir::{
    BLOCK_ALIGNMENT, BlockMember, ElementBox, Held, Invocation, Pipeline, Resource, ResourceId, Signature,
    Stage, StageId,
};
use crate::plan::shadows::DispatchId;
use crate::plan::{List, Plan, Segment};

use super::error::RunError;
use super::memory::{ClockOf, DeviceMemory};
use super::pages::SparseGrids;
use super::races::Races;

/// All argument blocks of a run in one buffer.
pub struct Arguments {
    pub buffer: Buffer,
    offsets: BlockOffsets,
}

/// Offsets of the blocks.
struct BlockOffsets {
    init: Vec<u64>,
    /// By phase, then invocation.
    step: Vec<Vec<u64>>,
    frame: Vec<Vec<u64>>,
    /// By phase, then segment of a step: the boxes of its split.
    boxes: Vec<Vec<Vec<u64>>>,
    advance_step: u64,
    advance_frame: u64,
}

/// The sources of the contents of argument blocks.
#[derive(Clone, Copy)]
pub struct ArgumentInputs<'a> {
    pub pipeline: &'a Pipeline,
    pub plan: &'a Plan,
    pub memory: &'a DeviceMemory,
    pub pages: &'a SparseGrids,
    pub races: &'a Races,
    /// The seed of the order of workgroups.
    pub shuffle: Option<u32>,
}

/// The contents of all blocks.
struct BlockContents {
    bytes: Vec<u8>,
    offsets: BlockOffsets,
}

impl BlockContents {
    fn new(inputs: ArgumentInputs) -> BlockContents {
        let pipeline = inputs.pipeline;
        let mut bytes = Vec::new();
        let mut block = |content: &[u8]| {
            let offset = bytes.len() as u64;
            bytes.extend_from_slice(content);
            bytes.resize((bytes.len() as u64).next_multiple_of(BLOCK_ALIGNMENT) as usize, 0);
            offset
        };
        let mut list = |list: List, invocations: &[Invocation], phase: u64| -> Vec<u64> {
            let numbered = invocations.iter().enumerate();
            numbered
                .map(|(number, invocation)| {
                    let part = pipeline.box_of(invocation.stage);
                    block(&inputs.content(list, number, invocation, phase, part))
                })
                .collect()
        };
        let init = list(List::Init, &pipeline.init, 0);
        let phases = u64::from(pipeline.phases());
        let step = (0..phases)
            .map(|phase| list(List::Step, &pipeline.step, phase))
            .collect();
        let frame = (0..phases)
            .map(|phase| list(List::Frame, &pipeline.frame, phase))
            .collect();
        let boxes = (0..phases)
            .map(|phase| {
                let segments = inputs.plan.step.iter();
                let of_segment = segments.map(|segment| inputs.of_boxes(segment, phase));
                of_segment
                    .map(|all| all.iter().map(|content| block(content)).collect())
                    .collect()
            })
            .collect();
        let pass = |of: ClockOf, steps: u32, frames: u32| {
            let mut content = inputs.memory.clock(of).address().to_le_bytes().to_vec();
            content.extend(steps.to_le_bytes());
            content.extend(frames.to_le_bytes());
            content
        };
        let advance_step = block(&pass(ClockOf::Step, 1, 0));
        let advance_frame = block(&pass(ClockOf::Frame, pipeline.steps_per_frame, 1));
        BlockContents {
            bytes,
            offsets: BlockOffsets {
                init,
                step,
                frame,
                boxes,
                advance_step,
                advance_frame,
            },
        }
    }
}

impl Arguments {
    pub fn new(gpu: &Gpu, inputs: ArgumentInputs) -> Result<Arguments, RunError> {
        let blocks = BlockContents::new(inputs);
        let buffer = gpu.buffer("argument blocks", blocks.bytes.len() as u64, BufferKind::Upload)?;
        buffer.write(0, &blocks.bytes)?;
        Ok(Arguments {
            buffer,
            offsets: blocks.offsets,
        })
    }

    /// Overwrites the blocks with the values of a pipeline that has the same stages. The device must be idle.
    pub fn rewrite(&self, inputs: ArgumentInputs) -> Result<(), RunError> {
        let blocks = BlockContents::new(inputs);
        Ok(self.buffer.write(0, &blocks.bytes)?)
    }

    /// Writes the particles of this rank into the blocks of the stages of `step` and `init` that run over a set. The device must
    /// be idle.
    /// The interior `inner` is that of dispatches that are divided.
    pub fn set_particles(
        &self,
        pipeline: &Pipeline,
        plan: &Plan,
        set: ResourceId,
        (held, inner): (Held, Range<u64>),
    ) -> Result<(), RunError> {
        let Some(cut) = pipeline.cut.as_deref() else {
            return Ok(());
        };
        let bytes_of =
            |words: &[u64]| -> Vec<u8> { words.iter().flat_map(|n| (*n as u32).to_le_bytes()).collect() };
        let write = |first: u64, id: StageId, held: Held| -> Result<(), RunError> {
            let stage = &pipeline.stages[id];
            let runs_over = cut.set_of(stage).is_some_and(|other| other.set() == set);
            let signature = &pipeline.kernel_of(stage).signature;
            let Some(offset) = signature.box_offset().filter(|_| runs_over) else {
                return Ok(());
            };
            let area = held.as_box();
            self.buffer
                .write(first + offset, &bytes_of(&[area.low, area.size].concat()))?;
            if pipeline.counted_by(id).is_some() {
                let counts = plan.groups_of_particles(pipeline, id, held.end - held.first);
                let counts = bytes_of(&counts.map(u64::from));
                self.buffer.write(first + signature.counts_offset(), &counts)?;
            }
            Ok(())
        };
        let lists = [(&self.offsets.init, &pipeline.init)];
        let steps = self.offsets.step.iter().map(|offsets| (offsets, &pipeline.step));
        for (offsets, list) in lists.into_iter().chain(steps) {
            for (first, invocation) in offsets.iter().zip(list) {
                write(*first, invocation.stage, held)?;
            }
        }
        let parts = held.parts(inner);
        for of_phase in &self.offsets.boxes {
            for (segment, boxes) in plan.step.iter().zip(of_phase) {
                let divided = segment.divided();
                let Some(stage) = divided.map(|number| pipeline.step[number].stage) else {
                    continue;
                };
                for (first, part) in boxes.iter().zip(parts) {
                    write(*first, stage, part)?;
                }
            }
        }
        Ok(())
    }

    /// The first byte of the workgroup counts in a block.
    pub fn counts_at(&self, block: u64, signature: &Signature) -> u64 {
        block - self.buffer.address() + signature.counts_offset()
    }

    /// Address of the block of an invocation.
    pub fn of(&self, list: List, phase: u32, invocation: usize) -> u64 {
        let offset = match list {
            List::Init => self.offsets.init[invocation],
            List::Step => self.offsets.step[phase as usize][invocation],
            List::Frame => self.offsets.frame[phase as usize][invocation],
        };
        self.buffer.address() + offset
    }

    /// Addresses of the blocks of the boxes into which a dispatch of a segment of a step is divided, the interior first.
    pub fn of_boxes(&self, phase: u32, segment: usize) -> Vec<u64> {
        let boxes = self.offsets.boxes[phase as usize][segment].iter();
        boxes.map(|offset| self.buffer.address() + offset).collect()
    }

    /// Address of the argument block of the dispatch that advances the clock of a list.
    pub fn of_clock(&self, list: List) -> u64 {
        let offset = if list == List::Frame {
            self.offsets.advance_frame
        } else {
            self.offsets.advance_step
        };
        self.buffer.address() + offset
    }
}

impl ArgumentInputs<'_> {
    /// The contents of the blocks of the boxes into which a dispatch of a segment is divided.
    fn of_boxes(&self, segment: &Segment, phase: u64) -> Vec<Vec<u8>> {
        let divided = segment.split.as_ref().zip(segment.divided());
        let Some((split, number)) = divided else {
            return Vec::new();
        };
        let invocation = &self.pipeline.step[number];
        let boxes = split.boxes();
        boxes
            .map(|of| self.content(List::Step, number, invocation, phase, of.area))
            .collect()
    }

    /// The content of the block of an invocation, entry `number` of its list, which runs over a part of its domain.
    fn content(
        &self,
        list: List,
        number: usize,
        invocation: &Invocation,
        phase: u64,
        part: ElementBox,
    ) -> Vec<u8> {
        let stage = &self.pipeline.stages[invocation.stage];
        let mut block = BlockWriter {
            inputs: self,
            stage,
            list,
            number,
            phase,
            part,
            bytes: Vec::new(),
        };
        for member in self.pipeline.kernel_of(stage).signature.block_members() {
            block.add(member, invocation);
        }
        if self.pipeline.counted_by(invocation.stage).is_some() {
            block.align(4);
            let particles = part.size[0] - part.low[0];
            block.words(
                &self
                    .plan
                    .groups_of_particles(self.pipeline, invocation.stage, particles),
            );
        }
        block.bytes
    }
}

/// Writes the block of entry `number` of a list.
struct BlockWriter<'a> {
    inputs: &'a ArgumentInputs<'a>,
    stage: &'a Stage,
    list: List,
    number: usize,
    phase: u64,
    part: ElementBox,
    bytes: Vec<u8>,
}

impl BlockWriter<'_> {
    fn add(&mut self, member: BlockMember, invocation: &Invocation) {
        let ArgumentInputs {
            pipeline,
            memory,
            pages,
            ..
        } = self.inputs;
        let of_list = ClockOf::list(self.list);
        match member {
            BlockMember::Fault => self.address(memory.fault(of_list)),
            BlockMember::Clock => {
                let own = self.stage.clock.map(|field| memory.field(field, 0));
                self.address(own.unwrap_or(memory.clock(of_list)).address());
            }
            BlockMember::Stage => self.words(&[invocation.stage as u32, 0]),
            BlockMember::Read(local) => {
                let (read, _) = self.copies(local);
                self.field(local, read);
            }
            BlockMember::Write(local) => {
                let (_, written) = self.copies(local);
                self.field(local, written);
            }
            BlockMember::Pages(grid) => self.address(pages.address(self.stage.resources[grid])),
            BlockMember::Domain => self.words(&self.stage.domain.size.map(|n| n as u32)),
            BlockMember::Box => {
                let part = self.part;
                self.words(&[part.low, part.size].map(|of| of.map(|n| n as u32)).concat());
            }
            BlockMember::Level(resource) => level(
                &pipeline.resources[self.stage.resources[resource]],
                &mut self.bytes,
            ),
            BlockMember::Shuffle => {
                self.align(4);
                self.words(&[self.inputs.shuffle.unwrap_or_default()]);
            }
            BlockMember::Shadows => {
                self.align(8);
                let at = DispatchId {
                    list: self.list,
                    number: self.number,
                    phase: self.phase as u32,
                };
                self.address(self.inputs.races.table(at));
            }
            BlockMember::Argument(argument) => {
                let (_, element) = pipeline.kernel_of(self.stage).signature.arguments[argument];
                self.align(element.scalar().bytes() as usize);
                self.words(&invocation.values[argument]);
            }
        }
    }

    /// The copies of a local field that the stage reads and writes.
    fn copies(&self, local: usize) -> (u32, u32) {
        let field = self.stage.bindings[local];
        (self.inputs.plan).copies(self.list, self.number, field, self.phase)
    }

    /// Adds the address of a copy of a local field.
    fn field(&mut self, local: usize, copy: u32) {
        let (inputs, field) = (self.inputs, self.stage.bindings[local]);
        let owner = (inputs.plan).memory(self.list, self.number, field, self.phase);
        self.address(inputs.memory.field(owner, copy).address());
    }

    fn address(&mut self, address: u64) {
        self.bytes.extend(address.to_le_bytes());
    }

    fn words(&mut self, words: &[u32]) {
        self.bytes
            .extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }

    fn align(&mut self, bytes: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(bytes), 0);
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
