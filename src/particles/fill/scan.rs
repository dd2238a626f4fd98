//! The points of a lattice inside a closed mesh, by scan conversion.
//!
//! A line of points is a ray. Its intersection with a triangle is decided in two steps, each of which rounds a
//! coordinate up to the next integer: an edge covers the rows from its lower end rounded up to its upper end rounded
//! up, without the last; a triangle covers the lines of a row between the intersections of two of its edges with that
//! row, again rounded up. Both depend only on the edge, with its ends in a fixed order, so the two triangles at an edge
//! agree bit for bit. A triangle has two edges in a row or none, and each edge of a closed mesh has an even number of
//! triangles, so every line crosses the surface an even number of times in spite of rounding, even through edges and
//! corners. (Rounding up is the half-open rule of rasterization, a simulation of simplicity: it acts like an
//! infinitesimal shift of the points.)

use std::ops::Range;

use super::lattice::{Lattice, Span};
use super::mesh::Mesh;

/// A mesh in units of a lattice.
pub(super) struct Scan<'a> {
    mesh: &'a Mesh,
    /// Coordinates of each vertex: along lines, across lines, across rows.
    vertices: Vec<[f64; 3]>,
    /// Triangles that intersect a row, ordered by their first row: first row, one past the last, number.
    triangles: Vec<(u32, u32, u32)>,
    /// Points of a line, lines of a row.
    length: u32,
    lines: u32,
}

/// The first whole number that is not below `x`, within 0..=`most`.
fn up(x: f64, most: u32) -> u32 {
    // The cast saturates.
    (x.ceil() as u32).min(most)
}

impl<'a> Scan<'a> {
    pub(super) fn new(mesh: &'a Mesh, lattice: &Lattice) -> Scan<'a> {
        let vertices: Vec<[f64; 3]> = mesh
            .vertices()
            .iter()
            .map(|place| lattice.units(*place))
            .collect();
        let rows = lattice.rows();
        let mut triangles = Vec::with_capacity(mesh.triangles().len());
        for (number, corners) in mesh.triangles().iter().enumerate() {
            let ends = corners.map(|corner| up(vertices[corner as usize][2], rows));
            let [first, end] = [ends.iter().min(), ends.iter().max()].map(|row| row.copied().unwrap_or(0));
            if first < end {
                triangles.push((first, end, number as u32));
            }
        }
        triangles.sort_unstable();
        Scan {
            mesh,
            vertices,
            triangles,
            length: lattice.length(),
            lines: lattice.lines(),
        }
    }

    /// Calls `look` with the inside of each row, in order.
    pub(super) fn visit(&self, rows: Range<u32>, mut look: impl FnMut(u32, &[Span])) {
        // Active triangles: begun in an earlier row and not finished.
        let begun = self.triangles.partition_point(|(first, ..)| *first < rows.start);
        let (earlier, mut later) = self.triangles.split_at(begun);
        let mut active: Vec<(u32, u32)> = earlier
            .iter()
            .filter(|(_, end, _)| *end > rows.start)
            .map(|(_, end, number)| (*end, *number))
            .collect();
        let (mut crossings, mut spans) = (Vec::new(), Vec::new());
        for row in rows {
            let begin = later.partition_point(|(first, ..)| *first <= row);
            let (now, rest) = later.split_at(begin);
            later = rest;
            active.extend(now.iter().map(|(_, end, number)| (*end, *number)));
            active.retain(|(end, _)| *end > row);
            crossings.clear();
            for (_, triangle) in &active {
                self.cross(*triangle, row, &mut crossings);
            }
            crossings.sort_unstable();
            spans.clear();
            spans.extend(crossings.chunks_exact(2).filter_map(|pair| {
                let [(line, from), (_, to)] = [pair[0], pair[1]];
                (from < to).then_some(Span { line, from, to })
            }));
            look(row, &spans);
        }
    }

    /// Adds the lines of a row that cross a triangle, each with its first point behind the triangle.
    fn cross(&self, triangle: u32, row: u32, crossings: &mut Vec<(u32, u32)>) {
        let corners = self.mesh.triangles()[triangle as usize];
        let mut met = [(0, [0.0; 2]); 2];
        let mut edges = 0;
        for i in 0..3 {
            if let Some(place) = self.meet(corners[i], corners[(i + 1) % 3], row)
                && let Some(slot) = met.get_mut(edges)
            {
                *slot = (up(place[1], self.lines), place);
                edges += 1;
            }
        }
        met.sort_unstable_by_key(|(line, _)| *line);
        let [(first, [a, x]), (end, [b, y])] = met;
        let [least, most] = [a.min(b), a.max(b)];
        for line in first..end {
            let part = (f64::from(line) - x) / (y - x);
            // The depth of triangles parallel to the lines is undefined, so clamp it to their ends.
            let depth = (a + part * (b - a)).clamp(least, most);
            crossings.push((line, up(depth, self.length)));
        }
    }

    /// The intersection of a row with an edge, if any: along lines, across lines. The order of the ends does not
    /// matter.
    fn meet(&self, a: u32, b: u32, row: u32) -> Option<[f64; 2]> {
        let [p, q] = [a.min(b), a.max(b)].map(|corner| self.vertices[corner as usize]);
        // Clamping to any number above the last row preserves the order of the rounded ends.
        let beyond = |end: [f64; 3]| end[2].ceil() > f64::from(row);
        if beyond(p) == beyond(q) {
            return None;
        }
        let part = (f64::from(row) - p[2]) / (q[2] - p[2]);
        Some([0, 1].map(|axis| p[axis] + part * (q[axis] - p[axis])))
    }
}
