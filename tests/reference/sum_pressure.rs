//! Twin of shaders/snow/sum_pressure.comp.

use super::Air;

/// Per column of the air: sum of the pressure of its fluid cells, and their number.
pub fn sum_pressure(air: &Air) -> Vec<[f32; 2]> {
    let [nx, ny, nz] = air.cells;
    let mut partial = vec![[0.0; 2]; nx * ny];
    for (column, sum) in partial.iter_mut().enumerate() {
        for z in 1..nz - 1 {
            let cell = [column % nx, column / nx, z];
            if air.fluid(cell) {
                sum[0] += air.pressure[air.index(cell)];
                sum[1] += 1.0;
            }
        }
    }
    partial
}
