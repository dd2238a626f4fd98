//! Twin of shaders/snow/boundary_flux.comp.

use super::Air;

/// Per boundary column: outward flux of the prescribed wind, and its outflow faces.
pub fn boundary_flux(air: &Air, wind: [f32; 3]) -> Vec<[f32; 2]> {
    let columns = air.boundary_columns();
    let partial = columns.iter().map(|&([x, y], axis, outward)| {
        let open = (1..air.cells[2] - 1)
            .filter(|&z| !air.closed([x, y, z], axis))
            .count() as f32;
        let speed = outward * wind[axis];
        [open * speed, if speed > 0.0 { open } else { 0.0 }]
    });
    partial.collect()
}
