//! Twin of shaders/snow/drift_wind.comp.

use super::Clock;

pub fn drift_wind(winds: &[[f32; 3]], period: f32, clock: &Clock) -> [f32; 3] {
    let mut now = winds[0];
    if period > 0.0 && winds.len() > 1 {
        let turns = clock.time / period;
        let along = (turns - turns.floor()) * winds.len() as f32;
        let from = (along as usize).min(winds.len() - 1);
        let to = (from + 1) % winds.len();
        let t = along - from as f32;
        let blend = t * t * (3.0 - 2.0 * t);
        now = std::array::from_fn(|axis| winds[from][axis] + blend * (winds[to][axis] - winds[from][axis]));
    }
    [now[0], now[1], 0.0]
}
