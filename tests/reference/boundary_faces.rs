//! Twin of shaders/snow/boundary_faces.comp.

use super::Air;

/// Per active sub-block: its open boundary faces by their outward normal, -x +x -y +y.
pub fn boundary_faces(air: &Air) -> Vec<[u32; 4]> {
    let open = |cells: &Vec<[usize; 3]>| {
        let mut counts = [0; 4];
        for cell in cells {
            for axis in (0..2).filter(|axis| !air.closed(*cell, *axis)) {
                let outward = air.outward(*cell, axis);
                counts[2 * axis] += u32::from(outward < 0.0);
                counts[2 * axis + 1] += u32::from(outward > 0.0);
            }
        }
        counts
    };
    air.sub_blocks().iter().map(open).collect()
}
