//! The three lists of stages.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum List {
    Init,
    Step,
    Frame,
}

impl List {
    /// Its key in pipeline files.
    pub fn key(self) -> &'static str {
        match self {
            List::Init => "init",
            List::Step => "step",
            List::Frame => "frame",
        }
    }
}
