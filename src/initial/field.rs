//! The contents of one field.

use crate::ir::{FieldId, Pipeline};

/// What a part of a field begins with.
pub(crate) struct Initial {
    pub field: FieldId,
    /// The part's first byte in the field.
    pub first: u64,
    /// The part as the device holds it.
    pub bytes: Vec<u8>,
    /// What a person should know about it.
    pub notice: Option<String>,
}

impl Initial {
    /// The parts of a field for its first elements, given element by element: one part for each entry of an array.
    pub(super) fn of(pipeline: &Pipeline, id: FieldId, values: Vec<u8>) -> Vec<Initial> {
        let field = &pipeline.fields[id];
        let part = |first: u64, bytes: Vec<u8>| Initial {
            field: id,
            first,
            bytes,
            notice: None,
        };
        if field.count.is_none() {
            return vec![part(0, values)];
        }
        let (size, all) = (field.element.bytes() as usize, field.bytes() as usize);
        let of_entry = |entry: u64| {
            let at = entry as usize * size;
            let elements = values.chunks_exact(all);
            let bytes = elements.flat_map(|element| &element[at..at + size]);
            let first = entry * pipeline.elements_of(id) * size as u64;
            part(first, bytes.copied().collect())
        };
        (0..field.entries()).map(of_entry).collect()
    }
}
