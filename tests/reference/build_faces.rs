//! Twin of shaders/snow/build_faces.comp, from the definitions: cells, and the cells on both sides of a face.

use super::Air;
use super::faces::{CLOSED, FLUID, FRESH, INSIDE, INSIDE_LOW, OPEN_HIGH, OPEN_LOW, SOLID};

pub fn build_faces(air: &mut Air, wind: [f32; 3]) {
    let calm = [wind[0], wind[1], 0.0];
    for cell in air.active_cells() {
        let i = air.index(cell);
        let fresh = air.faces[i] & FRESH != 0;
        let open = air.open_neighbours(cell);
        let mut bits = 0;
        let mut set = |bit: u32, is: bool| bits |= if is { bit } else { 0 };
        set(INSIDE, air.inside(cell));
        set(SOLID, air.solid(cell));
        for axis in 0..3 {
            let closed = air.closed(cell, axis);
            set(OPEN_LOW[axis], open[2 * axis].is_some());
            set(OPEN_HIGH[axis], open[2 * axis + 1].is_some());
            set(CLOSED[axis], closed);
            set(
                INSIDE_LOW[axis],
                air.below(cell, axis).is_some_and(|low| air.inside(low)),
            );
            if closed || fresh {
                let value = if closed { 0.0 } else { calm[axis] };
                [&mut air.u, &mut air.v, &mut air.w][axis][i] = value;
            }
        }
        if fresh || !air.fluid(cell) {
            air.pressure[i] = 0.0;
        }
        air.faces[i] = bits;
        air.open[i] = if air.fluid(cell) { FLUID } else { 0 };
        for axis in 0..3 {
            for (side, bit) in [OPEN_LOW[axis], OPEN_HIGH[axis]].into_iter().enumerate() {
                air.open[i] |= open[2 * axis + side].map_or(0, |_| bit);
            }
        }
    }
}
