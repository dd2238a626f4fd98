//! Twin of shaders/snow/start_wind.comp.

use super::Air;

pub fn start_wind(air: &mut Air, wind: [f32; 3]) {
    air.u_star.fill(wind[0]);
    air.v_star.fill(wind[1]);
    air.w_star.fill(wind[2]);
}
