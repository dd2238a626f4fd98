//! Reductions of what stages' elements give, and of fields, against twins: in every place, at every size, in every shape.

use sastrugi::run::Simulation;

use super::common::{self, simulation::*};
use super::reference::fold;

mod fields;
mod places;
mod shapes;
mod solver;
mod values;

/// Sizes from one element to more than a workgroup of the second stage takes.
const SIZES: [usize; 6] = [1, 63, 65, 4096, 4097, 100_003];

/// Floats of many sizes and both signs, by number.
fn float(i: usize) -> f32 {
    let bits = (i as u32).wrapping_mul(2_654_435_761) >> 8;
    (bits as f32 - 8_388_608.0) * [1.0, 1e-3, 64.0][i % 3] / 1024.0
}

/// The same for kernels.
const FLOAT: &str = "
float made(uint i) {
    uint bits = (i * 2654435761u) >> 8;
    return (float(bits) - 8388608.0) * (i % 3u == 0u ? 1.0 : i % 3u == 1u ? 1.0e-3 : 64.0) / 1024.0;
}
";

fn word(sim: &mut Simulation, field: &str) -> u32 {
    read_words(sim, field)[0]
}

fn number(sim: &mut Simulation, field: &str) -> f32 {
    f32::from_bits(word(sim, field))
}
