//! Segments without barriers.

use crate::ir::{Completed, Invocation, Pipeline, Purpose, ResourceId};
use crate::plan::{Accesses, Command, List, LoopPart};

/// A command before barriers are placed.
pub(super) type BareCommand = (Command, Accesses);

/// A segment before barriers are placed.
#[derive(Default)]
pub(super) struct BareSegment {
    pub every: u32,
    pub first: u32,
    pub collects: Option<ResourceId>,
    pub completes: Option<Completed>,
    /// True for the stages of a sort that ranks run once more after they have exchanged particles.
    pub is_sort: bool,
    pub applies: Option<ResourceId>,
    pub part: Option<LoopPart>,
    pub measures: bool,
    pub call: Option<usize>,
    pub commands: Vec<BareCommand>,
}

impl BareSegment {
    /// The accesses of each of its commands.
    pub(super) fn accesses(&self) -> Vec<Accesses> {
        let accesses = self.commands.iter().map(|(_, accesses)| accesses.clone());
        accesses.collect()
    }
}

/// Returns true if an entry belongs to the frame stages that measure, which also run in frames that are not drawn.
pub(super) fn is_measure(pipeline: &Pipeline, list: List, entry: &Invocation) -> bool {
    list == List::Frame && pipeline.stages[entry.stage].purpose == Purpose::Measure
}
