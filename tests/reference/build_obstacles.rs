//! Twin of shaders/snow/build_obstacles.comp, cell by cell.

use super::{Air, Ground};

pub fn build_obstacles(air: &mut Air, ground: &Ground, snow_unit: f32) {
    let [nx, ny, nz] = air.cells.map(|n| n as i32);
    let is_solid = |cell: [i32; 3]| {
        let [x, y, z] = air.position(cell);
        ground.surface_height([x, y], snow_unit) >= z
    };
    let columns = (0..ny).flat_map(|y| (0..nx).map(move |x| [x, y]));
    air.solid = columns
        .map(|[x, y]| (0..nz).filter(|z| is_solid([x, y, *z])).count() as u32)
        .collect();
}
