//! Twin of shaders/snow/boundary.glsl.

use super::Air;

/// Correction of the outward velocity on each outflow face, by the open boundary faces of each normal, -x +x -y +y.
fn outflow_correction(open: [u32; 4], wind: [f32; 3]) -> f32 {
    let faces = open.map(|count| count as f32);
    let mut net = 0.0;
    let mut outflow = 0.0;
    for axis in 0..2 {
        let [low, high] = [faces[2 * axis], faces[2 * axis + 1]];
        net += (high - low) * wind[axis];
        outflow += match wind[axis] {
            speed if speed > 0.0 => high,
            speed if speed < 0.0 => low,
            _ => 0.0,
        };
    }
    if outflow > 0.0 { -net / outflow } else { 0.0 }
}

/// Writes all faces that are not open inner ones.
pub fn boundary_wind(air: &mut Air, wind: [f32; 3], boundary_faces: [u32; 4]) {
    let correction = outflow_correction(boundary_faces, wind);
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
