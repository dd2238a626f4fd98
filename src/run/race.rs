//! A data race in the fault record: which elements of a stage access a value, and how.

use std::fmt;

use crate::ir::{Over, Pipeline, Stage};

use super::indices::{indices, tuple};

/// How an element accesses a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceUse {
    Write,
    Read,
    Atomic,
}

/// What the two users of a value are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    Element,
    /// Of a kernel whose invocations cooperate.
    Workgroup,
    /// Of the list of active blocks, or of their sub-blocks.
    Block,
    SubBlock,
}

/// Two elements of a stage that access the same value, and at least one of them changes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    pub user: User,
    /// The index of each, and what it does.
    pub users: [(Vec<i64>, RaceUse); 2],
    /// Of an array.
    pub entry: Option<u32>,
}

impl Race {
    /// Decodes the words of the record: two numbers of users, whether they are workgroups, and their uses.
    pub(super) fn decode(
        pipeline: &Pipeline,
        stage: &Stage,
        users: [u32; 2],
        of_groups: bool,
        uses: u32,
        entry: Option<u32>,
    ) -> Race {
        let of = |code: u32| match code & 3 {
            0 => RaceUse::Write,
            1 => RaceUse::Read,
            _ => RaceUse::Atomic,
        };
        let user = match (of_groups, stage.domain.over) {
            (true, _) => User::Workgroup,
            (_, Over::ActiveBlocks) => User::Block,
            (_, Over::SubBlocks) => User::SubBlock,
            _ => User::Element,
        };
        let index = |number: u32| match user {
            User::Element => element(pipeline, stage, u64::from(number)),
            _ => vec![i64::from(number)],
        };
        Race {
            user,
            users: [(index(users[0]), of(uses)), (index(users[1]), of(uses >> 2))],
            entry,
        }
    }

    /// What to do about it.
    pub(super) fn help(&self) -> &'static str {
        match self.users[1].1 {
            RaceUse::Write if self.users[0].1 == RaceUse::Write => {
                "let one element write each value, or combine the values with atomics (add_, min_, max_, or_)"
            }
            _ if self.users[0].1 == RaceUse::Write => {
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
    /// For example "elements 3 and 4 race: 3 writes what 4 reads".
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let users = match self.user {
            User::Element => "elements",
            User::Workgroup => "workgroups",
            User::Block => "active blocks",
            User::SubBlock => "sub-blocks",
        };
        let [(first, does), (second, also)] = &self.users;
        let (first, second) = (tuple(first), tuple(second));
        write!(f, "{users} {first} and {second} race: ")?;
        match (does, also) {
            (RaceUse::Write, RaceUse::Write) => write!(f, "both write it"),
            (RaceUse::Write, _) => write!(f, "{first} writes it and {second} reads it"),
            (_, RaceUse::Write) => write!(f, "{first} changes it with atomics and {second} writes it"),
            _ => write!(f, "{first} changes it with atomics and {second} reads it"),
        }
    }
}
