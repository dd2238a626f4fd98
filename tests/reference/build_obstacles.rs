//! Twin of shaders/snow/build_obstacles.comp, cell by cell and neighbour by neighbour.

use super::{Air, Ground};

pub fn build_obstacles(air: &mut Air, ground: &Ground, snow_unit: f32) {
    let solid = |cell: [i32; 3]| {
        let centre = air.position(cell);
        ground.surface_height([centre[0], centre[1]], snow_unit) >= centre[2]
    };
    let bits = air.active_cells().into_iter().map(|cell| {
        let i = air.index(cell);
        let cell = cell.map(|c| c as i32);
        let bits = (0..27).fold(0, |bits, n| {
            let neighbour = [cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1];
            bits | u32::from(solid(neighbour)) << n
        });
        (i, bits)
    });
    for (i, bits) in bits.collect::<Vec<_>>() {
        air.obstacle[i] = bits;
    }
}
