//! Vectors whose components are stored apart, each on the faces of cells across its axis: merged for files that have one
//! vector in a cell, with the components on its faces with smaller coordinates.

use std::borrow::Cow;

use super::content::{Column, Content};
use super::convert;
use super::payload::Payload;

/// The selected vectors of a content. Where a cell has no face, since it is beyond the last one along another axis, the
/// component is the background.
pub(super) fn merged<'a>(content: &'a Content, payload: &dyn Payload) -> Option<(&'a Column, Vec<u8>)> {
    let (sides, [column]) = (content.staggered?, content.columns.as_slice()) else {
        return None;
    };
    let single = Column {
        components: 1,
        ..column.clone()
    };
    let part = |number: usize| convert::converted(Cow::Borrowed(payload.part(number)), &single);
    let parts = [part(0), part(1), part(2)];
    let size = single.scalar.size() as usize;
    let background = (column.background as f32).to_ne_bytes();
    let (selection, [nx, ny, nz]) = (&content.selection, content.selected());
    let mut bytes = Vec::with_capacity((nx * ny * nz) as usize * 3 * size);
    let at = |axis: usize, number: u64| selection.first[axis] + number * selection.stride;
    for (z, y) in (0..nz).flat_map(|z| (0..ny).map(move |y| (z, y))) {
        for x in 0..nx {
            let cell = [at(0, x), at(1, y), at(2, z)];
            for (part, sides) in parts.iter().zip(&sides) {
                let has_face = (0..3).all(|axis| cell[axis] < sides[axis]);
                let index = ((cell[2] * sides[1] + cell[1]) * sides[0] + cell[0]) as usize * size;
                let value = part.get(index..index + size).filter(|_| has_face);
                bytes.extend_from_slice(value.unwrap_or(&background));
            }
        }
    }
    Some((column, bytes))
}
