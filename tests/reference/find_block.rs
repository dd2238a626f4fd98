//! Twin of shaders/snow/find_block.comp.

use super::{Air, Flakes};

pub fn find_block(flakes: &mut Flakes, air: &Air, sides: [usize; 3]) {
    for (position, block) in flakes.position.iter().zip(&mut flakes.block) {
        *block = air.block_number(*position, sides);
    }
}
