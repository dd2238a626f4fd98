//! Twin of shaders/snow/balance_flux.comp.

/// Net outward flux, outflow faces, correction of the outward velocity on each, 0. Faces by outward normal, -x +x
/// -y +y, block by block.
pub fn balance_flux(blocks: &[[u32; 4]], wind: [f32; 3]) -> [f32; 4] {
    let faces: [f32; 4] = std::array::from_fn(|n| blocks.iter().map(|block| block[n]).sum::<u32>() as f32);
    let mut net = 0.0;
    let mut outflow = 0.0;
    for axis in 0..2 {
        let [low, high] = [faces[2 * axis], faces[2 * axis + 1]];
        net += (high - low) * wind[axis];
        outflow += match wind[axis] {
            speed if speed > 0.0 => high,
            speed if speed < 0.0 => low,
            _ => 0.0,
        };
    }
    [
        net,
        outflow,
        if outflow > 0.0 { -net / outflow } else { 0.0 },
        0.0,
    ]
}
