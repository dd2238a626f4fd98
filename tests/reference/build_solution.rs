//! Twin of shaders/snow/build_solution.comp.

use super::Air;

pub fn build_solution(air: &mut Air, dt: f32, warm: bool) {
    for cell in air.active_cells() {
        let i = air.index(cell);
        if !warm {
            air.pressure[i] = 0.0;
        }
        if !air.fluid(cell) {
            air.solution[i] = 0.0;
            continue;
        }
        let across_x = air.u_star[i + 1] - air.u_star[i];
        let across_y = air.v_star[i + air.cells[0]] - air.v_star[i];
        let across_z = air.w_star[i + air.cells[0] * air.cells[1]] - air.w_star[i];
        air.solution[i] = (across_x + across_y + across_z) / (air.dx * dt);
    }
}
