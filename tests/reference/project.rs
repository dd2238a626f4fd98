//! Twin of shaders/snow/project.comp.

use super::Air;

pub fn project(air: &mut Air, dt: f32) {
    let scale = dt / air.dx;
    let stride = [1, air.cells[0], air.cells[0] * air.cells[1]];
    for cell in air.active_cells() {
        let i = air.index(cell);
        for axis in 0..3 {
            let gradient = if air.inner_face(cell, axis) {
                air.pressure[i] - air.pressure[i - stride[axis]]
            } else {
                0.0
            };
            let star = [&air.u_star, &air.v_star, &air.w_star][axis][i];
            let value = if air.closed(cell, axis) {
                0.0
            } else {
                star - scale * gradient
            };
            [&mut air.u, &mut air.v, &mut air.w][axis][i] = value;
        }
    }
}
