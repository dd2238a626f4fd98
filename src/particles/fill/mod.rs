//! Solids filled with particles on a cubic lattice.
//!
//! The lattice is centred in the solid's bounding box and has round(length / spacing) points along each side, so that a
//! box of whole cells has a point in the middle of each. Points are processed by rows: a *line* of points runs along
//! the longest side of the box, and lines side by side form a *row*. For each line, the solid gives the intervals that
//! are inside, so the cost of a fill is proportional to its surface, and counting does not list the points.

mod areas;
mod lattice;
mod mesh;
mod scan;
mod solid;
mod voxels;

use std::ops::Range;

pub use areas::{Areas, read_areas};
pub use lattice::{MAX_POINTS, brief};
#[cfg(feature = "internals")]
pub use mesh::Mesh;
pub use mesh::read_mesh;
pub use solid::{Body, Solid};
pub use voxels::mark_inside;

use super::parallel;
use lattice::{Lattice, Span};
use scan::Scan;

/// A solid on its lattice.
pub struct Fill<'a> {
    lattice: Lattice,
    inside: Inside<'a>,
    /// Number of points before each row, and in total.
    before: Vec<u64>,
}

/// The solid in units of the lattice, whose points have whole coordinates from 0 on.
enum Inside<'a> {
    Box,
    /// The radius; the centre is that of the lattice.
    Sphere(f64),
    Mesh(Scan<'a>),
}

impl<'a> Fill<'a> {
    /// Counts the points inside the solid. The spacing is positive; the error describes a fill that is not possible.
    pub fn new(solid: &'a Solid, spacing: f64) -> Result<Fill<'a>, String> {
        let lattice = match solid {
            Solid::Box(bounds) => Lattice::over(*bounds, spacing),
            Solid::Sphere { centre, radius } => {
                let side = |sign: f64| [0, 1, 2].map(|axis| centre[axis] + sign * radius);
                Lattice::over([side(-1.0), side(1.0)], spacing)
            }
            Solid::Mesh(mesh) => Lattice::over(mesh.bounds(), spacing),
        }?;
        let inside = match solid {
            Solid::Box(_) => Inside::Box,
            Solid::Sphere { radius, .. } => Inside::Sphere(radius / spacing),
            Solid::Mesh(mesh) => Inside::Mesh(Scan::new(mesh, &lattice)),
        };
        let mut fill = Fill {
            lattice,
            inside,
            before: vec![0],
        };
        let counts = parallel::map(parallel::pieces(fill.lattice.rows(), 1), |rows| {
            let mut counts = Vec::with_capacity(rows.len());
            fill.visit(rows, |_, spans| {
                let points = spans.iter().map(|span| u64::from(span.to - span.from));
                counts.push(points.sum::<u64>());
            });
            counts
        });
        for count in counts.into_iter().flatten() {
            let before = fill.before.last().copied().unwrap_or(0);
            fill.before.push(before + count);
        }
        match fill.count() {
            0 => Err("no point of the lattice is inside".into()),
            count if count > MAX_POINTS => Err(format!("{count} points are inside, more than 2^31")),
            _ => Ok(fill),
        }
    }

    pub fn count(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// All points inside, in metres: line by line, row by row. Each is passed through `place`, with its number.
    pub fn points(&self, place: impl Fn(u64, [f64; 3]) -> [f32; 3] + Sync) -> Vec<[f32; 3]> {
        let mut points = vec![[0.0; 3]; self.count() as usize];
        let mut rest = points.as_mut_slice();
        let mut parts = Vec::new();
        for rows in parallel::pieces(self.lattice.rows(), 1) {
            let first = self.before[rows.start as usize];
            let count = self.before[rows.end as usize] - first;
            let (part, after) = std::mem::take(&mut rest).split_at_mut(count as usize);
            rest = after;
            parts.push((rows, first, part));
        }
        let [along, across, row_axis] = self.lattice.axes;
        parallel::map(parts, |(rows, first, part)| {
            let mut slots = part.iter_mut().zip(first..);
            self.visit(rows, |row, spans| {
                let mut at = [0.0; 3];
                at[row_axis] = self.lattice.metres(row_axis, row);
                for span in spans {
                    at[across] = self.lattice.metres(across, span.line);
                    for (step, (slot, number)) in (span.from..span.to).zip(&mut slots) {
                        at[along] = self.lattice.metres(along, step);
                        *slot = place(number, at);
                    }
                }
            });
        });
        points
    }

    /// Calls `look` with the inside of each row, in order.
    fn visit(&self, rows: Range<u32>, mut look: impl FnMut(u32, &[Span])) {
        let mut spans = Vec::new();
        match &self.inside {
            Inside::Box => {
                let to = self.lattice.length();
                spans.extend((0..self.lattice.lines()).map(|line| Span { line, from: 0, to }));
                rows.for_each(|row| look(row, &spans));
            }
            Inside::Sphere(radius) => {
                for row in rows {
                    spans.clear();
                    self.chords(*radius, row, &mut spans);
                    look(row, &spans);
                }
            }
            Inside::Mesh(scan) => scan.visit(rows, look),
        }
    }

    /// The lines of a row that intersect the sphere.
    fn chords(&self, radius: f64, row: u32, spans: &mut Vec<Span>) {
        let middle = |points: u32| 0.5 * f64::from(points - 1);
        let length = self.lattice.length();
        let y = f64::from(row) - middle(self.lattice.rows());
        for line in 0..self.lattice.lines() {
            let x = f64::from(line) - middle(self.lattice.lines());
            let square = radius * radius - x * x - y * y;
            if square < 0.0 {
                continue;
            }
            let half = square.sqrt();
            let from = (middle(length) - half).ceil().max(0.0) as u32;
            let to = (middle(length) + half).floor() as u32 + 1;
            if from < to.min(length) {
                let to = to.min(length);
                spans.push(Span { line, from, to });
            }
        }
    }
}

#[cfg(test)]
mod tests;
