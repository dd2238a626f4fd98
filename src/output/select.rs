//! Selects the elements for a file: a box and every n-th element of a lattice, or the live particles in a region.

use std::borrow::Cow;
use std::io;

use super::content::{Column, Content, Geometry, Picked};
use super::convert;
use super::faces::{self, Triangles};
use super::payload::Payload;
use super::staggered;

/// The elements of one file, selected.
pub(super) struct View<'a> {
    pub content: &'a Content,
    pub frame: u64,
    pub columns: Vec<Values<'a>>,
    /// Elements along each axis, the slowest varying first.
    pub shape: Vec<u64>,
    /// The bitmap of active blocks.
    pub active: Option<Cow<'a, [u8]>>,
    /// The triangles that join points to a mesh.
    pub triangles: Option<Triangles<'a>>,
}

impl View<'_> {
    /// The column of the positions of particles, which files of points require.
    pub(super) fn position(&self) -> io::Result<usize> {
        match self.content.geometry {
            Geometry::Particles { position } => position,
            _ => None,
        }
        .ok_or_else(|| invalid("points require positions"))
    }
}

/// The elements of one column, in the machine's byte order.
pub(super) struct Values<'a> {
    pub column: &'a Column,
    pub bytes: Cow<'a, [u8]>,
}

impl Values<'_> {
    /// Component `component` of element `element`, which has four bytes.
    pub(super) fn word(&self, element: usize, component: usize) -> [u8; 4] {
        let at = 4 * (element * self.column.components as usize + component);
        match self.bytes.get(at..at + 4) {
            Some(word) => [word[0], word[1], word[2], word[3]],
            None => [0; 4],
        }
    }
}

impl View<'_> {
    pub(super) fn elements(&self) -> usize {
        self.shape.iter().product::<u64>() as usize
    }

    /// The simulated time, s.
    pub(super) fn time(&self) -> f64 {
        self.frame as f64 * self.content.frame_seconds
    }

    /// Elements along x, y and z.
    pub(super) fn sides(&self) -> [u64; 3] {
        let mut sides = [1; 3];
        for (side, length) in sides.iter_mut().zip(self.shape.iter().rev()) {
            *side = *length;
        }
        sides
    }

    /// The position of the first element of a lattice (the centre of a cell), and the distances between elements that
    /// are written, m.
    pub(super) fn lattice(&self) -> ([f64; 3], [f64; 3]) {
        let (origin, spacing, inside) = match &self.content.geometry {
            Geometry::Cells { origin, spacing } => (*origin, *spacing, 0.5),
            Geometry::Vertices { origin, spacing } => (*origin, *spacing, 0.0),
            _ => ([0.0; 3], [1.0; 3], 0.0),
        };
        let selection = &self.content.selection;
        let axes = self.content.shape.len();
        let inside = |axis: usize| if axis < axes { inside } else { 0.0 };
        let at = |axis: usize| origin[axis] + (selection.first[axis] as f64 + inside(axis)) * spacing[axis];
        (
            std::array::from_fn(at),
            spacing.map(|distance| distance * selection.stride as f64),
        )
    }
}

/// Selects from a payload whose parts have been checked.
pub(super) fn select<'a>(content: &'a Content, frame: u64, payload: &'a dyn Payload) -> io::Result<View<'a>> {
    let columns = content.columns.iter().enumerate();
    let whole = columns.map(|(number, column)| (column, payload.part(number)));
    let active = (content.active.as_ref()).map(|(part, _)| Cow::Borrowed(payload.part(*part)));
    let mut view = View {
        content,
        frame,
        columns: Vec::new(),
        shape: content.shape.clone(),
        active,
        triangles: None,
    };
    match content.geometry {
        Geometry::Cells { .. } if content.staggered.is_some() => {
            let merged = staggered::merged(content, payload).into_iter();
            let merged = merged.map(|(column, bytes)| Values {
                column,
                bytes: Cow::Owned(bytes),
            });
            view.columns = merged.collect();
            view.shape = content.selected().iter().rev().copied().collect();
        }
        Geometry::Cells { .. } | Geometry::Vertices { .. } | Geometry::Image => {
            let selected = content.selected();
            if selected == content.sides() {
                view.columns = whole.map(|(column, part)| all(content, column, part)).collect();
            } else {
                let picked = |(column, part)| {
                    values(content, column, part, |part, size| {
                        boxed(content, selected, part, size)
                    })
                };
                view.columns = whole.map(picked).collect();
                let axes = view.shape.len();
                view.shape = selected[..axes].iter().rev().copied().collect();
            }
        }
        Geometry::Nowhere if content.shape.len() != 1 => {
            view.columns = whole.map(|(column, part)| all(content, column, part)).collect();
        }
        Geometry::Nowhere | Geometry::Particles { .. } => {
            let kept = kept(content, payload)?;
            view.shape = vec![kept.len() as u64];
            let picked = |(column, part)| {
                values(content, column, part, |part, size| match &kept {
                    Kept::First(count) => Cow::Borrowed(&part[..*count * size]),
                    Kept::Some(indices) => Cow::Owned(gathered(part, indices, size)),
                })
            };
            view.columns = whole.map(picked).collect();
            view.triangles = faces::triangles(content, payload, kept.len())?;
        }
    }
    Ok(view)
}

