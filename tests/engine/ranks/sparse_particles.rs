//! Particles with ghosts on a sparse grid, whose blocks they request on their ranks.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sastrugi::run::Spoil;

use super::shipped::load;
use super::*;

const NO_SCENE: &[&str] = &["use.draw=null", "outputs.view=null", "frame=[]"];

/// A bunny that bursts across the border between parts.
const EXPLOSION: &[&str] = &[
    "cells=64",
    "body.at=[1, 1, 0.135]",
    "body.spacing=0.04",
    "gas.middle=[1.1, 1, 0.8]",
    "gas.release=0.004",
    "order.every=5",
];

/// Letters that dissolve at once.
const DISSOLVE: &[&str] = &[
    "cells=64",
    "cell=0.12",
    "body.spacing=0.08",
    "loose.first=0",
    "loose.lasts=0.1",
    "middle=[2.4, 1.2, 0.4]",
];

fn explosion(more: &[&str]) -> Pipeline {
    load("pic_explosion", &[EXPLOSION, NO_SCENE, more].concat())
}

fn dissolve(more: &[&str]) -> Pipeline {
    load("pic_dissolve", &[DISSOLVE, NO_SCENE, more].concat())
}

#[test]
fn a_burst_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    assert_equal(&gpu, &explosion(&[]), &[[1, 1, 2]], &Setting::steps(12));
}

#[test]
#[ignore = "long: the kernels of three and four ranks, also checked"]
fn all_cuts_of_a_burst_have_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = explosion(&[]);
    assert_equal(
        &gpu,
        &pipeline,
        &[[1, 1, 2], [1, 1, 3], [1, 1, 4]],
        &Setting::steps(40),
    );
    let checked = Setting {
        options: CHECKED,
        ..Setting::steps(6)
    };
    assert_equal(&gpu, &pipeline, &[[1, 1, 2]], &checked);
}

/// Eight parts, as thin as the ghosts between them.
#[test]
#[ignore = "long: the kernels of eight ranks"]
fn a_burst_on_eight_ranks_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = explosion(&["order.every=2", "transfer.limit=16"]);
    assert_equal(&gpu, &pipeline, &[[1, 1, 8]], &Setting::steps(24));
}

#[test]
#[ignore = "long: the kernels of two to four ranks"]
fn letters_dissolve_equally() {
    let Some(gpu) = common::gpu() else { return };
    let cuts = [[1, 1, 2], [1, 1, 3], [1, 1, 4]];
    assert_equal(&gpu, &dissolve(&[]), &cuts, &Setting::steps(20));
}

/// A sort changes no bit: sums of particles are integers.
#[test]
#[ignore = "long: the kernels of two orders of particles"]
fn the_order_of_particles_changes_no_node() {
    let Some(gpu) = common::gpu() else { return };
    let nodes = |every: &str| {
        let pipeline = explosion(&[every]);
        let mut simulation = start(&gpu, pipeline, Options::PLAIN, Arc::new(NoProbe), None);
        (0..30).for_each(|_| simulation.step(false).unwrap());
        let [mass, velocity] = ["nodes.mass", "nodes.velocity"].map(|name| simulation.read(name).unwrap());
        let particles = simulation.read("matter.number").unwrap();
        (mass, velocity, particles)
    };
    let (seldom, often) = (nodes("order.every=1000"), nodes("order.every=3"));
    assert!(seldom.0 == often.0 && seldom.1 == often.1);
    assert_ne!(seldom.2, often.2);
}

/// Without an exchange, the hash changes, or ranks notice it.
#[test]
#[ignore = "long: the kernels of two ranks, twice"]
fn control_a_burst_without_exchanges_has_other_bits() {
    let Some(gpu) = common::gpu() else { return };
    let pipeline = explosion(&[]);
    let setting = Setting::steps(12);
    let alone = hash_alone(&gpu, &pipeline, &setting);
    let probe = Arc::new(controls::Spoils(Spoil::Drop));
    let spoilt = Setting { probe, ..setting };
    let found = catch_unwind(AssertUnwindSafe(|| hash_on(&gpu, &pipeline, [1, 1, 2], &spoilt)));
    assert_ne!(found.ok(), Some(alone));
}

/// A jet of water, whose drops the drain removes near the top of the domain. The stages of the solver on regions run whole.
const FOUNTAIN: &[&str] = &[
    "n=10",
    // Each iteration exchanges several halos.
    "water.solver.max_iterations=6",
    "jet.at=[0.65, 0.65, 0.45]",
    "jet.speed=8",
    "drain.level=0.14",
    "outputs.log.values={\"water\": \"count(matter)\"}",
];

fn fountain(more: &[&str]) -> Pipeline {
    load("flip_fountain", &[FOUNTAIN, NO_SCENE, more].concat())
}

#[test]
#[ignore = "long: a pressure solver on two to four ranks"]
fn a_fountain_of_flip_has_the_bits_of_one_rank() {
    let Some(gpu) = common::gpu() else { return };
    assert_equal(&gpu, &fountain(&[]), &[[1, 1, 2], [1, 1, 3]], &Setting::steps(5));
}
