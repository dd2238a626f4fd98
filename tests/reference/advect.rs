//! Twin of shaders/snow/advect.comp.

use super::{Air, boundary, lattice};

/// The longest path along an axis, in cells.
const LONGEST: f32 = 6.0;

pub fn advect(air: &mut Air, wind: [f32; 3], boundary_faces: [u32; 4], dt: f32) {
    let fields = [air.u.clone(), air.v.clone(), air.w.clone()];
    let calm = [wind[0], wind[1], 0.0];
    let at = |axis: usize, cell: [usize; 3]| air.at(&fields[axis], cell, calm[axis]);
    let scale = dt / air.dx;
    let mut traced = [air.u_star.clone(), air.v_star.clone(), air.w_star.clone()];
    for cell in air.active_cells() {
        for axis in 0..3 {
            if !air.inner_face(cell, axis) || air.closed(cell, axis) {
                continue;
            }
            let velocity: [f32; 3] = std::array::from_fn(|other| {
                if other == axis {
                    return at(axis, cell);
                }
                let mut low = cell;
                low[axis] -= 1;
                let up = |mut c: [usize; 3]| {
                    c[other] += 1;
                    at(other, c)
                };
                0.25 * (at(other, low) + at(other, cell) + up(low) + up(cell))
            });
            let path = |a: usize| (scale * velocity[a]).clamp(-LONGEST, LONGEST);
            let from = std::array::from_fn(|a| cell[a] as f32 - path(a));
            traced[axis][air.index(cell)] = lattice::trilinear(|c| at(axis, c), air.cells, from);
        }
    }
    [air.u_star, air.v_star, air.w_star] = traced;
    boundary::boundary_wind(air, wind, boundary_faces);
}
