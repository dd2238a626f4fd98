//! Semi-Lagrangian advection of the wind (shaders/snow/advect.comp).

use rayon::prelude::*;

use crate::air::{Air, OPEN, trilinear};

/// The longest path along an axis, in cells.
const MAX_PATH: f32 = 6.0;

/// Writes the traced wind of all open inner faces, by component.
pub fn advect(air: &Air, dt: f32, traced: &mut [Vec<f32>; 3]) {
    let plane = air.cells[0] * air.cells[1];
    let [u, v, w] = traced;
    let planes = u
        .par_chunks_mut(plane)
        .zip(v.par_chunks_mut(plane))
        .zip(w.par_chunks_mut(plane));
    planes.enumerate().for_each(|(z, ((u, v), w))| {
        for y in 0..air.cells[1] {
            for x in 0..air.cells[0] {
                let i = x + y * air.cells[0];
                let faces = air.faces[i + z * plane];
                let cell = [x, y, z];
                if faces & OPEN[0] != 0 {
                    u[i] = trace::<0>(air, dt, cell);
                }
                if faces & OPEN[2] != 0 {
                    v[i] = trace::<1>(air, dt, cell);
                }
                if faces & OPEN[4] != 0 {
                    w[i] = trace::<2>(air, dt, cell);
                }
            }
        }
    });
}

/// The component AXIS at the start of the path that ends on the lower face of a cell along this axis.
#[inline(always)]
fn trace<const AXIS: usize>(air: &Air, dt: f32, cell: [usize; 3]) -> f32 {
    let fields = [&air.u, &air.v, &air.w];
    let strides = air.strides();
    let i = cell[0] + strides[1] * cell[1] + strides[2] * cell[2];
    let scale = dt / air.dx;
    let from = std::array::from_fn(|axis| {
        let field = fields[axis];
        let velocity = if axis == AXIS {
            field[i]
        } else {
            let low = i - strides[AXIS];
            0.25 * (field[low] + field[i] + field[low + strides[axis]] + field[i + strides[axis]])
        };
        cell[axis] as f32 - (scale * velocity).clamp(-MAX_PATH, MAX_PATH)
    });
    trilinear(fields[AXIS], air.cells, from)
}
