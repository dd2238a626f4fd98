//! The argument block of one entry in one world.

use crate::ir::{BlockMember, ElementBox, Invocation, List, Pipeline, Resource, Stage};
use crate::plan::shadows::DispatchId;
use crate::plan::{Plan, Segment};
use crate::run::memory::{ClockOf, DeviceMemory};
use crate::run::pages::SparseGrids;
use crate::run::races::Races;
use crate::run::worlds::WorldLists;

/// The sources of the contents of argument blocks.
#[derive(Clone, Copy)]
pub struct ArgumentInputs<'a> {
    pub pipeline: &'a Pipeline,
    /// Set if there are several worlds.
    pub lists: Option<&'a WorldLists>,
    pub plan: &'a Plan,
    pub memory: &'a DeviceMemory,
    pub pages: &'a SparseGrids,
    pub races: &'a Races,
    /// The seed of the order of workgroups.
    pub shuffle: Option<u32>,
}

/// An entry of a list in a world.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub list: List,
    pub number: usize,
    pub world: usize,
}

impl ArgumentInputs<'_> {
    /// The contents of the blocks of the boxes into which a dispatch of a segment is divided.
    pub(super) fn of_boxes(&self, segment: &Segment, phase: u64) -> Vec<Vec<u8>> {
        let divided = segment.split.as_ref().zip(segment.divided());
        let Some((split, number)) = divided else {
            return Vec::new();
        };
        let invocation = &self.pipeline.step[number];
        let boxes = split.boxes();
        boxes
            .map(|of| {
                let at = Entry {
                    list: List::Step,
                    number,
                    world: 0,
                };
                self.content(at, invocation, phase, of.area)
            })
            .collect()
    }

    /// The content of the block of an invocation, which runs over a part of its domain.
    pub(super) fn content(
        &self,
        at: Entry,
        invocation: &Invocation,
        phase: u64,
        part: ElementBox,
    ) -> Vec<u8> {
        let stage = &self.pipeline.stages[invocation.stage];
        let mut block = BlockWriter {
            inputs: self,
            stage,
            at,
            phase,
            part,
            bytes: Vec::new(),
        };
        for member in self.pipeline.kernel_of(stage).signature.block_members() {
            block.add(member, invocation);
        }
        if self.pipeline.counted_by(invocation.stage).is_some() {
            block.align(4);
            let particles = part.size[0] - part.low[0] + (part.size[2] - part.low[2]);
            block.words(
                &self
                    .plan
                    .groups_of_particles(self.pipeline, invocation.stage, particles),
            );
        }
        block.bytes
    }
}

/// Writes the block of an entry.
struct BlockWriter<'a> {
    inputs: &'a ArgumentInputs<'a>,
    stage: &'a Stage,
    at: Entry,
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
        let Entry { list, number, world } = self.at;
        let of_list = ClockOf::list(list);
        match member {
            BlockMember::Fault => self.address(memory.fault(of_list, world)),
            BlockMember::Clock => {
                let own = self.stage.clock.map(|field| memory.address(field, 0, world));
                self.address(own.unwrap_or_else(|| memory.clock_address(of_list, world)));
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
                    list,
                    number,
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
        (self.inputs.plan).copies(self.at.list, self.at.number, field, self.phase)
    }

    /// Adds the address of a copy of a local field.
    fn field(&mut self, local: usize, copy: u32) {
        let (inputs, field) = (self.inputs, self.stage.bindings[local]);
        let owner = (inputs.plan).memory(self.at.list, self.at.number, field, self.phase);
        self.address(inputs.memory.address(owner, copy, self.at.world));
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
