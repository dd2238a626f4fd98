//! The fountain: its jet is a parabola, and water that comes and goes adds up.

use sastrugi::particles::live;

use super::*;

const STEPS_A_SECOND: f64 = 1200.0;
const CAPACITY: u64 = 1200;

/// The fountain with particles farther apart, three a step, in a grid that ends before the floor does, and some settings
/// changed.
fn fountain(settings: &[(&str, Value)]) -> Value {
    let mut file = Document::read(&root().join("pipelines/mpm_fountain.json"))
        .unwrap()
        .value();
    file["parameters"]["jet"]["spacing"] = 0.019.into();
    // The jet adds particles at the end of every step.
    file["parameters"]["sort_every"] = 1.into();
    let steps = file["step"].as_array_mut().unwrap();
    let jet = steps.remove(0);
    steps.push(jet);
    file["grids"]["nodes"]["cells"] = vec![34, 26, 32].into();
    // The same in all tests: drivers compile kernels for each capacity.
    file["particles"]["matter"]["capacity"] = CAPACITY.into();
    for (pointer, value) in settings {
        *file.pointer_mut(pointer).unwrap() = value.clone();
    }
    file
}

fn advance(sim: &mut Simulation, steps: u64) {
    (0..steps).for_each(|_| sim.step(false).unwrap());
}

/// Positions of those that live, in the order in which they came: steps sort them.
fn water(sim: &mut Simulation) -> Vec<[f64; 3]> {
    let count = read_words(sim, "matter_live")[live::COUNT] as usize;
    let numbers = read_words(sim, "matter.number");
    let places = read_vectors(sim, "matter.position");
    let mut numbered: Vec<(u32, [f32; 3])> = numbers.into_iter().zip(places).take(count).collect();
    numbered.sort_by_key(|(number, _)| *number);
    numbered
        .into_iter()
        .map(|(_, place)| place.map(f64::from))
        .collect()
}

#[test]
fn jet_follows_its_ballistic_parabola() {
    let Some(gpu) = common::gpu() else { return };
    let mut sim = simulation(&gpu, &fountain(&[]));
    advance(&mut sim, 1);
    let first = water(&mut sim);
    assert_eq!(first.len(), 3);
    let (at, radius, speed) = ([0.4, 0.6, 0.21], 0.045, 3.7);
    let along = [0.42, 0.0, 1.0].map(|x: f64| x / 0.42f64.hypot(1.0));
    for place in &first {
        let from = [0, 1, 2].map(|axis| place[axis] - at[axis]);
        let ahead: f64 = (0..3).map(|axis| from[axis] * along[axis]).sum();
        let aside = (from.iter().map(|x| x * x).sum::<f64>() - ahead * ahead).sqrt();
        assert!(
            (-1e-6..speed / STEPS_A_SECOND).contains(&ahead) && aside < 1.05 * radius,
            "{from:?}"
        );
    }
    // At 0.3 s the first ones are nearly at the top: slower than they were, and pushed by those behind.
    let steps = 360;
    advance(&mut sim, steps - 1);
    let all = water(&mut sim);
    assert_eq!(all.len() as u64, 3 * steps, "nothing was taken away");
    let time = steps as f64 / STEPS_A_SECOND;
    for (birth, place) in all.chunks(3).map(|chunk| chunk[0]).enumerate().step_by(30) {
        let age = time - birth as f64 / STEPS_A_SECOND;
        let free = |axis: usize| {
            let fall = if axis == 2 { 0.5 * 9.81 * age * age } else { 0.0 };
            at[axis] + speed * along[axis] * age - fall
        };
        for (axis, x) in place.iter().enumerate() {
            assert!(
                (x - free(axis)).abs() < 2.0 * radius,
                "{birth} {axis}: {x} {}",
                free(axis)
            );
        }
    }
    assert_eq!(read_words(&mut sim, "transfer.counters"), [0, 0]);
    assert!(sim.fault().unwrap().is_none());
}

#[test]
#[ignore = "long: hundreds of steps of two fountains"]
fn removed_particles_free_capacity_for_new_ones() {
    let Some(gpu) = common::gpu() else { return };
    // A low lid: what rises beyond it is gone after 8 steps at most. Without removal the set would be full after 400.
    let lid = 0.5;
    let mut sim = simulation(&gpu, &fountain(&[("/parameters/drain/high/2", lid.into())]));
    let mut counts = Vec::new();
    for steps in [240, 100, 100] {
        advance(&mut sim, steps);
        let water = water(&mut sim);
        let highest = water.iter().map(|place| place[2]).fold(0.0, f64::max);
        assert!(
            (lid - 0.05..lid + 8.0 * 3.7 / STEPS_A_SECOND).contains(&highest),
            "{highest}"
        );
        counts.push(water.len());
    }
    let words = read_words(&mut sim, "matter_live");
    assert_eq!(words[live::REFUSED], 0);
    // The way to the lid takes 0.095 s: 345 particles, and those of up to 8 steps.
    assert!(
        counts.iter().all(|count| (300..400).contains(count)),
        "{counts:?}"
    );
    assert!(sim.fault().unwrap().is_none());
    // Control: with a drain that takes nothing they do not fit.
    let full = fountain(&[
        ("/parameters/drain/low", vec![-9, -9, -9].into()),
        ("/parameters/drain/high", vec![9, 9, 9].into()),
        ("/parameters/drain/level", (-9).into()),
    ]);
    let mut sim = simulation(&gpu, &full);
    advance(&mut sim, 420);
    let words = read_words(&mut sim, "matter_live");
    assert_eq!(
        [words[live::COUNT], words[live::REFUSED]],
        [CAPACITY as u32, 3 * 420 - CAPACITY as u32]
    );
}
