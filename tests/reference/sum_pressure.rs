//! Twin of shaders/snow/sum_pressure.comp.

use super::Air;

/// Per active sub-block: sum of the pressure of its fluid cells, and their number.
pub fn sum_pressure(air: &Air) -> Vec<[f32; 2]> {
    let sum = |cells: &Vec<[usize; 3]>| {
        let fluid = cells.iter().filter(|cell| air.fluid(**cell));
        fluid.fold([0.0; 2], |[sum, count], cell| {
            [sum + air.pressure[air.index(*cell)], count + 1.0]
        })
    };
    air.sub_blocks().iter().map(sum).collect()
}
