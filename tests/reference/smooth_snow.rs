//! Twin of shaders/snow/smooth_snow.comp, as a scatter: each pair moves snow once, which the gather must
//! equal.

use super::random::pcg4d;
use super::{Clock, Ground};

pub const PURPOSE_TURN: u32 = 6;

#[derive(Debug, Clone, Copy)]
pub struct Sliding {
    pub snow_unit: f32,
    /// Depth that never slides, m.
    pub retained: f32,
    pub k: f32,
    pub tan_repose: f32,
}

impl Sliding {
    pub fn retained_units(&self) -> u32 {
        (self.retained / self.snow_unit + 0.5) as u32
    }

    /// By how many units the drop from one vertex to a neighbour is steeper than the snow can stand.
    pub fn excess(&self, from_surface: f32, to_surface: f32, apart: f32) -> f32 {
        (from_surface - to_surface - self.tan_repose * apart) / self.snow_unit
    }
}

pub fn smooth_snow(ground: &mut Ground, rule: &Sliding, clock: &Clock) {
    let turn = pcg4d([clock.step, 0, PURPOSE_TURN, clock.seed])[0] & 7;
    let turn = if turn < 4 { turn } else { turn + 1 } as i32;
    let [nx, ny] = ground.vertices.map(|n| n as i32);
    ground.snow_next = ground.snow.clone();
    for from in 0..(nx * ny) {
        let (x, y) = (from % nx, from / nx);
        let from = from as usize;
        for n in (0..9).filter(|&n| n != 4) {
            let offset = [n % 3 - 1, n / 3 - 1];
            let other = [x + offset[0], y + offset[1]];
            if other[0] < 0 || other[0] >= nx || other[1] < 0 || other[1] >= ny {
                continue;
            }
            let to = ground.index(other.map(|c| c as usize));
            let surface = |i: usize| ground.elevation[i] + ground.snow[i] as f32 * rule.snow_unit;
            if surface(from) <= surface(to) || ground.snow[from] <= rule.retained_units() {
                continue;
            }
            let step = [
                offset[0] as f32 * ground.spacing[0],
                offset[1] as f32 * ground.spacing[1],
            ];
            let apart = (step[0] * step[0] + step[1] * step[1]).sqrt();
            let spare = (ground.snow[from] - rule.retained_units()).min(1 << 24) as f32;
            let excess = rule.excess(surface(from), surface(to), apart);
            let s = spare.min(excess);
            let mut moved = if s > 0.0 { (rule.k * s).floor() } else { 0.0 };
            if n == turn && moved == 0.0 && rule.k * excess >= 1.0 {
                moved = 1.0;
            }
            ground.snow_next[from] -= moved as u32;
            ground.snow_next[to] += moved as u32;
        }
    }
}
