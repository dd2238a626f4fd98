//! How a stage depends on halos.

use crate::ir::{FieldId, Layout, Valid};

/// How a stage changes the validity of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Each rank writes its part.
    Part(Layout),
    /// All ranks write the whole field alike.
    Whole,
    /// No stage reads the values again.
    Spent,
    /// All ranks copy a field as it is. `always` is false if a condition may prevent it.
    CopyOf { field: FieldId, always: bool },
}

/// The needs and effects of a stage. Fields that all ranks write alike, but not as a whole, stay as valid as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StageHalos {
    pub needs: Vec<(FieldId, Valid)>,
    pub effects: Vec<(FieldId, Effect)>,
}
