//! The contents of one field.

use crate::ir::{FieldId, Pipeline};

/// Initial contents of a part of a field.
pub struct Initial {
    pub field: FieldId,
    /// The part's first byte in the field.
    pub first: u64,
    /// The bytes of the part in device memory.
    pub bytes: Vec<u8>,
    /// A note for the user.
    pub notice: Option<String>,
}

impl Initial {
    /// The parts of a field for its first elements, given element by element: one part for each entry of an
    /// array, or one of all planes.
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
        let sides = pipeline.size_of(id);
        let of_plane = |(z, plane): (usize, &[u8])| {
            let of_entry = |entry: u64| {
                let at = entry as usize * size;
                let elements = plane.chunks_exact(all);
                let bytes = elements.flat_map(|element| &element[at..at + size]);
                let first = field.place_of_entry(sides, entry, z as u64 * sides[0] * sides[1]);
                part(first * size as u64, bytes.copied().collect())
            };
            (0..field.entries()).map(of_entry).collect::<Vec<_>>()
        };
        let planes = values.chunks((sides[0] * sides[1]) as usize * all);
        let parts: Vec<Initial> = planes.enumerate().flat_map(of_plane).collect();
        match sides[2] {
            1 => parts,
            // All planes exist and are consecutive.
            _ => vec![part(0, parts.into_iter().flat_map(|part| part.bytes).collect())],
        }
    }
}
