//! How a stage depends on halos, and how it is divided.

use crate::ir::{ElementBox, FieldId, Layout, Owners, Pipeline, Valid};

/// The depth of a field that is valid as a whole.
pub(super) const WHOLE: u32 = u32::MAX;

/// How a stage changes the validity of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Each rank writes its part and the elements around it up to a depth. The owners are those in even steps.
    Part { layout: Layout, depth: u32 },
    /// Each rank adds to its own copy. If the copies were whole before, those of other ranks than 0 must be 0.
    Shares,
    /// Each rank writes all elements of this arrangement: its own values, and 0 in place of those of other ranks.
    Scattered(Layout),
    /// Each rank writes every value of its part of this arrangement, whichever was there.
    Rewritten(Layout),
    /// Each rank writes its part, and no element that other elements read: see [`crate::ir::LocalField::keeps`].
    Kept,
    /// Another field changes that decides which elements other elements read.
    Unkept,
    /// All ranks write the whole field alike.
    Whole,
    /// No stage reads the values again.
    Spent,
    /// All ranks copy a field as it is. `always` is false if a condition may prevent it.
    CopyOf { field: FieldId, always: bool },
}

/// Values that must be valid before a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    pub field: FieldId,
    pub valid: Valid,
    /// The elements to which entries belong in even steps.
    pub owners: Owners,
    /// Only the elements that stages with [`Effect::Kept`] do not write.
    pub kept: bool,
}

/// The needs and effects of a stage. Fields that all ranks write alike, but not as a whole, stay as valid as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StageHalos {
    pub needs: Vec<Need>,
    pub effects: Vec<(FieldId, Effect)>,
}

/// A dispatch in boxes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Its number among the commands of the segment. Nothing before it needs halos.
    pub command: usize,
    /// The elements that need no halo, and write nothing that a message contains.
    pub interior: BoxRun,
    /// All other elements of the part.
    pub border: Vec<BoxRun>,
}

/// A box of a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxRun {
    pub area: ElementBox,
    pub groups: [u32; 3],
}

impl Effect {
    /// The arrangement that a stage leaves behind which runs on parts.
    pub fn layout(&self, pipeline: &Pipeline, field: FieldId) -> Option<Layout> {
        match self {
            Effect::Part { layout, .. } => Some(*layout),
            Effect::Kept => Some(pipeline.layout_of(field)),
            _ => None,
        }
    }

    /// The depth of a field after a stage; `None` if the stage does not write it.
    pub(super) fn depth_after(&self) -> Option<u32> {
        match self {
            Effect::Part { depth, .. } => Some(*depth),
            Effect::Kept
            | Effect::Shares
            | Effect::Scattered(_)
            | Effect::Rewritten(_)
            | Effect::CopyOf { .. } => Some(0),
            Effect::Whole | Effect::Spent => Some(WHOLE),
            Effect::Unkept => None,
        }
    }
}

impl Need {
    /// A need for elements with all their entries.
    pub fn of(field: FieldId, valid: Valid) -> Need {
        Need {
            field,
            valid,
            owners: Owners::Own,
            kept: false,
        }
    }

    /// A need for entries where they belong to elements.
    pub fn belonging(field: FieldId, valid: Valid, owners: Owners) -> Need {
        Need {
            owners,
            ..Need::of(field, valid)
        }
    }
}

impl Split {
    /// All boxes, the interior first.
    pub fn boxes(&self) -> impl Iterator<Item = &BoxRun> {
        std::iter::once(&self.interior).chain(&self.border)
    }
}