fn all<'a>(content: &Content, column: &'a Column, part: &'a [u8]) -> Values<'a> {
    values(content, column, part, |part, _| Cow::Borrowed(part))
}

/// The values of a column for the file, which `pick` selects from values of a size.
fn values<'a>(
    content: &Content,
    column: &'a Column,
    part: &'a [u8],
    pick: impl for<'b> Fn(&'b [u8], usize) -> Cow<'b, [u8]>,
) -> Values<'a> {
    let size = column.element_bytes() as usize;
    let bytes = match column.entries.map(|entries| entries as usize) {
        Some(entries) if entries > 1 && !part.is_empty() => {
            let depth = content.sides()[2] as usize;
            let elements = by_element(part, entries, size / entries, part.len() / depth);
            Cow::Owned(pick(&elements, size).into_owned())
        }
        _ => pick(part, size),
    };
    let bytes = match column.picked {
        Some(picked) => Cow::Owned(component_of(&bytes, column.stored.size() as usize, picked)),
        None => bytes,
    };
    Values {
        column,
        bytes: convert::converted(bytes, column),
    }
}

/// One component of every element, in bytes of `size`.
fn component_of(bytes: &[u8], size: usize, picked: Picked) -> Vec<u8> {
    let elements = bytes.chunks_exact(size * picked.of as usize);
    let first = size * picked.component as usize;
    elements
        .flat_map(|element| &element[first..first + size])
        .copied()
        .collect()
}

/// Reorders an array element by element. Memory holds it plane by plane in z: the first entry of all elements of a
/// plane, then the second. `size` is that of a value, `plane` that of a plane, in bytes.
fn by_element(part: &[u8], entries: usize, size: usize, plane: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(part.len());
    for plane in part.chunks_exact(plane) {
        let of_entry = plane.len() / entries;
        for first in (0..of_entry).step_by(size) {
            (0..entries)
                .for_each(|entry| bytes.extend_from_slice(&plane[entry * of_entry + first..][..size]));
        }
    }
    bytes
}

/// A box of a lattice, every n-th element along each axis.
fn boxed<'b>(content: &Content, selected: [u64; 3], part: &[u8], size: usize) -> Cow<'b, [u8]> {
    let sides = content.sides();
    let selection = &content.selection;
    let mut bytes = Vec::with_capacity(selected.iter().product::<u64>() as usize * size);
    let at = |axis: usize, number: u64| selection.first[axis] + number * selection.stride;
    for z in 0..selected[2] {
        for y in 0..selected[1] {
            let row = ((at(2, z) * sides[1] + at(1, y)) * sides[0] + selection.first[0]) as usize * size;
            let step = selection.stride as usize * size;
            match selection.stride {
                1 => bytes.extend_from_slice(&part[row..row + selected[0] as usize * size]),
                _ => (0..selected[0] as usize)
                    .for_each(|x| bytes.extend_from_slice(&part[row + x * step..row + x * step + size])),
            }
        }
    }
    Cow::Owned(bytes)
}

fn gathered(part: &[u8], indices: &[u32], size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(indices.len() * size);
    for index in indices {
        let at = *index as usize * size;
        bytes.extend_from_slice(&part[at..at + size]);
    }
    bytes
}

/// The elements of a list that are written.
enum Kept {
    First(usize),
    Some(Vec<u32>),
}

impl Kept {
    fn len(&self) -> usize {
        match self {
            Kept::First(count) => *count,
            Kept::Some(indices) => indices.len(),
        }
    }
}

/// The particles whose numbers are multiples of a stride, in the order of their numbers.
fn identified(part: &[u8], count: u32, stride: u32) -> io::Result<Vec<u32>> {
    if part.len() < 4 * count as usize {
        return Err(invalid("the numbers of particles are missing"));
    }
    let numbers = part
        .chunks_exact(4)
        .map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
    let mut found: Vec<(u32, u32)> = (numbers.zip(0..count))
        .filter(|(number, _)| number.is_multiple_of(stride))
        .collect();
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, index)| index).collect())
}

