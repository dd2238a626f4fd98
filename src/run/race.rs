//! Data races in the fault record: the elements of a stage that access a value, and how.

use std::fmt;

use crate::ir::{Over, Pipeline, Stage};

use super::indices::{indices, tuple};

/// Types of accesses to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceAccess {
    Write,
    Read,
    Atomic,
}

/// The kinds of accessors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accessor {
    Element,
    /// A workgroup of a kernel whose invocations cooperate.
    Workgroup,
    /// An active block.
    Block,
    /// A sub-block of an active block.
    SubBlock,
}

/// Two elements of a stage that access the same value, and at least one of them changes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    pub accessor: Accessor,
    /// The index and the access of each.
    pub accessors: [(Vec<i64>, RaceAccess); 2],
    /// The entry of an array.
    pub entry: Option<u32>,
}

impl Race {
    /// Decodes the words of the record: two numbers of accessors, whether they are workgroups, and their accesses.
    pub(super) fn decode(
        pipeline: &Pipeline,
        stage: &Stage,
        accessors: [u32; 2],
        of_groups: bool,
        accesses: u32,
        entry: Option<u32>,
    ) -> Race {
        let of = |code: u32| match code & 3 {
            0 => RaceAccess::Write,
            1 => RaceAccess::Read,
            _ => RaceAccess::Atomic,
        };
        let accessor = match (of_groups, stage.domain.over) {
            (true, _) => Accessor::Workgroup,
            (_, Over::ActiveBlocks) => Accessor::Block,
            (_, Over::SubBlocks) => Accessor::SubBlock,
            _ => Accessor::Element,
        };
        let index = |number: u32| match accessor {
            Accessor::Element => element(pipeline, stage, u64::from(number)),
            _ => vec![i64::from(number)],
        };
        Race {
            accessor,
            accessors: [
                (index(accessors[0]), of(accesses)),
                (index(accessors[1]), of(accesses >> 2)),
            ],
            entry,
        }
    }

    /// Advice for the user.
    pub(super) fn help(&self) -> &'static str {
        match self.accessors[1].1 {
            RaceAccess::Write if self.accessors[0].1 == RaceAccess::Write => {
                "let one element write each value, or combine the values with atomics (add_, min_, max_, or_)"
            }
            _ if self.accessors[0].1 == RaceAccess::Write => {
                "read one field and write another, and swap them after the stage ({\"swap\": [...]}); docs/races.md has \
                 more remedies"
            }
            _ => "access the value with atomics alone in this stage, or read it in a stage of its own",
        }
    }
}

/// The index of an element of a stage's domain.
fn element(pipeline: &Pipeline, stage: &Stage, number: u64) -> Vec<i64> {
    let grid = stage.domain.resource.map(|id| &pipeline.resources[id]);
    let (size, axes) = match (stage.domain.over, grid) {
        (Over::ActiveCells, Some(grid)) => (grid.size, 3),
        _ => (stage.domain.size, stage.domain.axes as usize),
    };
    indices(number, &size[..axes])
}

impl fmt::Display for Race {
    /// For example "elements 3 and 4 race: 3 writes it and 4 reads it".
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let accessors = match self.accessor {
            Accessor::Element => "elements",
            Accessor::Workgroup => "workgroups",
            Accessor::Block => "active blocks",
            Accessor::SubBlock => "sub-blocks",
        };
        let [(first, does), (second, also)] = &self.accessors;
        let (first, second) = (tuple(first), tuple(second));
        write!(f, "{accessors} {first} and {second} race: ")?;
        match (does, also) {
            (RaceAccess::Write, RaceAccess::Write) => write!(f, "both write it"),
            (RaceAccess::Write, _) => write!(f, "{first} writes it and {second} reads it"),
            (_, RaceAccess::Write) => write!(f, "{first} changes it with atomics and {second} writes it"),
            _ => write!(f, "{first} changes it with atomics and {second} reads it"),
        }
    }
}
