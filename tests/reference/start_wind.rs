//! Twin of shaders/snow/start_wind.comp.

use super::Air;

pub fn start_wind(air: &mut Air, wind: [f32; 3]) {
    for cell in air.active_cells() {
        let i = air.index(cell);
        air.u_star[i] = wind[0];
        air.v_star[i] = wind[1];
        air.w_star[i] = wind[2];
    }
}
