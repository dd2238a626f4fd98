//! Lattice Boltzmann on ranks: cells write into their neighbours in place.

use super::super::lbm;
use super::*;

#[test]
fn lattice_boltzmann_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let setting = Setting::steps(4);
    let plane = lbm::walls("lbm_2d", 9, [12, 9, 1]);
    assert_equal(&gpu, &plane, &[[1, 2, 1], [2, 1, 1], [2, 2, 1]], &setting);
    for populations in [19, 27] {
        let space = lbm::walls("lbm", populations, [8, 5, 6]);
        assert_equal(&gpu, &space, &[[1, 1, 2], [2, 2, 1], [1, 1, 3]], &setting);
    }
}
