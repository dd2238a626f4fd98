//! Twin of shaders/snow/wall_boundaries.comp.

use super::Air;

pub fn wall_boundaries(air: &mut Air, wind: [f32; 3], correction: f32) {
    for cell in air.active_cells() {
        let i = air.index(cell);
        for axis in 0..3 {
            let value = if air.closed(cell, axis) {
                0.0
            } else if air.inner_face(cell, axis) {
                continue;
            } else if axis == 2 {
                0.0
            } else {
                let outward = air.outward(cell, axis);
                let outflow = outward * wind[axis] > 0.0;
                wind[axis] + if outflow { outward * correction } else { 0.0 }
            };
            [&mut air.u_star, &mut air.v_star, &mut air.w_star][axis][i] = value;
        }
    }
}
