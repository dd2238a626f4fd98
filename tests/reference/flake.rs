//! Twin of shaders/snow/flake.glsl.

use super::Air;

pub const PURPOSE_PLACE: u32 = 1;
pub const PURPOSE_START: u32 = 2;
pub const PURPOSE_SPIN: u32 = 3;
pub const PURPOSE_RESPAWN: u32 = 4;
pub const PURPOSE_REENTER: u32 = 5;

pub const TWO_PI: f32 = 6.283_185_5;

impl Air {
    pub fn flakes_low(&self) -> [f32; 3] {
        self.origin.map(|o| o + self.dx)
    }

    pub fn flakes_high(&self) -> [f32; 3] {
        std::array::from_fn(|axis| self.origin[axis] + self.dx * (self.cells[axis] - 1) as f32)
    }
}

pub fn start_velocity(random: [f32; 2], v_max: f32) -> [f32; 3] {
    [2.0 * random[0] - 1.0, 2.0 * random[1] - 1.0, -v_max]
}
