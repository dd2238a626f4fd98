//! Twin of shaders/snow/count_faces.comp.

use super::Air;

/// Open boundary faces by their outward normal, -x +x -y +y, and fluid cells.
pub fn count_faces(air: &Air) -> ([u32; 4], u32) {
    let mut open = [0; 4];
    let mut fluid = 0;
    for cell in air.active_cells() {
        for axis in (0..2).filter(|axis| !air.closed(cell, *axis)) {
            let outward = air.outward(cell, axis);
            open[2 * axis] += u32::from(outward < 0.0);
            open[2 * axis + 1] += u32::from(outward > 0.0);
        }
        fluid += u32::from(air.fluid(cell));
    }
    (open, fluid)
}
