//! Twin of shaders/snow/clear_obstacle_faces.comp.

use super::Air;

pub fn clear_obstacle_faces(air: &mut Air) {
    for cell in air.all() {
        let i = air.index(cell);
        let closed = [0, 1, 2].map(|axis| air.closed(cell, axis));
        for (field, closed) in [&mut air.u, &mut air.v, &mut air.w].into_iter().zip(closed) {
            if closed {
                field[i] = 0.0;
            }
        }
    }
}
