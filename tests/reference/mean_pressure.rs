//! Twin of shaders/snow/mean_pressure.comp.

use super::reduce::strided_sum;

/// Mean pressure over the fluid cells, and their number.
pub fn mean_pressure(partial: &[[f32; 2]], lanes: usize) -> [f32; 2] {
    let [sum, count] = strided_sum(partial, lanes);
    [if count > 0.0 { sum / count } else { 0.0 }, count]
}
