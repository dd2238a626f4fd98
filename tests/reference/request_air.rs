//! Twin of shaders/snow/request_air.comp, from the definition: cell by cell.

use sastrugi::grid::Layout;

use super::Air;

/// The blocks that hold a cell of air or a neighbour of one, and do not lie wholly higher than `layers_above` over the
/// highest solid cell of their footprint and the columns around it; ascending.
pub fn request_air(air: &Air, layout: &Layout, layers_above: f32) -> Vec<u32> {
    let wanted = |number: &u32| {
        let first = layout.corner(*number).map(|c| c as usize);
        let range = |axis: usize| {
            first[axis].saturating_sub(1)
                ..(first[axis] + (1 << layout.block_log2[axis]) + 1).min(air.cells[axis])
        };
        let mut holds_air = false;
        let mut highest = 0;
        for y in range(1) {
            for x in range(0) {
                let solid = air.solid[x + air.cells[0] * y] as usize;
                highest = highest.max(solid);
                holds_air |= range(2).any(|z| z >= solid);
            }
        }
        let over = (first[2] as f32 - highest as f32) * air.dx;
        holds_air && over <= layers_above
    };
    let numbers = (0..layout.numbers() as u32).filter(|number| layout.contains(*number));
    numbers.filter(wanted).collect()
}
