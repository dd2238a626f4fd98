//! Twin of shaders/snow/balance_flux.comp.

use super::reduce::strided_sum;

/// Net outward flux, outflow faces, correction of the outward velocity on each, 0.
pub fn balance_flux(partial: &[[f32; 2]], lanes: usize) -> [f32; 4] {
    let [net, faces] = strided_sum(partial, lanes);
    [net, faces, if faces > 0.0 { -net / faces } else { 0.0 }, 0.0]
}
