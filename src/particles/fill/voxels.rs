//! Voxelization of closed meshes on a lattice.

use super::lattice::Lattice;
use super::mesh::Mesh;
use super::scan::Scan;
use crate::particles::parallel;

/// Marks the points of a lattice inside a mesh; `marks` has one entry per point, x fastest. The first point is at
/// `first`, m.
pub fn mark_inside(mesh: &Mesh, first: [f64; 3], spacing: [f64; 3], points: [u32; 3], marks: &mut [bool]) {
    let lattice = Lattice::from(first, spacing, points);
    let scan = Scan::new(mesh, &lattice);
    let [length, lines, rows] = points.map(|side| side as usize);
    let mut rest = marks;
    let mut parts = Vec::new();
    for piece in parallel::pieces(rows as u32, 1) {
        let (part, after) = std::mem::take(&mut rest).split_at_mut(piece.len() * lines * length);
        rest = after;
        parts.push((piece, part));
    }
    parallel::map(parts, |(piece, part)| {
        let first = piece.start;
        scan.visit(piece, |row, spans| {
            for span in spans {
                let line = ((row - first) as usize * lines + span.line as usize) * length;
                part[line + span.from as usize..line + span.to as usize].fill(true);
            }
        });
    });
}
