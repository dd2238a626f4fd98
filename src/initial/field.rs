//! The contents of one field.

use crate::ir::FieldId;

/// What a part of a field begins with.
pub(crate) struct Initial {
    pub field: FieldId,
    /// The part's first byte in the field.
    pub first: u64,
    /// The part as the device holds it.
    pub bytes: Vec<u8>,
}
