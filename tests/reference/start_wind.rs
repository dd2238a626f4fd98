//! Twin of shaders/snow/start_wind.comp.

use super::{Air, boundary};

pub fn start_wind(air: &mut Air, wind: [f32; 3], boundary_faces: [u32; 4]) {
    for cell in air.active_cells() {
        let i = air.index(cell);
        air.u_star[i] = wind[0];
        air.v_star[i] = wind[1];
        air.w_star[i] = wind[2];
    }
    boundary::boundary_wind(air, wind, boundary_faces);
}
