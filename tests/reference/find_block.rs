//! Twin of shaders/snow/find_block.comp.

use super::{Air, Flakes};

pub fn find_block(flakes: &mut Flakes, air: &Air, sides: [usize; 3]) {
    let blocks: [usize; 3] = std::array::from_fn(|axis| air.cells[axis].div_ceil(sides[axis]));
    for (position, block) in flakes.position.iter().zip(&mut flakes.block) {
        let of: [usize; 3] = std::array::from_fn(|axis| {
            let cell = (position[axis] - air.origin[axis]) / air.dx;
            (cell as usize).min(air.cells[axis] - 1) / sides[axis]
        });
        *block = (of[0] + blocks[0] * (of[1] + blocks[1] * of[2])) as u32;
    }
}