fn kept(content: &Content, payload: &dyn Payload) -> io::Result<Kept> {
    let capacity = content.elements().unwrap_or(0);
    let count = match content.live {
        None => capacity,
        Some(part) => match payload.part(part).first_chunk::<4>() {
            Some(word) => u64::from(u32::from_ne_bytes(*word)).min(capacity),
            None => return Err(invalid("the number of elements in use is missing")),
        },
    };
    let selection = &content.selection;
    if selection.stride <= 1 && selection.region.is_none() {
        return Ok(Kept::First(count as usize));
    }
    let Ok(count) = u32::try_from(count) else {
        return Err(invalid(
            "a selection from more than 4294967295 elements is not supported",
        ));
    };
    let stride = selection.stride.clamp(1, u64::from(u32::MAX)) as u32;
    let candidates: Vec<u32> = match content.identity {
        Some(part) => identified(payload.part(part), count, stride)?,
        None => (0..count).step_by(stride as usize).collect(),
    };
    let Some([low, high]) = selection.region else {
        return Ok(Kept::Some(candidates));
    };
    let Geometry::Particles {
        position: Some(position),
    } = content.geometry
    else {
        return Err(invalid("a region requires positions"));
    };
    let positions = payload.part(position);
    if positions.len() as u64 != 12 * capacity {
        return Err(invalid("the positions are not three floats per particle"));
    }
    let inside = |index: &u32| {
        let position = &positions[12 * *index as usize..][..12];
        position.chunks_exact(4).enumerate().all(|(axis, word)| {
            let at = f64::from(f32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
            low[axis] <= at && at <= high[axis]
        })
    };
    Ok(Kept::Some(candidates.into_iter().filter(inside).collect()))
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Format, Scalar, Selection};

    fn numbers(count: u32) -> Vec<u8> {
        (0..count).flat_map(u32::to_ne_bytes).collect()
    }

    fn read(view: &View) -> Vec<u32> {
        let words = view.columns[0].bytes.chunks_exact(4);
        words
            .map(|word| u32::from_ne_bytes(word.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn lattice_boxes_keep_cell_order() {
        let mut content = Content::array(Format::Npy, Scalar::U32, 1, &[3, 4, 5]);
        content.geometry = Geometry::Cells {
            origin: [10.0, 0.0, 0.0],
            spacing: [2.0; 3],
        };
        let payload = numbers(60);
        content.selection = Selection {
            first: [1, 1, 2],
            within: [4, 3, 9],
            stride: 2,
            region: None,
        };
        let view = select(&content, 1, &payload).unwrap();
        assert_eq!(view.shape, [1, 2, 2]);
        let index = |x: u32, y: u32, z: u32| (z * 4 + y) * 5 + x;
        assert_eq!(
            read(&view),
            [index(1, 1, 2), index(3, 1, 2), index(1, 3, 2), index(3, 3, 2)]
        );
        assert_eq!(view.lattice(), ([13.0, 3.0, 5.0], [4.0; 3]));
        let picture = view.picture().unwrap();
        assert_eq!((picture.width, picture.height), (2, 2));
        assert_eq!([picture.element(1, 0), picture.element(0, 1)], [3, 0]);
    }

    #[test]
    fn strided_selection_follows_particles_after_reordering() {
        let mut content = Content::array(Format::Npy, Scalar::U32, 1, &[7]);
        content.geometry = Geometry::Particles { position: None };
        content.identity = Some(1);
        content.selection.stride = 3;
        let moved = [3u32, 6, 1, 0, 5, 4, 2];
        let payload = |numbers: [u32; 7]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
            vec![bytes.clone(), bytes]
        };
        for numbers in [[0, 1, 2, 3, 4, 5, 6], moved] {
            assert_eq!(read(&select(&content, 1, &payload(numbers)).unwrap()), [0, 3, 6]);
        }
        // Control: without the numbers, every third particle in memory.
        content.identity = None;
        assert_eq!(read(&select(&content, 1, &payload(moved)).unwrap()), [3, 0, 2]);
    }

    #[test]
    fn region_selection_keeps_live_particle_order() {
        let mut content = Content::array(Format::Npy, Scalar::U32, 1, &[6]);
        content.geometry = Geometry::Particles { position: Some(1) };
        content.live = Some(2);
        let positions: Vec<u8> = (0..6)
            .flat_map(|i| [i as f32, 0.0, 0.0])
            .flat_map(f32::to_ne_bytes)
            .collect();
        let payload = |live: u32| vec![numbers(6), positions.clone(), live.to_ne_bytes().to_vec()];
        let all = payload(4);
        assert_eq!(read(&select(&content, 1, &all).unwrap()), [0, 1, 2, 3]);
        content.selection.region = Some([[1.0, 0.0, 0.0], [9.0, 0.0, 0.0]]);
        assert_eq!(read(&select(&content, 1, &all).unwrap()), [1, 2, 3]);
        content.selection.stride = 2;
        assert_eq!(read(&select(&content, 1, &all).unwrap()), [2]);
        // A count beyond the capacity, which no stage should write, does not read beyond the data.
        let beyond = payload(99);
        assert_eq!(read(&select(&content, 1, &beyond).unwrap()), [2, 4]);
        assert!(select(&content, 1, &numbers(6)).is_err());
    }
}
