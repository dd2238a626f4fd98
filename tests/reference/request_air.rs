//! Twin of shaders/snow/request_air.comp, from the definition: cell by cell.

use sastrugi::grid::Layout;

use super::{Air, Ground};

/// The blocks that hold a cell of air or a neighbour of one, and do not lie wholly higher than `layers_above` over the
/// highest surface of their footprint and the columns around it; ascending.
pub fn request_air(
    air: &Air,
    layout: &Layout,
    ground: &Ground,
    snow_unit: f32,
    layers_above: f32,
) -> Vec<u32> {
    let surface = |x: usize, y: usize| {
        let [x, y, _] = air.position([x as i32, y as i32, 0]);
        ground.surface_height([x, y], snow_unit)
    };
    let wanted = |number: &u32| {
        let first = layout.corner(*number).map(|c| c as usize);
        let range = |axis: usize| {
            first[axis].saturating_sub(1)
                ..(first[axis] + (1 << layout.block_log2[axis]) + 1).min(air.cells[axis])
        };
        let mut holds_air = false;
        let mut highest = f32::NEG_INFINITY;
        for y in range(1) {
            for x in range(0) {
                let surface = surface(x, y);
                highest = highest.max(surface);
                holds_air |= range(2).any(|z| air.position([x as i32, y as i32, z as i32])[2] > surface);
            }
        }
        let bottom = air.position(first.map(|c| c as i32))[2] - 0.5 * air.dx;
        holds_air && bottom <= highest + layers_above
    };
    let numbers = (0..layout.numbers() as u32).filter(|number| layout.contains(*number));
    numbers.filter(wanted).collect()
}
