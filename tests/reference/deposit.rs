//! Twin of shaders/snow/deposit.comp.

use super::flake::{PURPOSE_REENTER, PURPOSE_RESPAWN, start_velocity};
use super::random::random4;
use super::{Air, Clock, Flakes, Ground};

/// Adds a landed flake's snow to `fresh`.
pub fn land(ground: &mut Ground, world: [f32; 2], units: u32) {
    let at = ground.coordinates(world);
    let last: [i32; 2] = ground.vertices.map(|n| n as i32 - 1);
    let centre: [i32; 2] = std::array::from_fn(|axis| (at[axis] + 0.5).clamp(0.0, last[axis] as f32) as i32);
    let (corner, edge) = (units / 16, units / 8);
    for n in 0..9 {
        let offset: [i32; 2] = [n % 3 - 1, n / 3 - 1];
        let share = match offset[0].abs() + offset[1].abs() {
            0 => units - 4 * (corner + edge),
            1 => edge,
            _ => corner,
        };
        let vertex = std::array::from_fn(|axis| (centre[axis] + offset[axis]).clamp(0, last[axis]) as usize);
        let i = ground.index(vertex);
        ground.fresh[i] += share;
    }
}

pub fn deposit(
    flakes: &mut Flakes,
    air: &Air,
    ground: &mut Ground,
    counters: &mut [u32; 4],
    (snow_unit, units): (f32, u32),
    clock: &Clock,
) {
    let (low, high) = (air.flakes_low(), air.flakes_high());
    for flake in 0..flakes.position.len() {
        let mut position = flakes.position[flake];
        let finite = position.iter().all(|x| x.is_finite());
        let at = [position[0], position[1]];
        let mut respawn = !finite;
        if !finite {
            counters[3] += 1;
        } else if (0..2).any(|axis| position[axis] < low[axis] || position[axis] >= high[axis]) {
            for axis in 0..2 {
                let size = high[axis] - low[axis];
                let wrapped = position[axis] - size * ((position[axis] - low[axis]) / size).floor();
                position[axis] = wrapped.clamp(low[axis], high[axis]);
            }
            let surface = ground.surface_height([position[0], position[1]], snow_unit);
            let random = random4(flakes.id[flake], clock.step, PURPOSE_REENTER, clock.seed)[0];
            position[2] = surface + random * (high[2] - surface);
            flakes.position[flake] = position;
            counters[2] += 1;
        } else if position[2] <= ground.surface_height(at, snow_unit) {
            land(ground, at, units);
            counters[0] += 1;
            respawn = true;
        } else if position[2] > high[2] {
            flakes.position[flake][2] = high[2];
        }
        if respawn {
            let random = random4(flakes.id[flake], clock.step, PURPOSE_RESPAWN, clock.seed);
            let across = |axis: usize| low[axis] + random[axis] * (high[axis] - low[axis]);
            flakes.position[flake] = [across(0), across(1), high[2]];
            flakes.velocity[flake] = start_velocity([random[2], random[3]], flakes.v_max[flake]);
            counters[1] += 1;
        }
    }
}
