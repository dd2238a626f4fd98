//! Lattice Boltzmann on ranks: cells write into their neighbours in place.

use super::super::lbm;
use super::*;

#[test]
fn lattice_boltzmann_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting::steps(4);
    let mut cuts = common::sweep(3, 9);
    for (module, populations, size, parts) in [
        ("lbm_2d", 9, [12, 9, 1], [[1, 2, 1], [2, 1, 1], [2, 2, 1]]),
        ("lbm", 19, [8, 5, 6], [[1, 1, 2], [2, 2, 1], [1, 1, 3]]),
        ("lbm", 27, [8, 5, 6], [[1, 1, 2], [2, 2, 1], [1, 1, 3]]),
    ] {
        for parts in parts {
            if !cuts.skips() {
                let walls = lbm::walls(module, populations, size);
                assert_equal(&gpu, &walls, &[parts], &setting);
            }
        }
    }
}
