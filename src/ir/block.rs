//! Argument blocks: the memory that the push constant of a kernel points to.

use super::kernel::{LocalPlace, Signature};
use crate::shared_constants::clock;

/// Argument blocks start at multiples of this, so that no two share a cache line.
pub const BLOCK_ALIGNMENT: u64 = 128;
/// Bytes of workgroup counts.
const COUNTS_BYTES: u64 = 12;
/// Bytes of a clock.
pub const CLOCK_BYTES: u64 = 4 * clock::CLOCK_WORDS as u64;
/// Bytes of the fault record: claimed, stage, field, kind, index x 3, invocation x 3, started, entry, line.
pub const FAULT_BYTES: u64 = 52;
/// Bytes from one fault record to the next.
pub const FAULT_STRIDE: u64 = 64;

/// One member of an argument block. Fields and resources are given by their local numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockMember {
    /// Address of the fault record, 8 bytes.
    Fault,
    /// Address of the clock, 8 bytes.
    Clock,
    /// Number of the stage in the pipeline, 4 bytes, and 4 of padding.
    Stage,
    /// Address of the first block of a sparse grid, 8 bytes.
    Pages(usize),
    /// Address of the copy of a field that is read, 8 bytes.
    Read(usize),
    /// Address of the copy of a field that is written, 8 bytes.
    Write(usize),
    /// Size of the domain, three words, if the domain is a level of a grid.
    Domain,
    /// First element and size of the box that it runs over, three words each, if its domain is cut.
    Box,
    /// Cells, origin and sides of a cell of a level of a grid: one word per axis each.
    Level(usize),
    /// An argument by its number: 4 or 8 bytes per component, aligned to the size of a component.
    Argument(usize),
    /// The number that determines the order of workgroups, 4 bytes at the next multiple of 4, if they are shuffled.
    Shuffle,
    /// Address of the shadows of the fields, 8 bytes at the next multiple of 8, if accesses leave marks.
    Shadows,
}

impl Signature {
    /// The members of the argument block in order (scalar layout): the only gaps are before 64-bit arguments.
    pub fn block_members(&self) -> Vec<BlockMember> {
        let mut members = vec![BlockMember::Fault, BlockMember::Clock, BlockMember::Stage];
        members.extend(self.paged().map(|(resource, ..)| BlockMember::Pages(resource)));
        let buffers = self.fields.iter().enumerate();
        for (number, field) in buffers.filter(|(_, field)| field.place == LocalPlace::Buffer) {
            members.extend(field.reads.then_some(BlockMember::Read(number)));
            members.extend(field.writes.then_some(BlockMember::Write(number)));
        }
        members.extend(self.is_over_level().then_some(BlockMember::Domain));
        members.extend(self.cut.then_some(BlockMember::Box));
        let resources = self.resources.iter().enumerate();
        let levels = resources.filter(|(_, resource)| resource.is_level());
        members.extend(levels.map(|(number, _)| BlockMember::Level(number)));
        members.extend((0..self.arguments.len()).map(BlockMember::Argument));
        members.extend(self.shuffled.then_some(BlockMember::Shuffle));
        members.extend(self.has_marks().then_some(BlockMember::Shadows));
        members
    }

    /// The first byte of the box in an argument block.
    pub fn box_offset(&self) -> Option<u64> {
        let members = self.block_members();
        let before = members.iter().position(|member| *member == BlockMember::Box)?;
        Some(self.end_of(&members[..before]))
    }

    /// The byte after the members of an argument block where workgroup counts are, if the number of particles determines them.
    pub fn counts_offset(&self) -> u64 {
        self.end_of(&self.block_members()).next_multiple_of(4)
    }

    /// Bytes of an argument block.
    pub fn block_bytes(&self) -> u64 {
        let counts = if self.cut { COUNTS_BYTES } else { 0 };
        (self.counts_offset() + counts).next_multiple_of(BLOCK_ALIGNMENT)
    }

    /// Bytes of the first members of an argument block.
    fn end_of(&self, members: &[BlockMember]) -> u64 {
        let end = |at: u64, slot: BlockMember| match slot {
            BlockMember::Argument(argument) => {
                let element = self.arguments[argument].1;
                at.next_multiple_of(element.scalar().bytes()) + element.bytes()
            }
            BlockMember::Domain => at + 12,
            BlockMember::Box => at + 24,
            BlockMember::Shuffle => at.next_multiple_of(4) + 4,
            BlockMember::Shadows => at.next_multiple_of(8) + 8,
            BlockMember::Level(resource) => at + 12 * u64::from(self.resources[resource].axes()),
            _ => at + 8,
        };
        members.iter().copied().fold(0, end)
    }
}
