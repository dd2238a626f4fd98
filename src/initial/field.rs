//! The contents of one field.

use crate::ir::FieldId;

/// What a field begins with.
pub(crate) struct Initial {
    pub field: FieldId,
    /// The first elements, as the device holds them.
    pub words: Vec<u32>,
}
