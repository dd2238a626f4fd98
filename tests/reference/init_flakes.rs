//! Twin of shaders/snow/init_flakes.comp.

use super::flake::*;
use super::random::random4;
use super::{Air, Flakes, Ground};

pub fn init_flakes(count: u32, air: &Air, ground: &Ground, snow_unit: f32, wet: bool, seed: u32) -> Flakes {
    let (low, high) = (air.flakes_low(), air.flakes_high());
    let mut flakes = Flakes::default();
    for flake in 0..count {
        let mut position = low;
        let mut surface = low[2];
        let mut random = [0.0; 4];
        for attempt in 0..32 {
            random = random4(flake, attempt, PURPOSE_PLACE, seed);
            position = std::array::from_fn(|axis| low[axis] + random[axis] * (high[axis] - low[axis]));
            surface = ground.surface_height([position[0], position[1]], snow_unit);
            if position[2] > surface {
                break;
            }
        }
        if position[2] <= surface {
            position[2] = surface + random[2] * (high[2] - surface);
        }
        let start = random4(flake, 0, PURPOSE_START, seed);
        let v_max = if wet { 0.5 } else { 1.0 } + start[2];
        flakes.position.push(position);
        flakes.velocity.push(start_velocity([start[0], start[1]], v_max));
        flakes.phase.push(TWO_PI * start[3]);
        flakes.v_max.push(v_max);
        flakes.id.push(flake);
        flakes.block.push(0);
    }
    flakes
}
