//! Argument blocks: the memory that the push constants point to, one block per invocation and phase of the rings.

mod block;

use std::ops::Range;

use crate::gpu::{Buffer, BufferKind, Gpu};
use crate::ir::{BLOCK_ALIGNMENT, Held, Invocation, Pipeline, ResourceId, Signature, StageId};
use crate::plan::{List, Plan};

use super::error::RunError;
use super::memory::ClockOf;
use super::worlds::WorldLists;
use crate::shader::worlds;
pub use block::ArgumentInputs;
use block::Entry;

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

/// The contents of all blocks.
struct BlockContents {
    bytes: Vec<u8>,
    offsets: BlockOffsets,
}

impl BlockContents {
    /// The blocks of all worlds, one world after the other. Offsets are those in the first.
    fn new(inputs: ArgumentInputs) -> BlockContents {
        let mut blocks = BlockContents::of_world(inputs, 0);
        if let Some(lists) = inputs.lists {
            let distance = blocks.bytes.len();
            for (offset, list) in blocks.offsets.with_lists(lists) {
                let head = (offset - worlds::HEAD_BYTES) as usize;
                blocks.bytes[head..head + 8].copy_from_slice(&list.to_le_bytes());
                blocks.bytes[head + 8..head + 12].copy_from_slice(&(distance as u32).to_le_bytes());
            }
            for world in 1..inputs.pipeline.worlds() {
                blocks.bytes.extend(BlockContents::of_world(inputs, world).bytes);
            }
        }
        blocks
    }

    /// The blocks of a world. If there are several, each has room for its head before it.
    fn of_world(inputs: ArgumentInputs, world: usize) -> BlockContents {
        let pipeline = inputs.pipeline.values_of(world);
        let mut bytes = Vec::new();
        let (head, alignment) = match inputs.lists {
            None => (0, BLOCK_ALIGNMENT),
            Some(_) => (worlds::HEAD_BYTES as usize, worlds::HEAD_BYTES),
        };
        let mut block = |content: &[u8]| {
            bytes.resize(bytes.len() + head, 0);
            let offset = bytes.len() as u64;
            bytes.extend_from_slice(content);
            bytes.resize((bytes.len() as u64).next_multiple_of(alignment) as usize, 0);
            offset
        };
        let mut list = |list: List, invocations: &[Invocation], phase: u64| -> Vec<u64> {
            let numbered = invocations.iter().enumerate();
            numbered
                .map(|(number, invocation)| {
                    let part = pipeline.box_of(invocation.stage);
                    let at = Entry { list, number, world };
                    block(&inputs.content(at, invocation, phase, part))
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
            let mut content = inputs.memory.clock_address(of, world).to_le_bytes().to_vec();
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

impl BlockOffsets {
    /// The offset of each block, with the address of the list of the worlds that its dispatch runs in.
    fn with_lists<'a>(&'a self, lists: &'a WorldLists) -> impl Iterator<Item = (u64, u64)> + 'a {
        let of = move |list: List, offsets: &'a [u64]| {
            let numbered = offsets.iter().enumerate();
            numbered.map(move |(entry, offset)| (*offset, lists.of(list, entry)))
        };
        let steps = self.step.iter().flat_map(move |offsets| of(List::Step, offsets));
        let frames = self
            .frame
            .iter()
            .flat_map(move |offsets| of(List::Frame, offsets));
        let clocks = [self.advance_step, self.advance_frame].map(|offset| (offset, lists.all()));
        of(List::Init, &self.init)
            .chain(steps)
            .chain(frames)
            .chain(clocks)
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

    /// Writes the particles of this rank into the blocks of the stages that run over a set. The device must
    /// be idle.
    /// The interior `inner` is that of dispatches that are divided.
    pub fn set_particles(
        &self,
        pipeline: &Pipeline,
        plan: &Plan,
        set: ResourceId,
        (held, inner): (&[Held], Range<u64>),
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
                let counts = plan.groups_of_particles(pipeline, id, held.count());
                let counts = bytes_of(&counts.map(u64::from));
                self.buffer.write(first + signature.counts_offset(), &counts)?;
            }
            Ok(())
        };
        let lists = [(&self.offsets.init, &pipeline.init)];
        let steps = self.offsets.step.iter().map(|offsets| (offsets, &pipeline.step));
        let frames = self
            .offsets
            .frame
            .iter()
            .map(|offsets| (offsets, &pipeline.frame));
        let spent = match held.len() {
            0 | 1 => Vec::new(),
            _ => pipeline.spent_after(set),
        };
        let of_stage = |id: StageId| {
            let of_step = spent.iter().find(|(of, _)| *of == id);
            let found = of_step.and_then(|(_, planes)| held.get(*planes as usize));
            // Other lists run after all stages of a step.
            found.or(held.last()).copied()
        };
        for (offsets, list) in lists.into_iter().chain(steps).chain(frames) {
            for (first, invocation) in offsets.iter().zip(list) {
                if let Some(held) = of_stage(invocation.stage) {
                    write(*first, invocation.stage, held)?;
                }
            }
        }
        for of_phase in &self.offsets.boxes {
            for (segment, boxes) in plan.step.iter().zip(of_phase) {
                let divided = segment.divided();
                let Some(stage) = divided.map(|number| pipeline.step[number].stage) else {
                    continue;
                };
                let Some(held) = of_stage(stage) else { continue };
                for (first, part) in boxes.iter().zip(held.parts(inner.clone())) {
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
