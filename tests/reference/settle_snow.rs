//! Twin of shaders/snow/settle_snow.comp.

use super::Ground;

pub fn settle_snow(ground: &mut Ground) {
    for i in 0..ground.snow.len() {
        ground.snow[i] = ground.snow_next[i] + ground.fresh[i];
        ground.fresh[i] = 0;
    }
}
