//! Segments of a list.

use super::{Barrier, LoopPart, Split, When};
use crate::ir::{Completed, List, ResourceId};
use crate::workgroups::Groups;

/// One command of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Barrier(Barrier),
    /// Advances the clock of the list by one pass.
    AdvanceClock,
    /// Runs entry `invocation` of the list.
    Dispatch {
        invocation: usize,
        groups: Groups,
        when: When,
    },
    /// Writes the group counts of a gate's dispatches.
    Gate(usize),
    /// Copies the condition of a part's repeat to the host.
    Note(LoopPart),
}

/// Commands that always run together.
#[derive(Debug, Clone)]
pub struct Segment {
    pub list: List,
    /// Runs in every n-th pass through the list.
    pub every: u32,
    /// The first pass in which it runs, counted from 0.
    pub first: u32,
    /// The sparse grid whose requests the host can read after this segment.
    pub collects: Option<ResourceId>,
    /// The change of a set with which this segment ends, if ranks divide the set: they agree on their particles.
    pub completes: Option<Completed>,
    /// The sparse grid that the host must update, including binds of pages, before this segment starts.
    pub applies: Option<ResourceId>,
    /// Set if it is a part of a repeat with `while`.
    pub part: Option<LoopPart>,
    /// Its stages measure: they run even if the frame is not drawn.
    pub measures: bool,
    /// The call that it belongs to: it does not run in steps.
    pub call: Option<usize>,
    /// A dispatch that is divided, so that a part of it runs while ranks exchange halos.
    pub split: Option<Split>,
    pub commands: Vec<Command>,
}

impl Segment {
    /// Returns true if it runs in a pass; the last number is the one before the first pass.
    pub fn is_due(&self, pass: u64) -> bool {
        let every = u64::from(self.every);
        self.call.is_none() && pass.wrapping_add(1) % every == (u64::from(self.first) + 1) % every
    }

    /// The entries that it dispatches.
    pub fn entries(&self) -> impl Iterator<Item = usize> {
        self.commands.iter().filter_map(|command| match command {
            Command::Dispatch { invocation, .. } => Some(*invocation),
            _ => None,
        })
    }

    /// The entry whose dispatch is divided.
    pub fn divided(&self) -> Option<usize> {
        match self.commands.get(self.split.as_ref()?.command)? {
            Command::Dispatch { invocation, .. } => Some(*invocation),
            _ => None,
        }
    }

    /// Returns true if it ends a part of a repeat with `while`.
    pub fn ends_part(&self) -> bool {
        (self.commands.iter()).any(|command| matches!(command, Command::Note(_)))
    }

    /// Returns true if it runs in a frame. `drawn`: an output uses the results of frame stages.
    pub fn is_wanted(&self, drawn: bool) -> bool {
        let dispatches = |command: &Command| matches!(command, Command::Dispatch { .. });
        drawn || self.measures || !self.commands.iter().any(dispatches)
    }
}
