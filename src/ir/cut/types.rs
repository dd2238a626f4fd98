//! The cut of a pipeline, as data.

use super::super::ids::{FieldId, ResourceId, StageId};
use super::boxes::Partition;

/// The reason for which a stage is not cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It runs over no grid.
    Elsewhere,
    OtherGrid(ResourceId),
    Levels(ResourceId),
    Sparse(ResourceId),
    Particles(ResourceId),
    /// It runs over columns of the grid.
    Columns,
    Groups,
    /// Its kernel numbers its invocations by itself, or is compiled in advance.
    OwnNumbers,
    Engine,
    SetsClock,
    Requests,
    WritesAnywhere(FieldId),
    WritesElsewhere(FieldId),
}

/// The part of a rank.
#[derive(Debug, Clone)]
pub struct Cut {
    pub rank: usize,
    pub partition: Partition,
    /// The grids that are cut, all of one size and at one place; empty if nothing is cut.
    pub grids: Vec<ResourceId>,
    /// By stage.
    pub shares: Vec<Share>,
}

/// The elements of a stage that a rank runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Share {
    /// Its part, grown by cells along each axis.
    Part { grow: [u64; 3] },
    /// All elements.
    Everywhere(Reason),
}

/// The arrangement of a field in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Elements along each axis, x fastest.
    pub sides: [u64; 3],
    /// Entries of each element, stored plane by plane in z.
    pub entries: u32,
    /// Bytes of an entry of an element.
    pub bytes: u32,
}

/// How a user wants a simulation to be cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CutRequest {
    /// Parts along each axis; `None` chooses those with the least surface.
    pub parts: Option<[usize; 3]>,
    /// Stages that may run whole on every rank.
    pub whole: Whole,
}

/// Stages that may run whole on every rank, at any cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Whole {
    /// No stage.
    #[default]
    None,
    /// Stages with these names.
    Stages(Vec<String>),
    /// All stages.
    All,
}

/// A reason for which a pipeline cannot be cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncut {
    /// The JSON pointer of a stage; `None` if the reason is not in the file.
    pub pointer: Option<String>,
    pub message: String,
    pub help: Option<String>,
}

impl Uncut {
    pub(super) fn request(message: impl Into<String>) -> Vec<Uncut> {
        vec![Uncut {
            pointer: None,
            message: message.into(),
            help: None,
        }]
    }
}

impl Cut {
    /// The grown part if a stage runs on the part of the rank alone.
    pub fn grow(&self, stage: StageId) -> Option<[u64; 3]> {
        match self.shares[stage] {
            Share::Part { grow } => Some(grow),
            Share::Everywhere(_) => None,
        }
    }
}
