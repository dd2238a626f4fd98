//! The three lists of stages.

use super::{Invocation, Pipeline};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum List {
    Init,
    Step,
    Frame,
}

impl List {
    /// Its key in pipeline files.
    pub(crate) fn key(self) -> &'static str {
        match self {
            List::Init => "init",
            List::Step => "step",
            List::Frame => "frame",
        }
    }

    /// The entries of the list in a pipeline.
    pub(crate) fn entries(self, pipeline: &Pipeline) -> &[Invocation] {
        match self {
            List::Init => &pipeline.init,
            List::Step => &pipeline.step,
            List::Frame => &pipeline.frame,
        }
    }
}
