//! Twin of shaders/snow/center_pressure.comp.

use super::Air;

pub fn center_pressure(air: &mut Air, mean: f32) {
    for cell in air.active_cells() {
        let i = air.index(cell);
        air.pressure[i] = if air.fluid(cell) {
            air.pressure[i] - mean
        } else {
            0.0
        };
    }
}
